// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/unknown_reads.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "dry_gpu/device/account/readers.hpp"
#include "dry_gpu/device/thread_state.hpp"

namespace strata::dry_gpu {
namespace {

void count(Machine& machine, const std::string& reader, std::uint64_t bytes) {
  machine.counts().unknown_reads.add();
  machine.counts().unknown_bytes.add(bytes);
  account_unknown_read(reader, bytes);
}

}  // namespace

void read_unknown(Machine& machine, std::span<std::byte> target) {
  const std::string reader = reader_of_call();
  if (const auto value = machine.answers().next(reader, target.size())) {
    std::ranges::copy(*value, target.begin());
    machine.counts().answered_reads.add();
    account_answered_read(reader);
    return;
  }
  auto& expected = this_thread().expected_count;
  if (expected && (target.size() == sizeof(std::uint32_t) || target.size() == sizeof(std::uint64_t))) {
    std::memcpy(target.data(), &*expected, target.size());  // the low bytes come first
    expected.reset();
    machine.counts().assumed_reads.add();
    return;
  }
  if (target.size() == sizeof(bool) && this_thread().conditions.is_answer_yes()) {
    target.front() = std::byte{1};
    machine.counts().assumed_reads.add();
    return;
  }
  std::ranges::fill(target, std::byte{0});
  count(machine, reader, target.size());
}

void count_unknown_read(Machine& machine, std::uint64_t bytes) {
  count(machine, reader_of_call(), bytes);
}

}  // namespace strata::dry_gpu
