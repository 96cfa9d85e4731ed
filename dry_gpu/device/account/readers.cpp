// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/account/readers.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "dry_gpu/device/account/account.hpp"

namespace strata::dry_gpu {
namespace {

constexpr int kMostFrames = 64;
constexpr std::size_t kMostAddresses = 4096;
constexpr std::string_view kOperators = "_ZN2at4_ops";  // at::_ops::

// Properties of an address in a function.
struct Frame {
  enum class Kind { kNothing, kOwn, kFunction, kOperator } kind = Kind::kNothing;
  std::string name;
};

Frame frame_at(const void* address) {
  static const void* const own = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&frame_at), &info);
    return info.dli_fbase;
  }();
  Dl_info info{};
  if (dladdr(address, &info) == 0) return {};
  if (info.dli_fbase == own) return {Frame::Kind::kOwn, {}};
  if (info.dli_sname == nullptr) return {};
  const bool is_operator = is_operator_symbol(info.dli_sname);
  return {is_operator ? Frame::Kind::kOperator : Frame::Kind::kFunction, reader_of_symbol(info.dli_sname)};
}

// To look a name up takes the loader a walk over all symbols of a library: a call site is asked for once.
class Frames {
 public:
  Frame at(const void* address) {
    const std::scoped_lock lock(mutex_);
    if (known_.size() >= kMostAddresses) known_.clear();
    const auto [entry, is_new] = known_.try_emplace(address);
    if (is_new) entry->second = frame_at(address);
    return entry->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, Frame> known_;
};

Frames& frames() {
  static Frames& only = *new Frames;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

struct Walk {
  int depth = 0;
  std::string function;  // the innermost that has a name
  std::string operation;
};

// Exceptions must not pass through the frames in between.
_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) noexcept {
  auto& walk = *static_cast<Walk*>(argument);
  // The call, not where it returns to: that may be the next function's.
  const std::uintptr_t address = _Unwind_GetIP(context) - 1;
  Frame frame = frames().at(reinterpret_cast<const void*>(address));  // NOLINT(performance-no-int-to-ptr)
  if (frame.kind == Frame::Kind::kOperator) {
    walk.operation = std::move(frame.name);
    return _URC_END_OF_STACK;
  }
  if (frame.kind == Frame::Kind::kFunction && walk.function.empty()) walk.function = std::move(frame.name);
  return ++walk.depth < kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// The reader's row in the account.
ReaderEntry& entry_of(std::string_view reader) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  auto& readers = account().readers;
  constexpr std::size_t kMostName = sizeof readers[0].name - 1;
  const std::string_view name = reader.substr(0, kMostName);
  for (std::size_t index = 0; index + 1 < readers.size(); ++index) {
    ReaderEntry& entry = readers[index];
    if (entry.name[0] == '\0') name.copy(entry.name.data(), kMostName);
    if (name == entry.name.data()) return entry;
  }
  std::strncpy(readers.back().name.data(), "others", kMostName);
  return readers.back();
}

}  // namespace

bool is_operator_symbol(std::string_view symbol) {
  return symbol.starts_with(kOperators);
}

std::string reader_of_symbol(const char* symbol) {
  if (is_operator_symbol(symbol)) {
    std::string_view rest = std::string_view(symbol).substr(kOperators.size());
    std::size_t length = 0;
    const auto [digits_end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    rest.remove_prefix(static_cast<std::size_t>(digits_end - rest.data()));
    if (error == std::errc() && length <= rest.size()) return "aten::" + std::string(rest.substr(0, length));
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  if (status != 0) return symbol;

  // Template arguments, return types and parameters are omitted.
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string name;
  int depth = 0;
  for (std::string_view text = demangled.get(); !text.empty(); text.remove_prefix(1)) {
    if (text.starts_with(kAnonymous)) text.remove_prefix(kAnonymous.size() + 2);
    const char letter = text.front();
    if (letter == '<') ++depth;
    if (letter == '(' && depth == 0) break;
    if (letter == ' ' && depth == 0) {
      name.clear();
    } else if (depth == 0) {
      name += letter;
    }
    if (letter == '>') --depth;
  }
  return name.empty() ? symbol : name;
}

std::string reader_of_call() noexcept {
  Walk walk;
  _Unwind_Backtrace(&visit, &walk);
  if (!walk.operation.empty()) return walk.operation;
  if (!walk.function.empty()) return walk.function;
  return "unnamed";
}

void account_unknown_read(std::string_view reader, std::uint64_t bytes) noexcept {
  ReaderEntry& entry = entry_of(reader);
  entry.unknown_reads.fetch_add(1, std::memory_order_relaxed);
  entry.unknown_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void account_answered_read(std::string_view reader) noexcept {
  entry_of(reader).answered_reads.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace strata::dry_gpu
