// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/unwind_table.hpp"

namespace strata::allocator_tracer {
namespace {

std::size_t pointer_bytes(unsigned char encoding) {
  switch (encoding & 0x07) {
    case 0x02:
      return 2;
    case 0x03:
      return 4;
    default:
      return 8;
  }
}

}  // namespace

CommonEntry read_common_entry(const unsigned char* entry) {
  CommonEntry common;
  Bytes bytes(entry, entry + 8);
  const auto length = bytes.number<std::uint32_t>();
  const unsigned char* const end = entry + 4 + length;
  bytes = Bytes(entry + 8, end);
  const auto version = bytes.number<unsigned char>();
  const auto* const augmentation = reinterpret_cast<const char*>(bytes.next());
  bytes.skip(std::strlen(augmentation) + 1);
  common.code_alignment = bytes.unsigned_leb();
  common.data_alignment = bytes.signed_leb();
  const std::uint64_t return_address = version == 1 ? bytes.number<unsigned char>() : bytes.unsigned_leb();
  if (length == UINT32_MAX || return_address != kReturnAddress) return common;
  common.is_known = true;
  common.has_augmentation = augmentation[0] == 'z';
  if (common.has_augmentation) {
    const std::uint64_t data_bytes = bytes.unsigned_leb();
    Bytes data(bytes.next(), bytes.next() + data_bytes);
    bytes.skip(data_bytes);
    for (const char* letter = augmentation + 1; *letter != '\0' && common.is_known; ++letter) {
      if (*letter == 'R') {
        common.pointer_bytes = pointer_bytes(data.number<unsigned char>());
      } else if (*letter == 'P') {
        const auto encoding = data.number<unsigned char>();
        common.is_known = encoding != 0x50;  // aligned
        data.skip(pointer_bytes(encoding));
      } else if (*letter == 'L') {
        data.skip(1);
      } else {
        common.is_known = false;  // 'S', a signal's frame, saves every register
      }
    }
  } else {
    common.is_known = augmentation[0] == '\0';
  }
  common.instructions = Bytes(bytes.next(), end);
  return common;
}

}  // namespace strata::allocator_tracer
