// SPDX-License-Identifier: Apache-2.0
#include "tests/report/simulated_times.hpp"

#include <strata/ext/activity.h>
#include <strata/ext/module.h>
#include <strata/ext/op.h>
#include <strata/ext/phase.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

namespace strata::report::testing {
namespace {

using analysis::kNoRow;
using analysis::OpSpan;

class TimesOfRun {
 public:
  TimesOfRun(analysis::Facts& facts, const SimulatedTimes& times) : facts_(facts), times_(times) {
    for (std::uint32_t i = 0; i < facts.phases.size(); ++i) {
      const auto& phase = facts.phases[i];
      if (phase.step >= facts.first_step && phase.step <= facts.last_step && phase.depth == 0)
        phases_.push_back(i);
    }
  }

  void add() {
    const std::size_t in_phase = std::max<std::size_t>(
        1, times_.operators / times_.nesting / std::max<std::size_t>(1, phases_.size()));
    for (const std::uint32_t phase : phases_) add_phase(phase, in_phase);
    add_copies();
    std::ranges::stable_sort(time_.modules, {}, &analysis::ModuleSpan::begin_ns);
    sort_activities();
    find_births();
    add_tables();
    time_.host_computes = !times_.device;
    facts_.time = std::move(time_);
  }

 private:
  std::uint32_t text(const std::string& text) {
    const auto [found, is_new] = texts_.try_emplace(text, static_cast<std::uint32_t>(facts_.texts.size()));
    if (is_new) facts_.texts.push_back(text);
    return found->second;
  }

  void add_phase(std::uint32_t index, std::size_t count) {
    const auto& phase = facts_.phases[index];
    const bool in_backward = phase.kind == STRATA_PHASE_BACKWARD;
    const std::uint32_t thread = in_backward && times_.device ? kAutogradThread : kTrainingThread;
    const std::int64_t slot =
        std::max<std::int64_t>(4, (phase.end_ns - phase.begin_ns) / static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      // Irregular, as real clocks are.
      const std::int64_t late = static_cast<std::int64_t>(random_()) % std::max<std::int64_t>(1, slot / 8);
      const std::int64_t begin = phase.begin_ns + slot * static_cast<std::int64_t>(i) + late;
      const std::string layer = "layers." + std::to_string(in_backward ? 3 - i * 4 / count : i * 4 / count);
      const std::uint32_t first = static_cast<std::uint32_t>(time_.spans.size());
      std::int64_t length = slot * (3 + static_cast<std::int64_t>(i % 5)) / 8 - late / 2;
      std::uint32_t parent = kNoRow;
      for (std::size_t depth = 0; depth < times_.nesting; ++depth, length /= 2) {
        static constexpr std::array<const char*, 3> kNames{"aten::linear", "aten::matmul", "aten::mm"};
        const bool is_node = in_backward && depth == 0;
        OpSpan op{.begin_ns = begin, .end_ns = begin + length};
        op.self_ns = depth + 1 < times_.nesting ? length - length / 2 : length;
        op.ordinal = time_.spans.size() + 1;
        op.parent = parent;
        op.thread = thread;
        op.kind = is_node ? STRATA_OP_BACKWARD : STRATA_OP_FORWARD;
        op.name = text(is_node ? "AddmmBackward0" : kNames.at(depth % 3));
        op.layer = text(layer);
        op.phase = index;
        op.in_backward = in_backward;
        parent = static_cast<std::uint32_t>(time_.spans.size());
        time_.spans.push_back(op);
      }
      if (i % 5 == 0)
        time_.product_rows.push_back({.op = time_.spans.size(),
                                      .bytes = 4 * (64 * 32 + 32 * 16 + 64 * 16),
                                      .batch = 1,
                                      .m = 64,
                                      .n = 16,
                                      .k = 32,
                                      .products = 1,
                                      .element_bytes = 4});
      if (times_.device) ask(first, parent, slot);
      if (phase.kind == STRATA_PHASE_FORWARD) add_module(first, layer);
    }
  }

  // The module of the previous operator, or a new one.
  void add_module(std::uint32_t op, const std::string& layer) {
    const OpSpan& span = time_.spans[op];
    const std::uint32_t path = text(layer);
    auto& modules = time_.modules;
    if (!modules.empty() && modules.back().path == path && span.begin_ns - modules.back().end_ns < 10'000'000)
      modules.back().end_ns = span.end_ns;
    else
      modules.push_back({span.begin_ns, span.end_ns, span.thread, path, STRATA_MODULE_FORWARD});
  }

