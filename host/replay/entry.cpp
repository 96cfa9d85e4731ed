// SPDX-License-Identifier: Apache-2.0
#include "host/replay/entry.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <c10/util/Exception.h>

#include "host/replay/allocator.hpp"

namespace strata::replay {
namespace {

// Repeats the calls of a recording.

class Replayer {
 public:
  // Throws like Allocator.
  explicit Replayer(const Request& request);

  Result run();

 private:
  struct Block {
    void* place = nullptr;
    std::uint64_t bytes = 0;  // of the whole block
  };

  void make(std::size_t index);
  void allocate(std::size_t index);
  void* ask(const analysis::AllocatorCall& call);
  void* allocate_or_wait(const analysis::AllocatorCall& call);
  void try_again(const analysis::AllocatorCall& call, std::size_t index);
  void fail(std::size_t index);
  void free(const analysis::AllocatorCall& call);
  void free_later(const analysis::AllocatorCall& call);
  void free_now(std::uint64_t address);
  void find_out(std::size_t index);
  template <typename Body>
  bool holds_in_a_copy(const Body& body);
  void note(std::size_t index);
  void look(std::uint64_t sequence);

  const Request& request_;
  Allocator allocator_;
  Result result_;
  std::unordered_map<std::uint64_t, Block> live_, waiting_;  // by recorded address
  std::uint64_t waiting_bytes_ = 0;
  std::size_t changes_ = 0;  // of the settings that were made
  bool looked_ = false, over_ = false;
  bool empties_ = false;  // before the next request
  std::uint64_t other_retries_ = 0;
};

using analysis::AllocatorCall;
using Kind = analysis::AllocatorCallKind;

// What a copy of this process ends with.
constexpr int kHolds = 10, kDoesNot = 11, kUndecided = 12;

Replayer::Replayer(const Request& request) : request_(request), allocator_(request.settings) {
  std::set<std::uint64_t> streams;
  for (const AllocatorCall& call : request.calls) streams.insert(call.stream);
  allocator_.make_streams(streams);
}

Result Replayer::run() {
  result_.after.reserve(std::min(request_.calls.size(), request_.end));
  for (std::size_t index = 0; index < request_.calls.size() && !over_; ++index) {
    make(index);
    note(index);
    if (index == request_.end) break;
  }
  if (!looked_ && !result_.after.empty()) look(request_.calls[result_.after.size() - 1].sequence);
  allocator_.add_to(result_.outcome.numbers);
  result_.outcome.numbers.retries += other_retries_;
  return std::move(result_);
}

void Replayer::make(std::size_t index) {
  const AllocatorCall& call = request_.calls[index];
  for (; changes_ < request_.changes.size() && request_.changes[changes_].sequence <= call.sequence;
       ++changes_)
    allocator_.change_settings(request_.changes[changes_].settings);
  switch (call.kind) {
    case Kind::kAllocate:
      return allocate(index);
    case Kind::kFree:
      return free(call);
    case Kind::kFreeLater:
      return free_later(call);
    case Kind::kFreeNow:
      return free_now(call.address);
    case Kind::kReleasePool:
      return allocator_.release_pool(call.pool);
    case Kind::kEmptyCache:
      return allocator_.empty_cache();
    case Kind::kMaybeEmpty:
      return find_out(index);
    case Kind::kRunOutAgain:
      return try_again(call, index);
  }
}

void Replayer::allocate(std::size_t index) {
  const AllocatorCall& call = request_.calls[index];
  if (live_.contains(call.address)) free(call);  // its free is missing in the recording
  const std::uint64_t before = allocator_.counts().allocated_bytes;
  void* const place = ask(call);
  if (place == nullptr) return fail(index);
  ++result_.outcome.numbers.allocations;
  live_.insert_or_assign(call.address, Block{place, allocator_.counts().allocated_bytes - before});
}

void* Replayer::ask(const AllocatorCall& call) {
  if (std::exchange(empties_, false)) allocator_.empty_cache();
  return allocate_or_wait(call);
}

// nullptr: out of memory, also once every stream is done with what was freed. For a private pool torch waits
// for none.
void* Replayer::allocate_or_wait(const AllocatorCall& call) {
  try {
    return allocator_.allocate(call.bytes, call.stream, call.pool);
  } catch (const c10::OutOfMemoryError&) {
    if (waiting_.empty() || call.pool != 0) return nullptr;
  }
  for (const auto& [address, block] : std::exchange(waiting_, {})) allocator_.free(block.place);
  waiting_bytes_ = 0;
  allocator_.empty_cache();  // as torch does before it tries for the last time
  try {
    return allocator_.allocate(call.bytes, call.stream, call.pool);
  } catch (const c10::OutOfMemoryError&) {
    return nullptr;
  }
}

// The program continued without this block, if at all. If the request succeeds here, so does the replay.
void Replayer::try_again(const AllocatorCall& call, std::size_t index) {
  void* const place = ask(call);
  if (place == nullptr) return fail(index);
  allocator_.free(place);
}

void Replayer::fail(std::size_t index) {
  Outcome& outcome = result_.outcome;
  ++outcome.numbers.out_of_memory;
  outcome.numbers.out_of_memory_bytes += request_.calls[index].bytes;
  if (outcome.failed_call == kNoCall) {
    outcome.failed_call = index;
    outcome.device_free_bytes = allocator_.device_free_bytes();
    look(request_.calls[index].sequence);
  }
  // The recorded program lived without it where it had none either.
  over_ = !request_.goes_on && request_.calls[index].kind != Kind::kRunOutAgain;
}

void Replayer::free(const AllocatorCall& call) {
  const auto block = live_.find(call.address);
  if (block == live_.end()) return;
  allocator_.free(block->second.place);
  live_.erase(block);
}

void Replayer::free_later(const AllocatorCall& call) {
  const auto block = live_.find(call.address);
  if (block == live_.end()) return;
  free_now(call.address);  // an earlier one, whose end is missing
  waiting_bytes_ += block->second.bytes;
  waiting_.insert_or_assign(call.address, block->second);
  live_.erase(block);
}

void Replayer::free_now(std::uint64_t address) {
  const auto block = waiting_.find(address);
  if (block == waiting_.end()) return;
  allocator_.free(block->second.place);
  waiting_bytes_ -= block->second.bytes;
  waiting_.erase(block);
}

// Who gave segments back before the next request: it did, by itself; it did, with what other streams were
// done with only once it waited for them; or the program had. What comes of the last two is the same.
void Replayer::find_out(std::size_t index) {
  const std::uint64_t bytes = request_.calls[index].bytes;
  std::size_t next = index + 1;
  while (request_.calls[next].kind == Kind::kFreeNow) ++next;
  const AllocatorCall& asked = request_.calls[next];
  const bool by_itself = holds_in_a_copy([&] {
    for (std::size_t free = index + 1; free < next; ++free) free_now(request_.calls[free].address);
    const std::uint64_t before = allocator_.counts().released_bytes;
    const bool is_had = allocate_or_wait(asked) != nullptr;
    return is_had == (asked.kind == Kind::kAllocate) && allocator_.counts().released_bytes - before == bytes;
  });
  if (by_itself) return;
  empties_ = true;
  const bool waited = next > index + 1 && holds_in_a_copy([&] {
                        const std::uint64_t before = allocator_.counts().retries;
                        return allocate_or_wait(asked) == nullptr || allocator_.counts().retries > before;
                      });
  if (waited) {
    ++other_retries_;
  } else {
    result_.emptied.push_back(next);
  }
}

// What `body` says in a copy of this process, for there is no way back from what it does.
template <typename Body>
bool Replayer::holds_in_a_copy(const Body& body) {
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot try an allocation in a copy");
  if (pid == 0) {
    try {
      _exit(body() ? kHolds : kDoesNot);
    } catch (...) {
      _exit(kUndecided);
    }
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) == kUndecided)
    throw std::runtime_error("an allocation cannot be tried in a copy of the process");
  return WEXITSTATUS(status) == kHolds;
}

void Replayer::note(std::size_t index) {
  const Counts counts = allocator_.counts();
  analysis::ReplayNumbers& numbers = result_.outcome.numbers;
  const std::uint64_t allocated = counts.allocated_bytes - waiting_bytes_;
  numbers.peak_allocated_bytes = std::max(numbers.peak_allocated_bytes, allocated);
  numbers.most_unused_bytes = std::max(numbers.most_unused_bytes, counts.reserved_bytes - allocated);
  if (result_.after.empty() || counts.reserved_bytes > numbers.peak_reserved_bytes) {
    numbers.peak_reserved_bytes = counts.reserved_bytes;
    result_.outcome.peak_reserved_call = index;
  }
  result_.after.push_back({allocated, counts.reserved_bytes});
}

void Replayer::look(std::uint64_t sequence) {
  looked_ = true;
  result_.outcome.state = allocator_.state();
  result_.outcome.state.sequence = sequence;
  result_.outcome.state.allocated_bytes -= waiting_bytes_;
}

std::string first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  return std::string(text.substr(0, text.find('\n')));
}

Result refused(std::string problem) {
  Result result;
  result.problem = std::move(problem);
  return result;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) Result strata_replay_calls(const Request& request) {
  try {
    return Replayer(request).run();
  } catch (const c10::Error& error) {
    return refused(first_line(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    return refused(first_line(error.what()));
  }
}

}  // namespace strata::replay
