// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/kernel_effect.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "dry_gpu/device/kernels/builtin_types.hpp"
#include "dry_gpu/device/kernels/foreach_list.hpp"
#include "dry_gpu/device/kernels/stacked_arguments.hpp"
#include "dry_gpu/device/memory/value_at.hpp"

namespace strata::dry_gpu {
namespace {

using Kind = Computation::Kind;

// Results are for small tensors.
constexpr std::int64_t kMostElements = 128;

std::uint32_t bytes_of_any(std::string_view type) {
  if (type.starts_with("N3c104HalfE") || type.starts_with("N3c108BFloat16E")) return 2;
  return type.empty() ? 0 : builtin_bytes(type.front());
}

Computation computation(Kind kind, char type, const std::byte* number) {
  Computation made{.kind = kind, .type = type, .element_bytes = number_bytes(type), .number = {}};
  std::memcpy(made.number.data(), number, made.element_bytes);
  return made;
}

bool takes(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Of ATen's functors for elementwise kernels, `functor` in mangled form, at `argument`.
std::optional<Computation> elementwise_computation(std::string_view functor, const std::byte* argument) {
  if (takes(functor, "NS0_11FillFunctorI")) {
    const std::uint32_t bytes = bytes_of_any(functor);
    if (bytes == 0) return std::nullopt;
    Computation fill{.kind = Kind::kFill, .type = '\0', .element_bytes = bytes, .number = {}};
    std::memcpy(fill.number.data(), argument, bytes);
    return fill;
  }
  if (takes(functor, "NS0_21CUDAFunctorOnSelf_addI")) {  // the number, and what it is multiplied by
    const std::uint32_t bytes = functor.empty() ? 0 : number_bytes(functor.front());
    if (bytes == 0) return std::nullopt;
    Computation add = computation(Kind::kAdd, functor.front(), argument);
    const Computation scale = computation(Kind::kMultiply, functor.front(), argument + bytes);
    const auto scaled = compute(scale, std::span(add.number).first(bytes), 1);
    std::copy_n(scaled->begin(), bytes, add.number.begin());
    return add;
  }
  const bool is_unary = takes(functor, "NS0_13AUnaryFunctorI") || takes(functor, "NS0_13BUnaryFunctorI");
  if (!is_unary || functor.size() < 3 || functor[0] != functor[1] || number_bytes(functor[0]) == 0)
    return std::nullopt;
  const char type = functor[0], result = functor[2];
  const auto has = [&](std::string_view name) { return functor.find(name) != std::string_view::npos; };
  // Behind an empty functor, or one with an enumeration.
  if (result == type && functor.substr(3).starts_with("NS0_15binary_internal10MulFunctorI"))
    return computation(Kind::kMultiply, type, argument + number_bytes(type));
  if (result == 'b' && has("16CompareEqFunctorI")) {
    const Kind kind = value_at<std::int32_t>(argument) == 0 ? Kind::kEqual : Kind::kUnequal;
    return computation(kind, type, argument + std::max<std::uint32_t>(4, number_bytes(type)));
  }
  return std::nullopt;
}

void add_result(KernelEffect& effect, Address target, Address source, std::int64_t elements) {
  if (!effect.computation || elements < 1 || elements > kMostElements) return;
  const auto count = static_cast<std::uint32_t>(elements);
  const bool fills = effect.computation->kind == Kind::kFill;
  effect.results.push_back({target, source, count, fills ? 0 : count * effect.computation->element_bytes});
}

// Kernels over tensors whose elements lie in order: elements, functor, addresses, the written one first.
// Null: it is none.
std::shared_ptr<KernelEffect> elementwise_effect(std::string_view mangled, void** arguments) {
  std::string_view functor = mangled;
  if (takes(functor, "_ZN2at6native29vectorized_elementwise_kernelILi")) {
    functor.remove_prefix(std::min(functor.find('E') + 1, functor.size()));
  } else if (!takes(functor, "_ZN2at6native27unrolled_elementwise_kernelI")) {
    return nullptr;
  }
  constexpr std::string_view kAddresses = "St5arrayIPcLm";
  const std::size_t place = mangled.rfind(kAddresses);
  if (place == std::string_view::npos) return nullptr;
  const int tensors = mangled[place + kAddresses.size()] - '0';
  auto effect = std::make_shared<KernelEffect>();
  const auto* const addresses = static_cast<const std::byte*>(arguments[2]);
  const auto target = value_at<Address>(addresses);
  effect->written.push_back(target);
  const bool converts = mangled.find("LoadWithCast") != std::string_view::npos;
  if (tensors <= 2 && !converts)
    effect->computation = elementwise_computation(functor, static_cast<const std::byte*>(arguments[1]));
  const auto source = tensors == 2 ? value_at<Address>(addresses, sizeof(Address)) : Address{0};
  const bool fills = effect->computation && effect->computation->kind == Kind::kFill;
  if (fills == (tensors == 1)) add_result(*effect, target, source, value_at<std::int32_t>(arguments[0]));
  return effect;
}

// Of BinaryOpScalarFunctor, whose arguments are the list, itself, the operation and the number.
std::optional<Computation> foreach_computation(std::string_view mangled, void** arguments) {
  constexpr std::array<std::pair<std::string_view, Kind>, 4> kOperations = {
      {{"St4plusI", Kind::kAdd},
       {"St5minusI", Kind::kSubtract},
       {"St10multipliesI", Kind::kMultiply},
       {"St7dividesI", Kind::kDivide}}};
  constexpr std::string_view kFunctor = "21BinaryOpScalarFunctorI";
  const std::size_t functor = mangled.find(kFunctor);
  if (functor == std::string_view::npos) return std::nullopt;
  const char type = mangled[functor + kFunctor.size()];
  if (number_bytes(type) == 0) return std::nullopt;
  for (const auto& [name, kind] : kOperations) {
    const std::size_t operation = mangled.find(name, functor);
    if (operation == std::string_view::npos || mangled[operation + name.size()] != type) continue;
    return computation(kind, type, static_cast<const std::byte*>(arguments[3]));
  }
  return std::nullopt;
}

// Kernels over lists of tensors. Null: it is none, or its list is not known.
std::shared_ptr<KernelEffect> foreach_effect(std::string_view mangled, std::uint32_t blocks, void** arguments,
                                             const AddressSpace& space) {
  constexpr std::string_view kKernel = "25multi_tensor_apply_kernelI";
  const std::size_t place = mangled.find(kKernel);
  if (place == std::string_view::npos) return nullptr;
  const auto list = foreach_list(mangled.substr(place), static_cast<const std::byte*>(arguments[0]), blocks);
  if (!list) return nullptr;
  auto effect = std::make_shared<KernelEffect>();
  for (const ForeachTensor& tensor : list->tensors)
    effect->written.insert(effect->written.end(), tensor.addresses.begin(), tensor.addresses.end());
  effect->computation = foreach_computation(mangled.substr(place), arguments);
  for (const ForeachTensor& tensor : list->tensors)
    add_result(*effect, tensor.addresses.back(), tensor.addresses.front(), tensor.elements);
  // The arguments behind the list may be addresses, too.
  if (auto others = addresses_in(arguments + 1, space))
    effect->written.insert(effect->written.end(), others->near.begin(), others->near.end());
  return effect;
}

}  // namespace

std::shared_ptr<const KernelEffect> kernel_effect(std::string_view mangled, std::uint32_t blocks,
                                                  void** arguments, const AddressSpace& space) {
  if (arguments == nullptr) return nullptr;
  if (auto effect = elementwise_effect(mangled, arguments)) return effect;
  if (auto effect = foreach_effect(mangled, blocks, arguments, space)) return effect;
  auto addresses = addresses_in(arguments, space);
  if (!addresses) return nullptr;
  auto effect = std::make_shared<KernelEffect>();
  effect->written = std::move(addresses->near);
  effect->perhaps_written = std::move(addresses->far);
  return effect;
}

}  // namespace strata::dry_gpu
