// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/nccl/contents.hpp"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace strata::dry_gpu {
namespace {

using Bytes = std::vector<std::byte>;

// The contents of larger transfers are not tracked.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 10;

// Nothing: not all of it is known.
std::optional<Bytes> known(Machine& machine, const void* buffer, std::uint64_t bytes) {
  const auto address = address_of(buffer);
  if (bytes == 0 || bytes > kMostBytes || !machine.contents().is_known(address, bytes)) return std::nullopt;
  Bytes read(bytes);
  if (machine.contents().read(address, read) != 0) return std::nullopt;
  return read;
}

// Whether nothing is rounded when that many of one number are added, in whatever order: its significant bits
// leave room for those of their number.
template <typename Number>
bool adds_exactly(Number number, int ranks) {
  if (number == 0) return true;
  if (!std::isfinite(number * static_cast<Number>(ranks))) return false;
  constexpr int kDigits = std::numeric_limits<Number>::digits;
  int exponent = 0;
  const auto digits =
      static_cast<std::uint64_t>(std::ldexp(std::abs(std::frexp(number, &exponent)), kDigits));
  return (digits >> std::countr_zero(digits)) <=
         (std::uint64_t{1} << kDigits) / static_cast<std::uint64_t>(ranks);
}

// The result of a reduction of equal values on each rank. Empty if it depends on NCCL's order of ranks, or is
// not documented.
template <std::floating_point Number>
std::optional<Number> over_equal_ranks(Number number, int operation, int ranks) {
  const auto count = static_cast<Number>(ranks);
  if (operation == ncclSum && adds_exactly(number, ranks)) return number * count;
  if (operation != ncclAvg) return std::nullopt;
  // A sum of the ranks' shares, which are rounded too.
  const Number share = number / count;
  const bool is_exact = std::has_single_bit(static_cast<unsigned>(ranks)) && share * count == number;
  return number == 0 || (is_exact && adds_exactly(share, ranks)) ? std::optional(number) : std::nullopt;
}

template <std::integral Number>
std::optional<Number> over_equal_ranks(Number number, int operation, int ranks) {
  Number sum{};
  const bool has_wrapped = __builtin_mul_overflow(number, ranks, &sum);
  if (operation == ncclSum) return sum;
  if (operation == ncclAvg) return has_wrapped ? std::nullopt : std::optional(number);
  if (operation != ncclProd) return std::nullopt;
  Number product = number;
  for (int rank = 1; rank < ranks; ++rank) __builtin_mul_overflow(product, number, &product);
  return product;
}

template <typename Number>
std::optional<Bytes> each_over_equal_ranks(Bytes bytes, const Movement& movement) {
  for (std::size_t offset = 0; offset < bytes.size(); offset += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + offset, sizeof number);
    const std::optional<Number> result = over_equal_ranks(number, movement.operation, *movement.size);
    if (!result) return std::nullopt;
    std::memcpy(bytes.data() + offset, &*result, sizeof *result);
  }
  return bytes;
}

std::optional<Bytes> reduced(const std::optional<Bytes>& bytes, const Movement& movement) {
  const bool is_copied = *movement.size == 1 && movement.operation < ncclNumOps;  // with a single rank
  if (!bytes || is_copied || movement.operation == ncclMax || movement.operation == ncclMin) return bytes;
  const auto as = [&]<typename Number>(Number) { return each_over_equal_ranks<Number>(*bytes, movement); };
  switch (movement.type) {
    case ncclInt8:
      return as(std::int8_t{});
    case ncclUint8:
      return as(std::uint8_t{});
    case ncclInt32:
      return as(std::int32_t{});
    case ncclUint32:
      return as(std::uint32_t{});
    case ncclInt64:
      return as(std::int64_t{});
    case ncclUint64:
      return as(std::uint64_t{});
    case ncclFloat32:
      return as(float{});
    case ncclFloat64:
      return as(double{});
    default:
      return std::nullopt;
  }
}

// The part of one rank, of which `bytes` holds all.
std::optional<Bytes> own_part(const std::optional<Bytes>& bytes, const Movement& movement) {
  if (!bytes) return std::nullopt;
  const std::size_t part = bytes->size() / static_cast<std::size_t>(*movement.size);
  const auto first = bytes->begin() + movement.rank * static_cast<std::ptrdiff_t>(part);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(part));
}

std::optional<Bytes> of_each_rank(const std::optional<Bytes>& part, const Movement& movement) {
  if (!part || movement.receive_bytes > kMostBytes) return std::nullopt;
  Bytes all;
  for (int rank = 0; rank < *movement.size; ++rank) all.insert(all.end(), part->begin(), part->end());
  return all;
}

std::optional<Bytes> received(Machine& machine, const Movement& movement) {
  if (!movement.size || movement.receive_bytes == 0) return std::nullopt;
  std::optional<Bytes> sent = known(machine, movement.send, movement.send_bytes);
  switch (movement.kind) {
    case TransferKind::kBroadcast:
      // From another rank: it is assumed to have the same values, as when ranks compare sizes and orders with
      // rank 0.
      return movement.send_bytes == 0 ? known(machine, movement.receive, movement.receive_bytes) : sent;
    case TransferKind::kReceive:
      return sent;
    case TransferKind::kAllReduce:
    case TransferKind::kReduce:
      return reduced(sent, movement);
    case TransferKind::kReduceScatter:
      return reduced(own_part(sent, movement), movement);
    case TransferKind::kAllGather:
    case TransferKind::kGather:
      return of_each_rank(sent, movement);
    case TransferKind::kAllToAll:
      return of_each_rank(own_part(sent, movement), movement);
    case TransferKind::kScatter:
      return own_part(sent, movement);
    case TransferKind::kSend:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

// A library call makes values unknown: sent data is read before it, and received data stored after it.
void carry_out(Machine& machine, std::span<const Movement> movements) {
  std::vector<std::optional<Bytes>> contents;
  for (const Movement& movement : movements) contents.push_back(received(machine, movement));
  machine.contents().follow_calls(movements.size());
  machine.counts().library_calls.add(movements.size());
  for (std::size_t index = 0; index < movements.size(); ++index) {
    const auto address = address_of(movements[index].receive);
    if (!machine.is_device_address(address)) continue;
    if (contents[index]) {
      machine.contents().keep(address, *contents[index]);
    } else {
      machine.contents().forget(address, movements[index].receive_bytes);
    }
  }
}

}  // namespace strata::dry_gpu
