// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/spool_reader.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

namespace strata {
namespace {

template <typename T>
T read_object(const std::byte* bytes) {
  T object;
  std::memcpy(&object, bytes, sizeof object);
  return object;
}

template <typename T>
T read_field(std::span<const std::byte> header, std::size_t offset) {
  return read_object<T>(header.data() + offset);
}

void check_header(std::span<const std::byte> header, std::uint64_t file_bytes) {
  if (read_field<std::uint64_t>(header, offsetof(SpoolHeader, magic)) != kSpoolMagic) {
    throw SpoolError("not a spool: it does not begin with STRSPOOL");
  }
  if (read_field<std::uint32_t>(header, offsetof(SpoolHeader, byte_order)) != kSpoolByteOrder) {
    throw SpoolError(
        "written by a machine with the other byte order; recover the run on a machine like that");
  }
  const auto version = read_field<std::uint32_t>(header, offsetof(SpoolHeader, version));
  if (version != kSpoolVersion) {
    throw SpoolError(fmt::format(
        "spool version {}, but this Strata reads version {}; recover the run with the Strata that wrote it",
        version, kSpoolVersion));
  }
  const auto capacity = read_field<std::uint64_t>(header, offsetof(SpoolHeader, capacity_bytes));
  if (!std::has_single_bit(capacity) || capacity < kMinimumSpoolBytes || capacity > kMaximumSpoolBytes) {
    throw SpoolError(fmt::format("a ring of {} bytes is not possible", capacity));
  }
  if (file_bytes != kSpoolRingOffset + capacity) {
    throw SpoolError(fmt::format("wrong size: {} bytes, but a spool with a ring of {} bytes has {}",
                                 file_bytes, capacity, kSpoolRingOffset + capacity));
  }
}

std::vector<Gap> read_open_gaps(std::span<const std::byte> header) {
  std::vector<Gap> gaps;
  for (std::uint32_t table = 1; table <= kMaximumTables; ++table) {
    const auto gap = read_field<Gap>(header, offsetof(SpoolHeader, gaps) + table * sizeof(Gap));
    if (gap.rows == 0) continue;
    if (gap.table != table)
      throw SpoolError(fmt::format("the gap of table {} names table {}", table, gap.table));
    gaps.push_back(gap);
  }
  return gaps;
}

}  // namespace

SpoolReader::SpoolReader(std::span<const std::byte> ring, std::uint64_t from, std::uint64_t to)
    : ring_(ring), position_(from), end_(to) {
  if (from % 8 != 0 || to % 8 != 0 || to < from || to - from > ring.size()) {
    throw SpoolError(fmt::format("positions {} to {} do not fit a ring of {} bytes", from, to, ring.size()));
  }
}

void SpoolReader::throw_too_long(std::uint64_t bytes, std::uint64_t available) const {
  throw SpoolError(fmt::format("the record at position {} has {} bytes, but only {} are left", position_,
                               bytes, available));
}

void SpoolReader::throw_loose_padding() const {
  throw SpoolError(fmt::format("padding at position {} does not reach the ring's end", position_));
}

SpoolFile read_spool_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(file, error);
  if (error) throw SpoolError(fmt::format("cannot be read: {}", error.message()));
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::byte> header(kSpoolRingOffset);
  const auto read_all = [&stream](std::vector<std::byte>& bytes) {
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!stream) throw SpoolError("truncated: the file ends before the ring does, or cannot be read");
  };
  read_all(header);
  check_header(header, file_bytes);

  SpoolFile spool;
  spool.written = read_field<std::uint64_t>(header, offsetof(SpoolHeader, written));
  spool.open_gaps = read_open_gaps(header);
  spool.ring.resize(file_bytes - kSpoolRingOffset);
  read_all(spool.ring);
  return spool;
}

}  // namespace strata
