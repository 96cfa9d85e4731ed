// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/json/or_null.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/op.h"

namespace strata::analysis {
namespace {

// Objects are filled key by key: nested initializer lists of this library take minutes to compile.
using Json = nlohmann::ordered_json;

template <typename Rows, typename ToJson>
Json list(const Rows& rows, std::size_t top, ToJson to_json) {
  Json json = Json::array();
  const std::size_t count = top == 0 ? rows.size() : std::min(top, rows.size());
  for (std::size_t index = 0; index < count; ++index) json.push_back(to_json(rows[index]));
  return json;
}

const char* kind_of_op(std::uint32_t kind) {
  return kind == STRATA_OP_BACKWARD ? "backward_node" : kind == STRATA_OP_USER ? "range" : "operator";
}

const char* kind_of_work(std::uint32_t kind) {
  switch (kind) {
    case STRATA_ACTIVITY_COPY:
      return "copy";
    case STRATA_ACTIVITY_SET:
      return "set";
    case STRATA_ACTIVITY_GRAPH:
      return "graph";
    default:
      return "kernel";
  }
}

Json step_time_json(const StepTime& step) {
  Json json;
  json["step"] = step.step;
  json["wall_ns"] = step.wall_ns;
  json["operator_ns"] = step.operator_ns;
  json["device_ns"] = step.device_ns;
  json["operators"] = step.operators;
  return json;
}

Json phase_json(const PhaseTime& phase) {
  Json json;
  json["path"] = phase.path;
  json["count"] = phase.count;
  json["wall_ns"] = phase.wall_ns;
  json["self_ns"] = phase.self_ns;
  json["operator_ns"] = phase.operator_ns;
  json["thread_ns"] = phase.thread_ns;
  json["device_ns"] = phase.device_ns;
  json["device_idle_ns"] = phase.device_idle_ns;
  return json;
}

Json amount_json(const LayerTime::Amount& amount) {
  Json json;
  json["forward_ns"] = amount.forward_ns;
  json["backward_ns"] = amount.backward_ns;
  json["device_ns"] = amount.device_ns;
  json["operators"] = amount.operators;
  return json;
}

Json layer_json(const LayerTime& layer) {
  Json json;
  json["path"] = layer.path;
  json["depth"] = layer.depth;
  json["total"] = amount_json(layer.total);
  json["self"] = amount_json(layer.self);
  return json;
}

Json gap_json(const TimeFacts& time, const Facts& facts, const IdleGap& gap) {
  Json json;
  json["begin_ns"] = gap.when.begin_ns - facts.begin_ns;
  json["length_ns"] = gap.when.length_ns();
  json["cause"] = to_string(gap.cause);
  json["phase"] = nullptr;
  if (gap.next != kNoRow && time.places[gap.next].phase != kNoRow)
    json["phase"] = facts.phases.at(time.places[gap.next].phase).name;
  return json;
}

Json idle_json(const DeviceTime& device) {
  Json json;
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
    json[to_string(static_cast<IdleCause>(cause))] = device.idle_ns[cause];
  return json;
}

Json device_json(const DeviceTime& device) {
  Json json;
  json["device"] = device.device;
  json["modelled"] = device.modelled;
  json["window_ns"] = device.bounds.length_ns();
  json["busy_ns"] = device.busy_ns;
  json["compute_ns"] = device.compute_ns;
  json["copy_ns"] = device.copy_ns;
  json["overlap_ns"] = device.overlap_ns;
  json["set_ns"] = device.set_ns;
  json["idle_ns"] = idle_json(device);
  json["gaps"] = device.gaps;
  return json;
}

Json kernel_json(const Facts& facts, const KernelTime& kernel) {
  Json json;
  json["name"] = kernel.name;
  json["full_name"] = kernel.full_name;
  json["kind"] = kind_of_work(kernel.kind);
  json["device"] = kernel.device;
  json["count"] = kernel.count;
  json["total_ns"] = kernel.total_ns;
  json["shortest_ns"] = kernel.shortest_ns;
  json["longest_ns"] = kernel.longest_ns;
  json["bytes"] = kernel.bytes;
  json["op"] = kernel.op == 0 ? Json(nullptr) : Json(facts.texts[kernel.op]);
  return json;
}

Json call_json(const CallTime& call) {
  Json json;
  json["name"] = call.name;
  json["count"] = call.count;
  json["total_ns"] = call.total_ns;
  return json;
}

Json op_json(const Facts& facts, const OpTime& op) {
  Json json;
  json["name"] = facts.texts[op.name];
  json["kind"] = kind_of_op(op.kind);
  json["count"] = op.count;
  json["self_ns"] = op.self_ns;
  json["total_ns"] = op.total_ns;
  json["device_ns"] = op.device_ns;
  return json;
}

Json product_json(const Facts& facts, const ProductTime& product, const std::optional<DevicePeak>& peak) {
  Json json;
  json["op"] = facts.texts[product.name];
  json["batch"] = product.shape.batch;
  json["m"] = product.shape.m;
  json["n"] = product.shape.n;
  json["k"] = product.shape.k;
  json["products"] = product.shape.products;
  json["element_bytes"] = product.shape.element_bytes;
  json["count"] = product.count;
  json["time_ns"] = product.time_ns;
  json["on_device"] = product.on_device;
  json["flop"] = product.flop;
  json["bytes"] = product.bytes;
  json["intensity"] = or_null(product.intensity());
  json["flop_per_second"] = or_null(product.flop_per_second());
  json["peak_flop_per_second"] = nullptr;
  if (peak && product.on_device)
    json["peak_flop_per_second"] = or_null(peak->flop_per_second(product.shape.element_bytes));
  return json;
}

Json launches_json(const std::optional<LaunchCheck>& check) {
  if (!check) return nullptr;
  Json json;
  json["launches"] = check->launches;
  json["work"] = check->work;
  json["launches_unanswered"] = check->launches_unanswered;
  json["work_unasked"] = check->work_unasked;
  return json;
}

Json capture_json(const Capture& capture) {
  Json json;
  json["activities"] = capture.activities;
  json["dropped"] = capture.dropped;
  json["refused_buffers"] = capture.refused_buffers;
  json["without_times"] = capture.without_times;
  json["without_call"] = capture.without_call;
  json["lost_origins"] = capture.lost_origins;
  json["broken_buffers"] = capture.broken_buffers;
  json["late_buffers"] = capture.late_buffers;
  json["skipped_bytes"] = capture.skipped_bytes;
  json["reason"] = capture.reason.empty() ? Json(nullptr) : Json(capture.reason);
  return json;
}

}  // namespace

std::string time_document(const Facts& facts, const std::optional<DevicePeak>& peak, std::size_t top) {
  const TimeFacts& time = facts.time.value();
  Json json;
  json["schema"] = "strata.time/1";
  json["modelled"] = time.modelled;
  json["first_step"] = facts.first_step;
  json["last_step"] = facts.last_step;
  json["window_ns"] = time.window_ns;
  json["threads"] = time.threads;
  json["steps"] = list(time.steps, 0, step_time_json);
  json["phases"] = list(time.phases, 0, phase_json);
  json["layers"] = list(time.layers, 0, layer_json);
  json["operators"] = list(time.ops, top, [&](const OpTime& op) { return op_json(facts, op); });
  json["devices"] = list(time.devices, 0, [&](const DeviceTime& device) {
    Json entry = device_json(device);
    entry["longest_gaps"] =
        list(device.longest_gaps, top, [&](const IdleGap& gap) { return gap_json(time, facts, gap); });
    return entry;
  });
  json["kernels"] =
      list(time.kernels, top, [&](const KernelTime& kernel) { return kernel_json(facts, kernel); });
  json["calls"] = list(time.calls, top, call_json);
  json["overheads"] = list(time.overheads, top, call_json);
  json["host_waits_ns"] = time.host_waits_ns;
  json["launches"] = launches_json(time.launches);
  json["captures"] = list(time.captures, 0, capture_json);
  json["products"] = list(time.products, top,
                          [&](const ProductTime& product) { return product_json(facts, product, peak); });
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json time_summary(const Facts& facts) {
  if (!facts.time) return nullptr;
  const TimeFacts& time = *facts.time;
  Json json;
  json["modelled"] = time.modelled;
  json["window_ns"] = time.window_ns;
  json["phases"] = list(time.phases, 0, [](const PhaseTime& phase) {
    Json entry;
    entry["path"] = phase.path;
    entry["wall_ns"] = phase.wall_ns;
    entry["operator_ns"] = phase.operator_ns;
    entry["device_ns"] = phase.device_ns;
    return entry;
  });
  json["devices"] = list(time.devices, 0, device_json);
  json["launches"] = launches_json(time.launches);
  return json;
}

}  // namespace strata::analysis
