// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/run_builder.hpp"

#include <utility>

#include "strata/ext/graph.h"
#include "strata/ext/memory.h"

namespace strata::analysis::testing {

RunBuilder::RunBuilder() {
  run_.name = "by-hand";
  run_.device = {STRATA_DEVICE_CPU, 0};
  run_.begin_ns = now_ns_;
  run_.last_step = UINT64_MAX;
}

void RunBuilder::next() {
  ++sequence_;
  now_ns_ += kTickNs;
}

void RunBuilder::step(std::int64_t index, std::uint32_t schedule, const Body& body) {
  next();
  const std::size_t row = run_.steps.size();
  run_.steps.push_back(
      {.step = index, .schedule = schedule, .begin_sequence = sequence_, .begin_ns = now_ns_});
  step_ = index;
  body();
  step_ = -1;
  next();
  run_.steps[row].end_sequence = sequence_;
  run_.steps[row].end_ns = now_ns_;
  run_.steps[row].loss = 2.5;
  run_.steps[row].tokens = 64;
}

void RunBuilder::phase(std::uint32_t kind, std::string_view name, const Body& body) {
  next();
  const std::size_t row = run_.phases.size();
  run_.phases.push_back({.ordinal = ++last_phase_,
                         .parent = open_phase_,
                         .kind = kind,
                         .name = run_.texts.add(name),
                         .step = step_,
                         .micro_batch = micro_batch_,
                         .begin_sequence = sequence_,
                         .begin_ns = now_ns_});
  const std::uint32_t around = std::exchange(open_phase_, last_phase_);
  body();
  open_phase_ = around;
  next();
  run_.phases[row].end_sequence = sequence_;
  run_.phases[row].end_ns = now_ns_;
}

void RunBuilder::module(std::string_view path, const Body& body, std::uint32_t direction) {
  next();
  const std::size_t row = run_.modules.size();
  run_.modules.push_back({.ordinal = ++last_module_,
                          .parent = open_module_,
                          .direction = direction,
                          .path = run_.texts.add(path.empty() ? "(model)" : path),
                          .begin_sequence = sequence_});
  const std::uint32_t around = std::exchange(open_module_, last_module_);
  body();
  open_module_ = around;
  next();
  run_.modules[row].end_sequence = sequence_;
}

void RunBuilder::op(std::string_view name, const Body& body, std::uint32_t kind,
                    std::int64_t autograd_sequence) {
  next();
  run_.ops.push_back({.sequence = sequence_,
                      .ordinal = ++last_op_,
                      .parent = open_op_,
                      .autograd_sequence = autograd_sequence,
                      .forward_thread = kind == 1 ? 1 : thread_ - 99,
                      .thread = thread_,
                      .kind = kind,
                      .name = run_.texts.add(name),
                      .module = open_module_});
  const std::uint64_t around = std::exchange(open_op_, last_op_);
  body();
  open_op_ = around;
}

void RunBuilder::on_thread(std::uint32_t thread, const Body& body) {
  const std::uint32_t thread_before = std::exchange(thread_, thread);
  const std::uint32_t module_before = std::exchange(open_module_, 0);
  const std::uint64_t op_before = std::exchange(open_op_, 0);
  body();
  thread_ = thread_before;
  open_module_ = module_before;
  open_op_ = op_before;
}

void RunBuilder::in_pool(std::uint64_t pool, const Body& body) {
  const std::uint64_t around = std::exchange(pool_, pool);
  body();
  pool_ = around;
}

void RunBuilder::memory(std::uint32_t action, std::uint64_t address, std::uint64_t bytes) {
  next();
  run_.memory.push_back({.sequence = sequence_,
                         .ns = now_ns_,
                         .thread = thread_,
                         .action = action,
                         .device = run_.device,
                         .address = address,
                         .bytes = bytes,
                         .handed_out_bytes = 0,
                         .op = open_op_,
                         .phase = open_phase_,
                         .module = open_module_,
                         .pool = pool_});
}

std::uint64_t RunBuilder::allocate(std::uint64_t bytes, const Expected& expected) {
  const std::uint64_t address = next_address_;
  next_address_ += (bytes + 63) / 64 * 64 + 64;
  allocate_at(address, bytes, expected);
  return address;
}

void RunBuilder::allocate_at(std::uint64_t address, std::uint64_t bytes, const Expected& expected) {
  memory(STRATA_MEMORY_ALLOCATE, address, bytes);
  expected_.push_back(expected);
}

void RunBuilder::free(std::uint64_t address) {
  memory(STRATA_MEMORY_FREE, address, 0);
}

void RunBuilder::fail(std::uint64_t bytes) {
  next();
  FailureRow& failure = run_.failures.emplace_back();
  failure.sequence = sequence_;
  failure.ns = now_ns_;
  failure.device = run_.device;
  failure.bytes = bytes;
  failure.op = open_op_;
  failure.module = open_module_;
}

void RunBuilder::tensor(std::uint32_t role, std::string_view name, std::uint64_t address,
                        std::uint64_t owner_address, std::string_view dtype, std::string_view shape) {
  next();
  run_.tensors.push_back({sequence_,
                          role,
                          run_.texts.add(name),
                          run_.device,
                          address,
                          owner_address,
                          {run_.texts.add(dtype), run_.texts.add(shape)}});
}

std::uint64_t RunBuilder::save(std::uint64_t address) {
  next();
  run_.saved.push_back({sequence_, STRATA_GRAPH_SAVE, open_module_, ++last_saved_, run_.device, address});
  return last_saved_;
}

void RunBuilder::release(std::uint64_t saved) {
  next();
  run_.saved.push_back({sequence_, STRATA_GRAPH_RELEASE, open_module_, saved, run_.device, 0});
}

void RunBuilder::report(std::uint64_t address, std::int64_t bytes, std::uint64_t allocated_bytes) {
  run_.cross_checked = true;
  run_.reports.push_back(
      {run_.memory.back().sequence, thread_, run_.device, address, bytes, allocated_bytes});
}

Recording RunBuilder::finish(RunEnd end) {
  next();
  run_.end = end;
  run_.closed = end != RunEnd::kKilled;
  run_.end_ns = now_ns_;
  return run_;
}

Recording killed_after(Recording run, std::uint64_t sequence) {
  const auto later = [&](const auto& row) { return row.sequence > sequence; };
  const auto begins_later = [&](const auto& range) { return range.begin_sequence > sequence; };
  const auto reopen = [&](auto& ranges) {
    std::erase_if(ranges, begins_later);
    for (auto& range : ranges) {
      if (range.end_sequence <= sequence) continue;
      range.end_sequence = kNever;
      if constexpr (requires { range.end_ns; }) range.end_ns = INT64_MAX;
    }
  };
  reopen(run.steps);
  reopen(run.phases);
  reopen(run.modules);
  std::erase_if(run.tensors, later);
  std::erase_if(run.memory, later);
  std::erase_if(run.ops, later);
  std::erase_if(run.saved, later);
  std::erase_if(run.reports, later);
  run.end = analysis::RunEnd::kKilled;
  run.closed = false;
  run.end_ns = run.memory.empty() ? run.begin_ns : run.memory.back().ns;
  return run;
}

}  // namespace strata::analysis::testing
