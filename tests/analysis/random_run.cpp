// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/random_run.hpp"

#include <array>
#include <functional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/ext/step.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis::testing {
namespace {

constexpr std::array<std::string_view, 6> kModules{"",          "layers", "layers.0", "layers.1.attn",
                                                   "head..odd", "."};

}  // namespace

Recording random_run(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
  };
  RunBuilder run;
  std::vector<std::uint64_t> alive;
  const std::function<void(int)> events = [&](int depth) {
    for (std::uint32_t event = 0, count = below(12); event < count; ++event) {
      run.wait(below(50));
      const std::uint32_t choice = below(10);
      if (choice < 5) {
        alive.push_back(run.allocate(below(4) == 0 ? below(1u << 30) : 1 + below(5000)));
      } else if (choice < 8 && !alive.empty()) {
        std::swap(alive[below(static_cast<std::uint32_t>(alive.size()))], alive.back());
        run.free(alive.back());
        alive.pop_back();
      } else if (choice == 8 && !alive.empty()) {
        const std::uint64_t block = alive[below(static_cast<std::uint32_t>(alive.size()))];
        if (below(2) == 0) {
          run.tensor(below(15), below(4) == 0 ? "weight" : "layers.0.weight", block);
        } else {
          run.save(block);
        }
      } else if (depth < 4 && below(2) == 0) {
        run.module(kModules[below(kModules.size())], [&] { events(depth + 1); });
      } else if (depth < 4) {
        run.phase(below(14), "phase", [&] { events(depth + 1); });
      }
    }
  };
  events(0);
  for (std::int64_t step = 0; step < 3; ++step) run.step(step, STRATA_STEP_ACTIVE, [&] { events(0); });
  return run.finish(seed % 3 == 0 ? RunEnd::kKilled : RunEnd::kDone);
}

}  // namespace strata::analysis::testing
