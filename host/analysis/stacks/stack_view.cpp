// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/stack_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "host/analysis/stacks/function_name.hpp"

namespace strata::analysis {
namespace {

using namespace std::string_view_literals;

template <std::size_t count>
bool begins_with(std::string_view text, const std::array<std::string_view, count>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

template <std::size_t count>
bool holds(std::string_view text, const std::array<std::string_view, count>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != text.npos; });
}

constexpr std::array kRecorderFiles{"/strata/plugins/"sv, "/strata/sources/"sv, "/libstrata.so"sv};
constexpr std::array kFrameworkFiles{"libtorch"sv, "libc10"sv,    "libshm"sv,           "_C."sv,
                                     "libcuda"sv,  "libcudart"sv, "libcublas"sv,        "libcudnn"sv,
                                     "libnccl"sv,  "libmkl"sv,    "libstrata_dry_gpu"sv};
constexpr std::array kSystemFiles{"libc.so"sv,   "libc-"sv,      "libstdc++"sv, "libgcc_s"sv,
                                  "ld-linux"sv,  "libpthread"sv, "libgomp"sv,   "libiomp"sv,
                                  "libpython"sv, "python3"sv,    "libm.so"sv,   "linux-vdso"sv};
constexpr std::array kSystemFunctions{"std::"sv, "__gnu_cxx::"sv, "operator new"sv, "_start"sv,
                                      "__libc_start"sv};
// It opens the trainer: what matters begins there.
constexpr std::string_view kOwnProgram = "strata";
constexpr std::array kAllocatorFunctions{"at::create_out"sv,
                                         "at::detail::empty"sv,
                                         "at::native::empty"sv,
                                         "at::empty"sv,
                                         "at::_ops::empty"sv,
                                         "c10::alloc_cpu"sv,
                                         "c10::cuda::CUDACachingAllocator"sv,
                                         "c10::StorageImpl"sv,
                                         "at::native::resize"sv};
// How structured kernels make their outputs.
constexpr std::array kAllocatorParts{"::set_output"sv, "at::TensorIteratorBase::"sv};
constexpr std::array kDispatchFunctions{"c10::"sv, "torch::jit::invokeOperator"sv};
constexpr std::array kDispatchParts{"::redispatch"sv, "::wrapper_"sv,     "wrapper_CPU"sv,
                                    "wrapper_CUDA"sv, "VariableType::"sv, "ADInplaceOrView::"sv,
                                    "TraceType::"sv,  "at::autocast::"sv, "CompositeExplicitAutograd"sv};
constexpr std::array kFrameworkFunctions{"at::"sv, "torch::"sv, "caffe2::"sv};

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// On autograd's own threads there is no frame of the program: the node is the most informative one.
bool is_backward_node(const Frame& frame) {
  const std::string name = short_name(frame.function);
  return name.starts_with("torch::autograd::") && name.ends_with("::apply");
}

// Torch's package, where an installation puts it.
constexpr std::string_view kTorchPackage = "-packages/torch/";
// Modules that are part of the interpreter: "<frozen runpy>".
constexpr std::string_view kFrozenModule = "<frozen ";

FrameOwner owner_of_python(const Frame& frame) {
  if (frame.file.starts_with(kFrozenModule)) return FrameOwner::kSystem;
  return frame.file.find(kTorchPackage) != std::string::npos ? FrameOwner::kFramework : FrameOwner::kProgram;
}

bool is_interpreter(const Frame& frame) {
  constexpr std::array kInterpreterFiles{"libpython"sv, "python3"sv};
  return begins_with(base_name(frame.library), kInterpreterFiles);
}

bool is_noise(const Frame& frame) {
  const FrameOwner owner = owner_of(frame);
  return owner != FrameOwner::kProgram && owner != FrameOwner::kFramework;
}

}  // namespace

FrameOwner owner_of(const Frame& frame) {
  if (frame.python) return owner_of_python(frame);
  if (holds(frame.library, kRecorderFiles)) return FrameOwner::kRecorder;
  const std::string file = base_name(frame.library);
  const std::string name = short_name(frame.function);
  // Templates of the standard library, compiled into their users.
  if (frame.file.find("/include/c++/") != std::string::npos) return FrameOwner::kSystem;
  if (begins_with(file, kSystemFiles) || begins_with(name, kSystemFunctions) || name == "main" ||
      file == kOwnProgram)
    return FrameOwner::kSystem;
  if (begins_with(name, kAllocatorFunctions) || holds(name, kAllocatorParts)) return FrameOwner::kAllocator;
  if (begins_with(name, kDispatchFunctions) || holds(name, kDispatchParts)) return FrameOwner::kDispatch;
  if (begins_with(name, kFrameworkFunctions)) return FrameOwner::kFramework;
  if (begins_with(file, kFrameworkFiles))
    return frame.function.empty() ? FrameOwner::kDispatch : FrameOwner::kFramework;
  return FrameOwner::kProgram;
}

std::string frame_name(const Frame& frame) {
  if (frame.python) return frame.function;
  if (!frame.function.empty()) return short_name(frame.function);
  if (frame.library.empty()) return fmt::format("{:#x}", frame.offset);
  return fmt::format("{}+{:#x}", base_name(frame.library), frame.offset);
}

std::string frame_place(const Frame& frame) {
  if (frame.file.empty() || frame.line == 0) return {};
  return fmt::format("{}:{}", base_name(frame.file), frame.line);
}

std::vector<Frame> StackView::whole(std::uint32_t stack) {
  std::vector<Frame> frames;
  for (const std::uint64_t address : stacks_.addresses.at(stack)) {
    const std::vector<Frame>& here = symboliser_.frames_at(address);
    frames.insert(frames.end(), here.begin(), here.end());
  }
  std::vector<Frame> python;
  for (const PythonFrame& frame : stacks_.python_frames(stack)) {
    python.emplace_back();
    python.back().function = frame.function;
    python.back().file = frame.file;
    python.back().line = frame.line;
    python.back().python = true;
  }
  frames.insert(std::find_if(frames.begin(), frames.end(), is_interpreter), python.begin(), python.end());
  return frames;
}

std::vector<Frame> StackView::trimmed(std::uint32_t stack) {
  std::vector<Frame> frames = whole(stack);
  if (std::all_of(frames.begin(), frames.end(), is_noise)) return frames;
  std::erase_if(frames, is_noise);
  return frames;
}

std::optional<Frame> StackView::origin(std::uint32_t stack) {
  const std::vector<Frame> frames = whole(stack);
  const auto first = [&](const auto& is_wanted) -> std::optional<Frame> {
    const auto found = std::find_if(frames.begin(), frames.end(), [&](const Frame& frame) {
      return !frame.function.empty() && is_wanted(frame);
    });
    return found == frames.end() ? std::nullopt : std::optional(*found);
  };
  if (auto program =
          first([](const Frame& frame) { return frame.python && owner_of(frame) == FrameOwner::kProgram; }))
    return program;
  if (auto program = first([](const Frame& frame) { return owner_of(frame) == FrameOwner::kProgram; }))
    return program;
  if (auto node = first(is_backward_node)) return node;
  return first([](const Frame& frame) { return owner_of(frame) == FrameOwner::kFramework; });
}

}  // namespace strata::analysis
