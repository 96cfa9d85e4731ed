// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/time/span_kinds.hpp"
#include "host/report/text.hpp"
#include "host/report/time/time_tables.hpp"

namespace strata::report {
namespace {

using analysis::TimeFacts;
using nlohmann::json;

// Per table.
constexpr std::size_t kMostTimeRows = 200;
constexpr std::size_t kTimeNameBytes = 300;

std::string shown_name(std::string_view text) {
  return clipped(text, kTimeNameBytes);
}

template <typename... Value>
json cells(const Value&... values) {
  auto list = json::array();
  (list.push_back(values), ...);
  return list;
}

template <typename Rows, typename ToRow>
json first_rows(const Rows& rows, const ToRow& to_row) {
  auto list = json::array();
  for (std::size_t i = 0; i < std::min(rows.size(), kMostTimeRows); ++i) list.push_back(to_row(rows[i]));
  return list;
}

json phase_row(const analysis::PhaseTime& phase) {
  return cells(shown_name(phase.path), phase.count, phase.wall_ns, phase.operator_ns, phase.thread_ns,
               phase.device_ns, phase.device_idle_ns);
}

json layer_row(const analysis::LayerTime& layer) {
  return cells(layer.path.empty() ? std::string("all") : shown_name(layer.path), layer.total.forward_ns,
               layer.total.backward_ns, layer.total.device_ns, layer.self.host_ns(), layer.total.operators);
}

const char* work_name(analysis::WorkKind work) {
  switch (work) {
    case analysis::WorkKind::kCopy:
      return "copy";
    case analysis::WorkKind::kSet:
      return "set";
    case analysis::WorkKind::kGraph:
      return "graph";
    case analysis::WorkKind::kKernel:
      break;
  }
  return "kernel";
}

// [name, nanoseconds, part of] for a device's work and idle time.
json device_data(const analysis::DeviceTime& device) {
  auto rows = json::array();
  const auto add = [&](const std::string& what, std::int64_t ns, const char* of) {
    if (ns != 0) rows.push_back(cells(what, ns, of));
  };
  add("busy", device.busy_ns, "the window");
  add("computing", device.compute_ns, "busy");
  add("copying", device.copy_ns, "busy");
  add("copying while computing", device.overlap_ns, "busy");
  add("setting memory", device.set_ns, "busy");
  add("idle", device.idle_in_all_ns(), "the window");
  for (std::size_t cause = 0; cause < analysis::kIdleCauses; ++cause)
    add(explained(static_cast<analysis::IdleCause>(cause)), device.idle_ns.at(cause), "idle");
  json data;
  data["device"] = device.device;
  data["modelled"] = device.modelled;
  data["window_ns"] = device.bounds.length_ns();
  data["rows"] = std::move(rows);
  return data;
}

json product_row(const analysis::Facts& facts, const analysis::ProductTime& product) {
  const auto or_null = [](const std::optional<double>& number) { return number ? json(*number) : json(); };
  return cells(shown_name(facts.texts.at(product.name)), product_shape(product.shape), product.count,
               product.time_ns, product.flop, or_null(product.intensity()),
               or_null(product.flop_per_second()));
}

}  // namespace

json time_data(const analysis::Facts& facts) {
  if (!facts.time || facts.time->steps.empty()) return {};
  const TimeFacts& time = *facts.time;
  json data;
  data["window_ns"] = time.window_ns;
  data["steps"] = time.steps.size();
  data["first_step"] = time.steps.front().step;
  data["last_step"] = time.steps.back().step;
  data["without_warm_up"] = steady_mean(facts);
  data["phases"] = first_rows(time.phases, phase_row);
  data["layers"] = first_rows(time.layers, layer_row);
  data["kernels"] = first_rows(time.kernels, [&](const analysis::KernelTime& kernel) {
    return cells(shown_name(kernel.name), work_name(analysis::work_kind_of(kernel.kind)), kernel.count,
                 kernel.total_ns, kernel.longest_ns, kernel.bytes, shown_name(facts.texts.at(kernel.op)),
                 kernel.full_name == kernel.name ? std::string() : shown_name(kernel.full_name));
  });
  data["devices"] = first_rows(time.devices, device_data);
  data["calls"] = first_rows(time.calls, [](const analysis::CallTime& call) {
    return cells(shown_name(call.name), call.count, call.total_ns);
  });
  data["products"] =
      first_rows(time.products, [&](const auto& product) { return product_row(facts, product); });
  json left_out;
  const auto beyond = [](const auto& rows) { return rows.size() - std::min(rows.size(), kMostTimeRows); };
  left_out["layers"] = beyond(time.layers);
  left_out["kernels"] = beyond(time.kernels);
  left_out["products"] = beyond(time.products);
  data["left_out"] = std::move(left_out);
  return data;
}

}  // namespace strata::report
