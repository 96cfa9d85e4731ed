// SPDX-License-Identifier: Apache-2.0
// Buffers of random bytes, kinds and lengths: whatever a library returns, nothing is read beyond the
// buffer.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <random>

#include "tests/sources_cupti/hand_made_buffer.hpp"

namespace strata::cupti {
namespace {

// Steps at random; sometimes outside the buffer, back, or not at all.
class WildStep {
 public:
  explicit WildStep(std::mt19937_64& random) : random_(random) {}

  CUptiResult operator()(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
    auto* const last = static_cast<std::uint8_t*>(static_cast<void*>(*record));
    const std::size_t begin =
        last == nullptr ? 0 : static_cast<std::size_t>(last - buffer) + 8 * (random_() % 40);
    if (random_() % 200 == 0) return CUPTI_ERROR_INVALID_KIND;
    if (random_() % 200 == 0) return CUPTI_SUCCESS;  // the same record again, or none
    if (random_() % 200 == 0) {
      *record = static_cast<CUpti_Activity*>(static_cast<void*>(buffer + bytes + 64));
      return CUPTI_SUCCESS;
    }
    if (begin >= bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = static_cast<CUpti_Activity*>(static_cast<void*>(buffer + begin));
    return CUPTI_SUCCESS;
  }

 private:
  std::mt19937_64& random_;
};

// Pointers in records are CUPTI's own memory and must be valid.
void make_pointers_good(std::uint8_t* at, std::size_t left, CUpti_ActivityKind kind) {
  const auto put = [&](std::size_t offset, const void* pointer) {
    if (offset + sizeof pointer <= left) std::memcpy(at + offset, &pointer, sizeof pointer);
  };
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return put(offsetof(CUpti_ActivityKernel10, name), "kernel");
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return put(offsetof(CUpti_ActivityOverhead3, overheadData), nullptr);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return put(offsetof(CUpti_ActivityMemory4, name), nullptr);
    case CUPTI_ACTIVITY_KIND_JIT:
      return put(offsetof(CUpti_ActivityJit2, cachePath), nullptr);
    default:
      return;
  }
}

TEST(HostileBuffers, AreReadToTheirEndAtMost) {
  std::mt19937_64 random(20'130'001);
  DecodedLines told;
  WildStep step(random);
  std::uint64_t broken = 0, buffers = 0;
  RecordDecoder decoder(told.setup([&](std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
    const CUptiResult result = step(buffer, bytes, record);
    auto* const at = static_cast<std::uint8_t*>(static_cast<void*>(*record));
    if (result != CUPTI_SUCCESS || at < buffer || at + sizeof(CUpti_ActivityKind) > buffer + bytes)
      return result;
    const auto kind = static_cast<CUpti_ActivityKind>(random() % 56);
    // Enumerations of C have at most 31 bits; pointers written earlier satisfy this too.
    for (std::uint8_t* high = at + 3; high < buffer + bytes; high += 4) *high &= 0x7f;
    std::memcpy(at, &kind, sizeof kind);
    make_pointers_good(at, static_cast<std::size_t>(buffer + bytes - at), kind);
    return result;
  }));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (; buffers < 3000 && std::chrono::steady_clock::now() < deadline; ++buffers) {
    // Exactly as large as declared, so that a sanitizer detects a read beyond it.
    std::vector<std::uint64_t> bytes(1 + random() % 500);
    for (std::uint64_t& eight : bytes) eight = random() % 4 == 0 ? 0 : random();
    decoder.decode(
        {static_cast<std::uint8_t*>(static_cast<void*>(bytes.data())), 8 * bytes.size() - random() % 8});
    broken += decoder.take_counts().broken_buffers;
  }
  decoder.finish();
  EXPECT_GT(buffers, 100u);
  EXPECT_GT(broken, 0u);
  EXPECT_GT(told.lines().size(), 100u) << "some have times that may be";
}

}  // namespace
}  // namespace strata::cupti
