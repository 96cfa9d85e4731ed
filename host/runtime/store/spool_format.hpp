// SPDX-License-Identifier: Apache-2.0
// The layout of a spool file: one thread's rows on their way into the run store.
//
//   [SpoolHeader, padded to kSpoolRingOffset][ring of `capacity_bytes`]
//
// The ring contains records, each a RecordHeader and its payload, padded to 8 bytes. Positions count the
// bytes ever written and never wrap; a byte's offset is its position modulo the capacity, a power of two. A
// record never crosses the end of the ring: if the rest is too short, it is filled with padding. `written`
// moves past a record only once the record is complete, so a reader of a killed process's file sees only
// complete records.
//
// A spool lives as long as one process and is read by the version of Strata that wrote it, or a later one. It
// is not an interface for other programs (docs/run-store.md is).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "host/runtime/store/table.hpp"

namespace strata {

inline constexpr std::uint64_t kSpoolMagic = 0x4c4f4f5053525453;  // "STRSPOOL" in a little-endian file
inline constexpr std::uint32_t kSpoolVersion = 1;
inline constexpr std::uint32_t kSpoolByteOrder = 0x01020304;

inline constexpr std::uint64_t kMinimumSpoolBytes = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kMaximumSpoolBytes = std::uint64_t{1} << 30;

// Consecutive rows of one table that one thread could not append, not yet recorded in the run store.
struct Gap {
  std::uint32_t table = 0;  // handle
  std::uint32_t thread = 0;
  std::uint64_t rows = 0;
  std::int64_t begin_ns = 0;  // of the first and last row; identify the gap with table and thread
  std::int64_t end_ns = 0;
};

struct SpoolHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t capacity_bytes;
  std::uint32_t thread;  // of the owner or the last owner
  std::uint32_t reserved;
  // Each on its own cache line: one belongs to the producer, one to the consumer.
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> released;
  // Open gaps by table handle, in the file so that they survive the process; [0] is unused.
  alignas(64) Gap gaps[kMaximumTables + 1];
};

inline constexpr std::size_t kSpoolRingOffset = 12288;
static_assert(sizeof(SpoolHeader) <= kSpoolRingOffset && kSpoolRingOffset % 4096 == 0);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct RecordHeader {
  std::uint32_t table;  // a handle, or one of the two below
  std::uint32_t bytes;  // of the payload, without its padding
};

inline constexpr std::uint32_t kPaddingRecord = 0;
inline constexpr std::uint32_t kGapRecord = UINT32_MAX;  // the payload is a Gap

constexpr std::uint64_t record_bytes(std::uint32_t payload_bytes) noexcept {
  return (sizeof(RecordHeader) + std::uint64_t{payload_bytes} + 7) & ~std::uint64_t{7};
}

}  // namespace strata
