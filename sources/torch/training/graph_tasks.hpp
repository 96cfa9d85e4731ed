// SPDX-License-Identifier: Apache-2.0
// Detects when autograd runs a graph. Checkpointing runs graphs inside graphs, on one or several threads:
// only the outermost one is reported.
#pragma once

namespace strata::torch_source {

// Called when the outermost graph begins to run and when it has run (`completed`) or was given up, on the
// thread where that happens. Not [alloc-lock].
struct GraphTaskCalls {
  void (*begin)();
  void (*end)(bool completed);
};

// [any] Call when a node of a graph begins. Costs a comparison, except for a graph's first node on a thread.
void follow_graph_task(const GraphTaskCalls& calls);

// [any] Whether the calling thread is in backward.
bool is_in_graph_task();

// [any] Whether more than one graph is running, as inside the backward of a checkpointed layer.
bool is_nested_graph_task();

// [any] Whether the graph whose node the calling thread runs records its own graph (`create_graph`): autograd
// then records all of its operators.
bool records_its_own_graph();

}  // namespace strata::torch_source
