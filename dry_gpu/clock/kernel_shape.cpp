// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/clock/kernel_shape.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "dry_gpu/device/kernels/builtin_types.hpp"

namespace strata::dry_gpu {
namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::string_view kAfterType =
    "ELNSZ";  // an argument list ends or continues here; rarely does a name

std::optional<std::uint32_t> number_after(std::string_view text, std::string_view prefix) {
  const std::size_t place = text.find(prefix);
  if (place == kNowhere) return std::nullopt;
  std::uint32_t number = 0;
  const std::string_view rest = text.substr(place + prefix.size());
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// A template argument ("I" and a letter), the parameter of a lambda ("Ul"), or a class of c10's.
std::uint32_t first_element_bytes(std::string_view operation) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 6> kClasses = {{{"8BFloat16", 2},
                                                                                   {"4Half", 2},
                                                                                   {"7complexIf", 8},
                                                                                   {"7complexId", 16},
                                                                                   {"13Float8_e4m3fn", 1},
                                                                                   {"11Float8_e5m2", 1}}};
  std::size_t first = operation.size();
  std::uint32_t bytes = 0;
  for (const auto& [name, size] : kClasses) {
    const std::size_t place = operation.find(name);
    if (place >= first) continue;
    first = place;
    bytes = size;
  }
  for (std::size_t place = 0; place + 2 < first; ++place) {
    const bool is_argument =
        operation[place] == 'I' && builtin_bytes(operation[place + 1]) != 0 &&
        (kAfterType.find(operation[place + 2]) != kNowhere || builtin_bytes(operation[place + 2]) != 0);
    if (is_argument) return builtin_bytes(operation[place + 1]);
    if (operation.substr(place, 2) == "Ul" && builtin_bytes(operation[place + 2]) != 0)
      return builtin_bytes(operation[place + 2]);
  }
  return bytes == 0 ? 4 : bytes;
}

}  // namespace

KernelShape kernel_shape(std::string_view mangled) {
  KernelShape shape;
  // The first argument is read below: of a kernel that only has such a name, it would be something else.
  if (!mangled.starts_with("_ZN2at6native")) return shape;
  const auto behind = [&](std::string_view name) {
    const std::size_t place = mangled.find(name);
    return place == kNowhere ? std::string_view() : mangled.substr(place + name.size());
  };
  if (const std::string_view rest = behind("multi_tensor_apply_kernel"); !rest.empty()) {
    shape.kind = KernelShape::Kind::kForeach;
    const std::string_view list = rest.substr(std::min(rest.find("Metadata"), rest.size()));
    shape.tensors = number_after(list, "Li").value_or(1);
    if (rest.find("18TensorListMetadata") != kNowhere) shape.list = KernelShape::List::kBlocks;
    if (rest.find("32FusedOptimizerTensorListMetadata") != kNowhere)
      shape.list = KernelShape::List::kStepsThenBlocks;
    shape.element_bytes = first_element_bytes(list.substr(std::min(list.find("EE"), list.size())));
    return shape;
  }
  const std::string_view rest = behind("elementwise_kernel");
  const std::string_view random = behind("distribution_elementwise_grid_stride_kernel");
  if (rest.empty() && random.empty()) return shape;
  shape.kind = KernelShape::Kind::kElementwise;
  shape.element_bytes = first_element_bytes(rest.empty() ? random : rest);
  if (!random.empty()) {
    shape.tensors = 1;
    shape.count_bytes = 8;
    return shape;
  }
  // If the tensors' layouts need separate offsets, their number is not in the name: one read, one written.
  shape.tensors = number_after(rest, "St5arrayIPcLm").value_or(2);
  const std::size_t parameters = rest.rfind("EEv");  // of the kernel itself: those of lambdas come before
  const bool counts_in_64_bits = parameters != kNowhere && rest.substr(parameters + 3).starts_with('l');
  shape.count_bytes = counts_in_64_bits ? 8 : 4;
  return shape;
}

}  // namespace strata::dry_gpu
