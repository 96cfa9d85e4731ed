// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/ops/op_range.hpp"

#include <array>
#include <new>

namespace strata::torch_source {
namespace {

// Operators nest a few deep; a thread that once nested deeper gives the rest back.
constexpr std::size_t kKept = 32;

class KeptMemory {
 public:
  KeptMemory() = default;
  ~KeptMemory() {
    while (count_ != 0) ::operator delete(blocks_[--count_]);
    closed_ = true;
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  void* take() noexcept { return count_ == 0 ? nullptr : blocks_[--count_]; }
  bool keep(void* memory) noexcept {
    if (closed_ || count_ == kKept) return false;
    blocks_[count_++] = memory;
    return true;
  }

 private:
  std::array<void*, kKept> blocks_{};
  std::size_t count_ = 0;
  bool closed_ = false;  // a record may end in a destructor that runs at the thread's end, after this one
};

thread_local KeptMemory kept;

}  // namespace

std::unique_ptr<OpRange> OpRange::make() noexcept {
  return std::unique_ptr<OpRange>(new (std::nothrow) OpRange());
}

void* OpRange::operator new(std::size_t bytes, const std::nothrow_t& nothrow) noexcept {
  void* const memory = kept.take();
  return memory != nullptr ? memory : ::operator new(bytes, nothrow);
}

void OpRange::operator delete(void* memory) noexcept {
  if (!kept.keep(memory)) ::operator delete(memory);
}

void OpRange::operator delete(void* memory, const std::nothrow_t&) noexcept {
  operator delete(memory);
}

}  // namespace strata::torch_source
