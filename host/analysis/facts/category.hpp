// SPDX-License-Identifier: Apache-2.0
// The category of each byte of memory, the first level of labels, and the statistics of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace strata::analysis {

// PyTorch's own eight names, in the order of tables and charts.
enum class Category : std::uint8_t {
  kParameter,
  kOptimizerState,
  kInput,
  kTemporary,
  kActivation,
  kGradient,
  kAutogradDetail,
  kUnknown
};
inline constexpr std::size_t kCategories = 8;
// "Parameter", "Optimizer_State", ...
const char* to_string(Category category);

using CategoryBytes = std::array<std::uint64_t, kCategories>;

// The sum over the categories.
std::uint64_t sum(const CategoryBytes& bytes);

// Median and mean over the events of the window, and a mean over its time. min and max also include the value
// at the begin of the window, as the peak does.
struct CategoryStatistics {
  std::uint64_t min = 0, median = 0, max = 0;
  double mean_over_events = 0.0;
  double mean_over_time = 0.0;
};

}  // namespace strata::analysis
