// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry_gpu.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "host/cli/dry_account.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libstrata_dry_gpu.so";

void* open(const fs::path& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    throw UsageError(fmt::format(
        "the dry GPU cannot be opened: {}. Build and install all parts of Strata together", dlerror()));
  }
  return handle;
}

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// A library of CUDA's that is mapped into this process, if any.
std::string mapped_cuda_library() {
  static constexpr std::array<std::string_view, 4> kNames = {"libcudart.so", "libcuda.so", "libcublas.so",
                                                             "libcudnn.so"};
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::string path = line.substr(std::min(line.find('/'), line.size()));
    const std::string file = fs::path(path).filename();
    const auto is_cuda = [&](std::string_view name) { return file.starts_with(name); };
    if (std::ranges::any_of(kNames, is_cuda)) return path;
  }
  return {};
}

void pass_on(const char* message) {
  say(fmt::format("dry GPU: {}", message));
}

}  // namespace

fs::path dry_gpu_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib" / "strata" / "dry_gpu";
}

bool has_dry_gpu() {
  return fs::exists(dry_gpu_folder() / kLibrary);
}

bool is_on_dry_gpu() {
  return dlsym(RTLD_DEFAULT, "strata_dry_gpu_count") != nullptr;
}

std::vector<fs::path> dry_gpu_facades() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(dry_gpu_folder())) {
    const std::string name = entry.path().filename();
    if (name != kLibrary && name.find(".so") != std::string::npos) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

DryChoice dry_choice(const config::DeviceConfig& device) {
  DryChoice choice{.profile = config::load_device_profile(device.dry),
                   .devices = device.count,
                   .answers = {},
                   .settings = device.settings,
                   .parts_after = {}};
  if (device.settings.memory_bytes > 0)
    choice.profile.memory_bytes = static_cast<std::uint64_t>(device.settings.memory_bytes);
  if (!device.answers.empty()) choice.answers = config::load_answers(device.answers);
  return choice;
}

std::uint64_t DryChoice::communicator_bytes() const {
  return settings.nccl_memory_bytes ? static_cast<std::uint64_t>(*settings.nccl_memory_bytes)
                                    : profile.communicator_bytes;
}

std::string dry_choice_text(const DryChoice& choice) {
  const config::DeviceProfile& profile = choice.profile;
  std::string text;
  const auto line = [&](std::string_view key, const auto& value) {
    text += fmt::format("{} {}\n", key, value);
  };
  line("key", profile.key);
  line("name", profile.name);
  line("memory_bytes", profile.memory_bytes);
  line("context_bytes", profile.context_bytes.high);
  for (std::size_t index = 0; index < kContextParts.size(); ++index) {
    const ContextPart& part = kContextParts[index];
    line(fmt::format("context_{}_bytes", part.name), profile.*part.bytes);
    if (const auto& after = choice.parts_after[index])
      line(fmt::format("context_{}_after", part.name), *after);
  }
  line("compute_major", profile.compute_capability.major);
  line("compute_minor", profile.compute_capability.minor);
  line("multiprocessors", profile.multiprocessors);
  line("threads_per_multiprocessor", profile.threads_per_multiprocessor);
  line("blocks_per_multiprocessor", profile.blocks_per_multiprocessor);
  line("shared_bytes_per_multiprocessor", profile.shared_bytes_per_multiprocessor);
  line("shared_bytes_per_block_optin", profile.shared_bytes_per_block_optin);
  line("l2_bytes", profile.l2_bytes);
  line("memory_bus_bits", profile.memory_bus_bits);
  line("memory_clock_khz", profile.memory_clock_khz);
  line("clock_khz", profile.clock_khz);
  line("devices", choice.devices);
  line("cudnn_workspaces", choice.settings.asks_cudnn ? "asked" : "off");
  line("cudnn_workspace_bytes", choice.settings.cudnn_workspace_bytes);
  line("cusolver_workspace_bytes", choice.settings.cusolver_workspace_bytes);
  line("nccl_memory_bytes", choice.communicator_bytes());
  if (choice.settings.models_time) {
    line("clock", "modelled");
    line("memory_gb_per_s", profile.memory_gb_per_s);
    line("fp32_tflops", profile.fp32_tflops);
    line("tf32_tflops", profile.tf32_tflops);
    line("fp16_tflops", profile.fp16_tflops);
    line("bf16_tflops", profile.bf16_tflops);
    line("fp8_tflops", profile.fp8_tflops);
  }
  for (const config::Answer& answer : choice.answers) {
    line("answer", fmt::format("{} {} {} {}", answer.reader, answer.value_bytes, answer.then, answer.values));
  }
  return text;
}

void require_dry_gpu() {
  if (has_dry_gpu()) return;
  throw UsageError(
      fmt::format("this build has no dry GPU: {} does not exist. Build Strata with the CUDA wheel of torch, "
                  "which installs CUDA's headers",
                  (dry_gpu_folder() / kLibrary).string()));
}

DryGpu::DryGpu(DryChoice choice) : choice_(std::move(choice)) {
  require_dry_gpu();
  if (const std::string library = mapped_cuda_library(); !library.empty()) {
    throw UsageError(
        fmt::format("the dry GPU cannot replace CUDA: {} is already loaded in this process. Start strata "
                    "without LD_PRELOAD",
                    library));
  }
  void* const library = open(dry_gpu_folder() / kLibrary);
  const auto choose = find<decltype(&strata_dry_gpu_choose)>(library, "strata_dry_gpu_choose");
  const auto send_messages_to =
      find<decltype(&strata_dry_gpu_send_messages_to)>(library, "strata_dry_gpu_send_messages_to");
  copy_to_children_ =
      find<decltype(&strata_dry_gpu_copy_to_children)>(library, "strata_dry_gpu_copy_to_children");
  count_ = find<decltype(&strata_dry_gpu_count)>(library, "strata_dry_gpu_count");
  count_modelled_ = find<decltype(&strata_dry_gpu_count_modelled)>(library, "strata_dry_gpu_count_modelled");
  set_context_parts_ =
      find<decltype(&strata_dry_gpu_set_context_parts)>(library, "strata_dry_gpu_set_context_parts");
  visit_refused_ = find<decltype(&strata_dry_gpu_visit_refused)>(library, "strata_dry_gpu_visit_refused");
  visit_readers_ = find<decltype(&strata_dry_gpu_visit_readers)>(library, "strata_dry_gpu_visit_readers");
  if (choose == nullptr || send_messages_to == nullptr || copy_to_children_ == nullptr || count_ == nullptr ||
      count_modelled_ == nullptr || set_context_parts_ == nullptr || visit_refused_ == nullptr ||
      visit_readers_ == nullptr) {
    throw UsageError(
        fmt::format("{} belongs to another build of Strata. Build and install all parts of Strata together",
                    (dry_gpu_folder() / kLibrary).string()));
  }
  std::array<char, 512> problem{};
  if (choose(dry_choice_text(choice_).c_str(), problem.data(), problem.size()) != 0) {
    throw UsageError(fmt::format("{}: {}", choice_.profile.file.string(), problem.data()));
  }
  send_messages_to(&pass_on);
  for (const fs::path& facade : dry_gpu_facades()) open(facade);
}

std::string DryGpu::describe() const {
  const strata_dry_gpu_counts counts = count_();
  DryAccount account{.processes = 1,
                     .kernels_not_run = counts.launches,
                     .library_calls_not_computed = counts.library_calls,
                     .unknown_reads = counts.unknown_reads,
                     .unknown_read_bytes = counts.unknown_bytes,
                     .unknown_times = counts.unknown_times,
                     .answered_reads = counts.answered_reads,
                     .assumed_reads = counts.assumed_reads,
                     .workspaces = {.unknown = counts.unknown_workspaces,
                                    .asked = counts.asked_workspaces,
                                    .fitted = counts.fitted_workspaces,
                                    .bounded = counts.bounded_workspaces},
                     .communicators = counts.communicators,
                     .context_parts = {},
                     .modelled = {},
                     .readers = {},
                     .refused = {}};
  std::array<strata_dry_gpu_modelled, STRATA_DRY_GPU_MODELS> sums{};
  count_modelled_(sums.data());
  for (std::size_t model = 0; model < account.modelled.size(); ++model)
    account.modelled[model] = {sums[model].works, sums[model].ns};
  std::array<strata_dry_gpu_context_part, STRATA_DRY_GPU_CONTEXT_PARTS> parts{};
  set_context_parts_(parts.data());
  for (std::size_t part = 0; part < account.context_parts.size(); ++part)
    account.context_parts[part] = {parts[part].bytes, parts[part].after_calls};
  visit_refused_(
      [](void* list, const char* function, std::uint64_t calls) {
        static_cast<std::vector<DryAccount::Refused>*>(list)->push_back({function, calls});
      },
      &account.refused);
  visit_readers_(
      [](void* list, const strata_dry_gpu_reader* reader) {
        static_cast<std::vector<DryAccount::Reader>*>(list)->push_back(
            {reader->name, reader->unknown_reads, reader->unknown_bytes, reader->answered_reads});
      },
      &account.readers);
  return dry_json(choice_, account);
}

}  // namespace strata::cli
