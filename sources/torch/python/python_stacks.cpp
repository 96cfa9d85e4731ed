// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/python/python_stacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "sources/torch/python/python_interpreter.hpp"

namespace strata::torch_source {
namespace {

// A position in a code object: a byte offset, or a line if Python does not provide offsets.
struct CodePlace {
  PyObject* code;
  int at;
  bool operator<(const CodePlace& other) const {
    return std::pair(code, at) < std::pair(other.code, other.at);
  }
};

// Empty where it has no such text.
std::string text_of(const PythonInterpreter& python, PyObject* object, const char* attribute) {
  const HeldReference value(python, python.attribute(object, attribute));
  const char* const text = value.get() == nullptr ? nullptr : python.utf8(value.get());
  if (text == nullptr) python.clear_error();
  return text == nullptr ? std::string() : std::string(text);
}

std::uint64_t hash_of(std::span<const CodePlace> places) {
  std::uint64_t hash = places.size();
  for (const CodePlace& place : places) {
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(place.code)) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 32) ^ static_cast<std::uint32_t>(place.at)) * 0xC2B2AE3D27D4EB4Fu;
  }
  return hash;
}

// Python is never called with `mutex_` held, because it may hand the interpreter's lock to a thread that
// waits for the mutex. Objects are never released: when the process ends the interpreter is gone.
class StacksOfProcess {
 public:
  explicit StacksOfProcess(const PythonInterpreter& python) : python_(python) {}

  const PythonStack* take() {
    const PythonLock lock(python_);
    if (lock.thread() == nullptr) return nullptr;
    std::array<CodePlace, kMostPythonFrames> buffer;
    const std::span<const CodePlace> places(buffer.data(), walk(lock.thread(), buffer));
    if (places.empty()) return nullptr;
    const std::uint64_t hash = hash_of(places);
    {
      const std::lock_guard guard(mutex_);
      if (const auto found = by_hash_.find(hash); found != by_hash_.end()) return found->second;
      if (by_hash_.size() >= kMostPythonStacks) {
        left_out_.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
      }
    }
    std::vector<const PythonFrame*> frames;
    frames.reserve(places.size());
    for (const CodePlace& place : places) frames.push_back(frame_at(place));
    return keep(hash, std::move(frames));
  }

  std::uint64_t left_out() const { return left_out_.load(std::memory_order_relaxed); }

 private:
  // The code objects are the frames': they live as long as this thread, which is here, does not go on.
  std::size_t walk(PyThreadState* thread, std::span<CodePlace> places) const {
    std::size_t count = 0;
    PyObject* frame = python_.thread_frame(thread);
    while (frame != nullptr && count != places.size()) {
      const HeldReference code(python_, python_.frame_code(frame));
      places[count++] = {code.get(), python_.frame_lasti != nullptr ? python_.frame_lasti(frame)
                                                                    : python_.frame_line(frame)};
      PyObject* const around = python_.frame_back(frame);
      python_.drop_reference(frame);
      frame = around;
    }
    if (frame != nullptr) python_.drop_reference(frame);
    return count;
  }

  const PythonFrame* frame_at(const CodePlace& place) {
    {
      const std::lock_guard guard(mutex_);
      if (const auto found = by_place_.find(place); found != by_place_.end()) return found->second;
    }
    const int line = python_.frame_lasti != nullptr ? python_.code_line(place.code, place.at) : place.at;
    std::string function = text_of(python_, place.code, "co_qualname");
    if (function.empty()) function = text_of(python_, place.code, "co_name");
    std::string file = text_of(python_, place.code, "co_filename");
    python_.add_reference(place.code);  // once for each new one; never released

    const std::lock_guard guard(mutex_);
    auto& frame = by_line_[{place.code, line}];
    if (!frame) {
      frame = std::make_unique<PythonFrame>(PythonFrame{.id = static_cast<std::uint32_t>(by_line_.size()),
                                                        .line = static_cast<std::uint32_t>(std::max(line, 0)),
                                                        .function = std::move(function),
                                                        .file = std::move(file)});
    }
    by_place_[place] = frame.get();
    return frame.get();
  }

  const PythonStack* keep(std::uint64_t hash, std::vector<const PythonFrame*> frames) {
    const std::lock_guard guard(mutex_);
    auto& stack = by_frames_[frames];
    if (!stack)
      stack = std::make_unique<PythonStack>(
          PythonStack{.id = static_cast<std::uint32_t>(by_frames_.size()), .frames = std::move(frames)});
    by_hash_[hash] = stack.get();
    return stack.get();
  }

  const PythonInterpreter python_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, const PythonStack*> by_hash_;
  // Two calls in one line are two places and one frame.
  std::map<CodePlace, const PythonFrame*> by_place_;
  std::map<CodePlace, std::unique_ptr<PythonFrame>> by_line_;
  std::map<std::vector<const PythonFrame*>, std::unique_ptr<PythonStack>> by_frames_;
  std::atomic<std::uint64_t> left_out_{0};
};

std::atomic<StacksOfProcess*> stacks_of_process{nullptr};

// An object that dies while frames are walked may run Python, and so operators.
constinit thread_local bool is_taking = false;

}  // namespace

bool prepare_python_stacks() {
  if (stacks_of_process.load() != nullptr) return true;
  const std::optional<PythonInterpreter> python = find_python_interpreter();
  // Not freed: threads may use it at any time, and its objects belong to the interpreter.
  if (python) stacks_of_process.store(std::make_unique<StacksOfProcess>(*python).release());
  return python.has_value();
}

const PythonStack* take_python_stack() noexcept try {
  StacksOfProcess* const stacks = stacks_of_process.load(std::memory_order_acquire);
  if (stacks == nullptr || is_taking) return nullptr;
  struct Taking {
    Taking() { is_taking = true; }
    ~Taking() { is_taking = false; }
  } const taking;
  return stacks->take();
} catch (const std::exception&) {
  return nullptr;  // no memory: this operator goes without
}

std::uint64_t python_stacks_left_out() noexcept {
  const StacksOfProcess* const stacks = stacks_of_process.load();
  return stacks == nullptr ? 0 : stacks->left_out();
}

}  // namespace strata::torch_source
