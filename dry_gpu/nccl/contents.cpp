#include "dry_gpu/nccl/contents.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace strata::dry_gpu {
namespace {

using Bytes = std::vector<std::byte>;

// Of more than this, contents are not looked at.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 10;

// Nothing: not all of it is known.
std::optional<Bytes> known(Machine& machine, const void* buffer, std::uint64_t bytes) {
  const auto address = reinterpret_cast<Address>(buffer);
  if (bytes == 0 || bytes > kMostBytes || !machine.contents().is_known(address, bytes)) return std::nullopt;
  Bytes read(bytes);
  if (machine.contents().read(address, read) != 0) return std::nullopt;
  return read;
}

template <typename Number>
Bytes over_equal_ranks(Bytes bytes, ncclRedOp_t operation, int ranks) {
  // Integers wrap round.
  using Unsigned = typename std::conditional_t<std::is_integral_v<Number>, std::make_unsigned<Number>,
                                               std::type_identity<Number>>::type;
  for (std::size_t offset = 0; offset < bytes.size(); offset += sizeof(Number)) {
    Unsigned number;
    std::memcpy(&number, bytes.data() + offset, sizeof number);
    Unsigned result = number;
    for (int rank = 1; rank < ranks; ++rank)
      result = static_cast<Unsigned>(operation == ncclSum ? result + number : result * number);
    std::memcpy(bytes.data() + offset, &result, sizeof result);
  }
  return bytes;
}

std::optional<Bytes> reduced(std::optional<Bytes> bytes, const Movement& movement) {
  const int operation = movement.operation;
  if (!bytes || operation == ncclMax || operation == ncclMin || operation == ncclAvg) return bytes;
  if (operation != ncclSum && operation != ncclProd) return std::nullopt;
  const auto as = [&]<typename Number>(Number) {
    return over_equal_ranks<Number>(std::move(*bytes), movement.operation, *movement.size);
  };
  switch (movement.type) {
    case ncclInt8:
    case ncclUint8:
      return as(std::uint8_t{});
    case ncclInt32:
    case ncclUint32:
      return as(std::uint32_t{});
    case ncclInt64:
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
  const std::optional<Bytes> sent = known(machine, movement.send, movement.send_bytes);
  switch (movement.kind) {
    case TransferKind::kBroadcast:
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

// A library's call makes everything unknown: what is sent is read before it, and what is received kept after.
void carry_out(Machine& machine, std::span<const Movement> movements) {
  std::vector<std::optional<Bytes>> contents;
  for (const Movement& movement : movements) contents.push_back(received(machine, movement));
  machine.counts().library_calls.add(movements.size());
  for (std::size_t index = 0; index < movements.size(); ++index) {
    const auto address = reinterpret_cast<Address>(movements[index].receive);
    if (contents[index] && machine.is_device_address(address))
      machine.contents().keep(address, *contents[index]);
  }
}

}  // namespace strata::dry_gpu
