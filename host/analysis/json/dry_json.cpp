// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <nlohmann/json.hpp>

namespace strata::analysis {

nlohmann::ordered_json to_json(const DryFact& dry) {
  using Json = nlohmann::ordered_json;
  Json refused = Json::array();
  for (const RefusedFunction& function : dry.refused)
    refused.push_back({{"function", function.function}, {"calls", function.calls}});
  // There is no upper bound.
  const auto workspace = [](std::uint64_t used) {
    return Json{{"low", 0}, {"high", nullptr}, {"used", used}};
  };
  Json clock = nullptr;
  if (dry.modelled_clock) {
    clock = Json::object();
    for (const ModelledWork& work : *dry.modelled_clock)
      clock[work.kind] = {{"works", work.works}, {"ns", work.ns}};
  }
  Json parts = Json::array();
  for (const ContextPart& part : dry.context_parts)
    parts.push_back({{"part", part.part}, {"bytes", part.bytes}, {"after_calls", part.after_calls}});
  Json readers = Json::array();
  for (const UnknownReader& each : dry.unknown_reads_by) {
    readers.push_back(
        {{"reader", each.reader}, {"count", each.count}, {"bytes", each.bytes}, {"answered", each.answered}});
  }
  return {{"profile", dry.profile},
          {"name", dry.name},
          {"compared", dry.compared},
          {"devices", dry.devices},
          {"memory_bytes", dry.memory_bytes},
          {"memory_given", dry.memory_is_given},
          {"context_bytes",
           {{"low", dry.context_bytes_low},
            {"high", dry.context_bytes_high},
            {"used", dry.context_bytes_used},
            {"init", dry.context_bytes_init}}},
          {"context_parts", parts},
          {"kernels_not_run", dry.kernels_not_run},
          {"library_calls_not_computed", dry.library_calls_not_computed},
          {"unknown_reads", {{"count", dry.unknown_reads}, {"bytes", dry.unknown_read_bytes}}},
          {"unknown_reads_by", readers},
          {"answered_reads", dry.answered_reads},
          {"assumed_reads", dry.assumed_reads},
          {"unknown_times", dry.unknown_times},
          {"unknown_workspaces", dry.workspaces.unknown},
          {"asked_workspaces", dry.workspaces.asked},
          {"fitted_workspaces", dry.workspaces.fitted},
          {"bounded_workspaces", dry.workspaces.bounded},
          {"workspace_bytes",
           {{"cudnn", workspace(dry.cudnn_workspace_bytes)},
            {"cusolver", workspace(dry.cusolver_workspace_bytes)}}},
          {"communicators", dry.communicators},
          {"communicator_bytes", workspace(dry.communicator_bytes)},
          {"modelled_clock", clock},
          {"refused", refused}};
}

}  // namespace strata::analysis
