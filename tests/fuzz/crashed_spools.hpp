// SPDX-License-Identifier: Apache-2.0
// The remains of a killed process, as the target crashed_spools reads them from an input and write_seeds
// creates one.
//
//   the store before: empty; from kTriggers on, with a trigger on each of its tables; from kView on,
//   also with a view for one of them (encoded in the same byte as the count of patches)
//   patches: count (1 byte), each an offset in the spool's header (2 bytes) and its new value (8 bytes)
//   definitions: their number of bytes (2 bytes), then the definitions
//   rows: the rest, which is the spool's ring
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>

#include "host/runtime/store/spool_format.hpp"

namespace strata::fuzz {

inline constexpr std::size_t kMostPatches = 4;
inline constexpr std::uint8_t kTriggers = 128, kView = 192;

// A spool's file, whose header fits its ring except for the patches.
inline std::string spool_of(std::span<const std::uint8_t> patches, std::span<const std::uint8_t> rows) {
  std::string file(kSpoolRingOffset + kMinimumSpoolBytes, '\0');
  SpoolHeader header{};
  header.magic = kSpoolMagic;
  header.version = kSpoolVersion;
  header.byte_order = kSpoolByteOrder;
  header.capacity_bytes = kMinimumSpoolBytes;
  header.thread = 7;
  const std::size_t bytes = std::min<std::size_t>(rows.size(), kMinimumSpoolBytes);
  header.written = bytes;
  std::memcpy(file.data(), static_cast<const void*>(&header), sizeof header);
  for (; patches.size() >= 10; patches = patches.subspan(10)) {
    const std::size_t offset = (patches[0] + 256u * patches[1]) % (sizeof header - 8);
    std::memcpy(file.data() + offset, patches.data() + 2, 8);
  }
  // Repeated, so that a patch of `written` reads up to the ring's end.
  for (std::size_t at = 0; bytes > 0 && at < kMinimumSpoolBytes; at += bytes)
    std::memcpy(file.data() + kSpoolRingOffset + at, rows.data(),
                std::min<std::size_t>(bytes, kMinimumSpoolBytes - at));
  return file;
}

}  // namespace strata::fuzz
