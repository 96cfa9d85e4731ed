// SPDX-License-Identifier: Apache-2.0
#include "tests/report/irregular_run.hpp"

#include <strata/ext/phase.h>
#include <strata/ext/step.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "tests/report/facts_recorder.hpp"

namespace strata::report::testing {
namespace {

constexpr std::size_t kAllocationsInStep = 5000;
constexpr std::size_t kSites = 5000;
constexpr double kLongestLife = 20'000;

Origin origin(std::size_t site) {
  using enum analysis::BlockKind;
  static const std::vector<analysis::BlockKind> kKinds{kSaved, kOpTemp, kFlowing, kState, kGradient};
  return {static_cast<analysis::Category>(site % analysis::kCategories), kKinds[site % kKinds.size()],
          site % 3 == 0 ? "layers." + std::to_string(site / 100) + ".tensor" + std::to_string(site) : "",
          "aten::op" + std::to_string(site % 90),
          "layers." + std::to_string(site / 100) + ".part" + std::to_string(site % 7)};
}

}  // namespace

analysis::Facts irregular_run(std::size_t allocations) {
  FactsRecorder recorder("irregular");
  std::mt19937_64 random(1);
  const auto even = [&] { return static_cast<double>(random() >> 11U) * 0x1.0p-53; };
  std::multimap<std::size_t, std::uint32_t> ends;
  for (std::size_t i = 0; i < allocations; ++i) {
    const std::size_t in_step = i % kAllocationsInStep;
    if (in_step == 0) {
      recorder.begin_step(static_cast<std::int64_t>(i / kAllocationsInStep), STRATA_STEP_ACTIVE);
      recorder.begin_phase(STRATA_PHASE_FORWARD, "forward");
    }
    if (in_step == kAllocationsInStep / 2) {
      recorder.end_phase();
      recorder.begin_phase(STRATA_PHASE_BACKWARD, "backward");
    }
    const auto bytes = 512 * static_cast<std::uint64_t>(std::exp2(20.0 * even()));
    const auto block = recorder.allocate(bytes, origin(random() % kSites));
    recorder.advance(static_cast<std::int64_t>(500.0 * std::exp2(6.0 * even())));
    ends.emplace(i + static_cast<std::size_t>(std::pow(kLongestLife, even())), block);
    for (; !ends.empty() && ends.begin()->first <= i; ends.erase(ends.begin())) {
      recorder.release(ends.begin()->second);
      recorder.advance(static_cast<std::int64_t>(300.0 * std::exp2(4.0 * even())));
    }
    if (in_step + 1 == kAllocationsInStep || i + 1 == allocations) {
      recorder.end_phase();
      recorder.end_step(1.0, 2048);
    }
  }
  return recorder.finish(1, static_cast<std::int64_t>((allocations - 1) / kAllocationsInStep));
}

}  // namespace strata::report::testing
