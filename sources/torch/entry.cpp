// What the source `torch` says about itself.
#include <array>
#include <cstring>
#include <exception>
#include <string>

#include "sources/torch/torch_release.hpp"
#include "sources/torch/torch_source.hpp"
#include "strata/entry.h"

namespace strata::torch_source {
namespace {

constexpr std::array<strata_option, 3> kOptions{{
    {.key = "ops",
     .type = STRATA_OPTION_FLAG,
     .reserved = 0,
     .default_text = "true",
     .help = "Tell of operators, so that allocations have a name.",
     .choices = nullptr,
     .minimum = 0,
     .maximum = 0},
    {.key = "saved_tensors",
     .type = STRATA_OPTION_FLAG,
     .reserved = 0,
     .default_text = "false",
     .help = "Tell of what autograd keeps for backward, through an autograd engine of our own.",
     .choices = nullptr,
     .minimum = 0,
     .maximum = 0},
    {.key = "cross_check",
     .type = STRATA_OPTION_FLAG,
     .reserved = 0,
     .default_text = "false",
     .help = "Write c10's own memory reporting into the run store, to be compared with ours.",
     .choices = nullptr,
     .minimum = 0,
     .maximum = 0},
}};

constexpr strata_descriptor kDescriptor{.struct_size = sizeof(strata_descriptor),
                                        .flags = STRATA_DESCRIPTOR_SOURCE | STRATA_DESCRIPTOR_WHOLE_RUN,
                                        .id = "torch",
                                        .version = "0.1.0",
                                        .summary = "Allocations, operators and saved tensors of LibTorch.",
                                        .options = kOptions.data(),
                                        .option_count = kOptions.size(),
                                        .reserved = 0};

void give_reason(const std::string& text, char* reason, std::size_t reason_bytes) {
  if (reason_bytes == 0) return;
  reason[text.copy(reason, reason_bytes - 1)] = '\0';
}

std::int32_t init(const char* /*path*/, char* reason, std::size_t reason_bytes) {
  const std::string problem = release_mismatch(loaded_torch_release());
  if (problem.empty()) return 0;
  give_reason(problem, reason, reason_bytes);
  return 1;
}

strata_plugin* create(const strata_host* host, const char* id, char* reason, std::size_t reason_bytes) {
  try {
    if (std::strcmp(id, kDescriptor.id) == 0) return (new TorchSource(host))->plugin();
    give_reason(std::string("this file holds no source named ") + id + ".", reason, reason_bytes);
  } catch (const std::exception& problem) {
    give_reason(problem.what(), reason, reason_bytes);
  }
  return nullptr;
}

}  // namespace
}  // namespace strata::torch_source

const strata_entry strata_plugin_entry{
    .struct_size = sizeof(strata_entry),
    .abi_major = STRATA_ABI_MAJOR,
    .abi_minor = STRATA_ABI_MINOR,
    .init = &strata::torch_source::init,
    .deinit = [] {},
    .count = [] { return 1u; },
    .descriptor =
        [](std::uint32_t index) { return index == 0 ? &strata::torch_source::kDescriptor : nullptr; },
    .create = &strata::torch_source::create};