  void ask(std::uint32_t outermost, std::uint32_t innermost, std::int64_t slot) {
    const OpSpan& op = time_.spans[outermost];
    analysis::ActivityRow kernel;
    kernel.begin_ns = op.begin_ns + slot / 2;
    kernel.end_ns = kernel.begin_ns + std::max<std::int64_t>(1, slot / 3);
    kernel.kind = STRATA_ACTIVITY_KERNEL;
    kernel.name = text(times_.kernel_name);
    kernel.stream = 7;
    time_.activities.push_back(kernel);
    time_.places.push_back({.op = innermost, .phase = op.phase, .layer = op.layer});
  }

  void add_copies() {
    if (!times_.device) return;
    for (const std::uint32_t phase : phases_) {
      analysis::ActivityRow copy;
      copy.begin_ns = facts_.phases[phase].begin_ns + 10;
      copy.end_ns = copy.begin_ns + 20'000;
      copy.kind =
          facts_.phases[phase].kind == STRATA_PHASE_ZERO_GRAD ? STRATA_ACTIVITY_SET : STRATA_ACTIVITY_COPY;
      copy.detail = copy.kind == STRATA_ACTIVITY_COPY ? STRATA_COPY_HOST_TO_DEVICE : 0;
      copy.bytes = 123'456;
      copy.stream = 8;
      time_.activities.push_back(copy);
      time_.places.push_back({.phase = phase});
    }
  }

  void sort_activities() {
    std::vector<std::size_t> order(time_.activities.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return time_.activities[i].begin_ns; });
    const auto activities = time_.activities;
    const auto places = time_.places;
    for (std::size_t i = 0; i < order.size(); ++i) {
      time_.activities[i] = activities[order[i]];
      time_.places[i] = places[order[i]];
    }
  }

  void find_births() {
    std::size_t last = 0;
    for (analysis::Block& block : facts_.blocks) {
      while (last < time_.spans.size() && time_.spans[last].begin_ns <= block.birth_ns) ++last;
      for (std::size_t i = last; i-- > 0 && last - i <= times_.nesting;) {
        if (block.birth_ns >= time_.spans[i].end_ns) continue;
        block.birth_op = time_.spans[i].ordinal;
        break;
      }
    }
  }

  void add_tables() {
    for (std::int64_t step = facts_.first_step; step <= facts_.last_step; ++step) {
      const auto& fact = facts_.steps[static_cast<std::size_t>(step)];
      time_.steps.push_back(
          {.step = step, .wall_ns = fact.end_ns - fact.begin_ns, .operators = times_.operators});
      time_.window_ns += fact.end_ns - fact.begin_ns;
    }
    std::map<std::string, analysis::PhaseTime> phases;
    for (const std::uint32_t index : phases_) {
      auto& phase = phases[facts_.phases[index].name];
      phase.path = facts_.phases[index].name;
      ++phase.count;
      phase.wall_ns += facts_.phases[index].end_ns - facts_.phases[index].begin_ns;
    }
    for (const auto& [unused, phase] : phases) time_.phases.push_back(phase);
    time_.layers.resize(2);
    time_.layers[1].path = time_.layers[1].label = "layers.0";
    time_.layers[1].depth = 1;
    time_.layers[1].total.forward_ns = 5'000'000;
    std::map<std::uint32_t, analysis::OpTime> ops;
    for (const OpSpan& op : time_.spans) {
      auto& row = ops[op.name];
      row.name = op.name;
      ++row.count;
      row.self_ns += op.self_ns;
    }
    for (const auto& [unused, op] : ops) time_.ops.push_back(op);
    if (!times_.device) return;
    analysis::KernelTime kernel;
    kernel.name = "gemm<short>";
    kernel.full_name = times_.kernel_name;
    kernel.kind = STRATA_ACTIVITY_KERNEL;
    kernel.count = 1;
    kernel.total_ns = 1000;
    time_.kernels = {kernel};
    analysis::DeviceTime device;
    device.bounds = {facts_.window_begin_ns, facts_.window_end_ns};
    device.busy_ns = device.compute_ns = 1'000'000;
    device.idle_ns[static_cast<std::size_t>(analysis::IdleCause::kLaunch)] = 2'000'000;
    time_.devices = {device};
  }

  analysis::Facts& facts_;
  const SimulatedTimes& times_;
  analysis::TimeFacts time_;
  std::vector<std::uint32_t> phases_;
  std::map<std::string, std::uint32_t> texts_;
  std::mt19937 random_{7};
};

}  // namespace

void add_times(analysis::Facts& facts, const SimulatedTimes& times) {
  TimesOfRun(facts, times).add();
}

}  // namespace strata::report::testing
