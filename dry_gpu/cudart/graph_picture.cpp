// SPDX-License-Identifier: Apache-2.0
// A graph as a picture: a file in the language DOT.
#include <fstream>
#include <string_view>
#include <unordered_map>

#include "dry_gpu/cudart/call.hpp"

using namespace strata::dry_gpu;

namespace {

std::string_view name_of(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "KERNEL";
    case cudaGraphNodeTypeMemcpy:
      return "MEMCPY";
    case cudaGraphNodeTypeMemset:
      return "MEMSET";
    case cudaGraphNodeTypeHost:
      return "HOST";
    case cudaGraphNodeTypeGraph:
      return "GRAPH";
    case cudaGraphNodeTypeWaitEvent:
      return "EVENT_WAIT";
    case cudaGraphNodeTypeEventRecord:
      return "EVENT_RECORD";
    default:
      return "NODE";
  }
}

}  // namespace

// Nodes by number and type, and their dependencies. Further data requested by the flags is unknown here.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return call([&](Machine&, ThreadState&) {
    if (graph == nullptr || path == nullptr) return cudaErrorInvalidValue;
    std::ofstream file(path);
    file << "digraph dot {\n";
    std::unordered_map<const CUgraphNode_st*, std::size_t> numbers;
    for (const auto& node : graph->nodes) {
      const std::size_t number = numbers.emplace(node.get(), numbers.size()).first->second;
      file << "  node_" << number << " [label=\"" << number << ' ' << name_of(node->type) << "\"];\n";
      for (const CUgraphNode_st* before : node->dependencies) {
        file << "  node_" << numbers.at(before) << " -> node_" << number << ";\n";
      }
    }
    file << "}\n";
    file.close();
    return file ? cudaSuccess : cudaErrorOperatingSystem;
  });
}
