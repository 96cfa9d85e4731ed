// SPDX-License-Identifier: Apache-2.0
// When autograd runs a graph. Checkpointing runs graphs within graphs, on one or several threads: only the
// outermost is told.
#pragma once

namespace strata::torch_source {

// What is called where the outermost graph begins to be run and where it has been run (`completed`) or given
// up, on the thread where that happens. Not [alloc-lock].
struct GraphTaskCalls {
  void (*begin)();
  void (*end)(bool completed);
};

// [any] To be called where a node of a graph begins. Costs a comparison for all but a graph's first node on
// a thread.
void follow_graph_task(const GraphTaskCalls& calls);

// [any] Whether the calling thread is in backward.
bool is_in_graph_task();

// [any] Whether more than one graph is being run, as within a checkpointed layer's backward.
bool is_nested_graph_task();

// [any] Whether the graph that the calling thread runs a node of keeps a graph of its own (`create_graph`):
// autograd records all of its operators.
bool records_its_own_graph();

}  // namespace strata::torch_source
