// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/spool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include "host/runtime/private_file.hpp"

namespace strata {
namespace {

// Names the folder and not the file: the next attempt has another number, and its failure is the same
// problem.
[[noreturn]] void fail(int error, const char* call, const std::filesystem::path& file) {
  throw std::system_error(error, std::generic_category(),
                          std::string(call) + " in " + file.parent_path().string());
}

// To allocate beyond the process's limit is a signal, which ends it.
bool may_be_so_large(std::size_t bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

// A file of zeros with its blocks allocated, mapped for reading and writing. The first touch of a page is a
// fault and may be an allocation in the file system: that is the creator's to wait for, not an appender's.
void* map_new_file(const std::filesystem::path& file, std::size_t bytes) {
  const int descriptor = create_private_file(file);
  if (descriptor < 0) fail(errno, "open", file);
  int error = may_be_so_large(bytes) ? posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) : EFBIG;
  const char* call = "posix_fallocate";
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
      error = errno;
      call = "mmap";
    }
  }
  close(descriptor);
  if (error != 0) {
    unlink(file.c_str());
    fail(error, call, file);
  }
#ifdef MADV_POPULATE_WRITE
  madvise(memory, bytes, MADV_POPULATE_WRITE);  // a kernel before 5.14 refuses: pages then fault one by one
#endif
  return memory;
}

}  // namespace

Spool::Spool(const std::filesystem::path& file, std::uint64_t capacity_bytes)
    : file_name_(file.filename().string()) {
  const std::uint64_t capacity =
      std::bit_ceil(std::clamp(capacity_bytes, kMinimumSpoolBytes, kMaximumSpoolBytes));
  std::filesystem::path unfinished = file;
  unfinished += ".part";
  void* memory = map_new_file(unfinished, kSpoolRingOffset + capacity);
  header_ = new (memory) SpoolHeader{};
  header_->magic = kSpoolMagic;
  header_->version = kSpoolVersion;
  header_->byte_order = kSpoolByteOrder;
  header_->capacity_bytes = capacity;
  ring_ = static_cast<std::byte*>(memory) + kSpoolRingOffset;
  mask_ = capacity - 1;
  // If the process is killed in here, no invalid file with a spool's name remains.
  if (rename(unfinished.c_str(), file.c_str()) != 0) {
    const int error = errno;
    unlink(unfinished.c_str());
    munmap(memory, kSpoolRingOffset + capacity);
    fail(error, "rename", unfinished);
  }
}

Spool::~Spool() {
  munmap(header_, kSpoolRingOffset + mask_ + 1);
}

void Spool::own(std::uint32_t thread) noexcept {
  std::atomic_ref(header_->thread).store(thread, std::memory_order_relaxed);
}

// The limit never exceeds half a ring or the ring's end. So this is called often enough to wake the consumer
// in time, and the fast path need not handle wrapping.
bool Spool::raise_limit(std::uint64_t needed) noexcept {
  const std::uint64_t capacity = mask_ + 1;
  const std::uint64_t used = write_ - header_->released.load(std::memory_order_acquire);
  const std::uint64_t room = capacity - used;
  const std::uint64_t until_end = capacity - (write_ & mask_);
  half_full_ = half_full_ || used + needed > capacity / 2;
  if (needed > until_end) {
    if (room < until_end + needed) return false;
    put_padding(until_end);
    return raise_limit(needed);
  }
  if (room < needed) return false;
  limit_ = write_ + std::min({room, until_end, capacity / 2});
  return true;
}

void Spool::put_padding(std::uint64_t bytes) noexcept {
  const RecordHeader header{kPaddingRecord, static_cast<std::uint32_t>(bytes - sizeof header)};
  std::memcpy(ring_ + (write_ & mask_), &header, sizeof header);
  write_ += bytes;
  header_->written.store(write_, std::memory_order_release);
}

bool Spool::make_room(std::uint64_t needed) noexcept {
  if (has_gaps_ && !put_open_gaps()) return false;
  return limit_ - write_ >= needed || raise_limit(needed);
}

// A process killed between `put` and the next line leaves a gap both in the ring and here; it is one gap all
// the same, by its table, thread and beginning.
bool Spool::put_open_gaps() noexcept {
  for (Gap& gap : header_->gaps) {
    if (gap.rows == 0) continue;
    const std::uint64_t needed = record_bytes(sizeof gap);
    if (limit_ - write_ < needed && !raise_limit(needed)) return false;
    put({kGapRecord, sizeof gap}, &gap);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    gap.rows = 0;
  }
  has_gaps_ = false;
  return true;
}

void Spool::drop(std::uint32_t table, std::int64_t now_ns) noexcept {
  if (!enter()) return;
  Gap& gap = header_->gaps[table];
  if (gap.rows != 0 && gap.thread != header_->thread) {
    put_open_gaps();  // the last owner's, if there is room for it by now
  }
  if (gap.rows == 0) gap = {table, header_->thread, 0, now_ns, now_ns};
  gap.end_ns = now_ns;
  ++gap.rows;
  has_gaps_ = true;
  limit_ = write_;  // the next append must come by make_room
  leave();
}

std::vector<Gap> Spool::open_gaps() const {
  std::vector<Gap> gaps;
  std::copy_if(std::begin(header_->gaps), std::end(header_->gaps), std::back_inserter(gaps),
               [](const Gap& gap) { return gap.rows != 0; });
  return gaps;
}

}  // namespace strata
