// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/place.hpp"

#include <cstdlib>
#include <optional>

#include "strata/runtime/whole_number.hpp"

namespace strata::drop_in {
namespace {

std::optional<std::uint32_t> number_in(const char* variable) {
  const char* const value = secure_getenv(variable);
  return value == nullptr ? std::nullopt : whole_number(value);
}

std::optional<ProcessPlace> place_in(const char* rank_variable, const char* size_variable) {
  const auto rank = number_in(rank_variable), size = number_in(size_variable);
  if (!rank || !size || *rank >= *size) return std::nullopt;
  return ProcessPlace{*rank, *size};
}

}  // namespace

ProcessPlace place_of_process() {
  if (const auto place = place_in("RANK", "WORLD_SIZE")) return *place;
  return place_in("SLURM_PROCID", "SLURM_NTASKS").value_or(ProcessPlace{});
}

}  // namespace strata::drop_in
