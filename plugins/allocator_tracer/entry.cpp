// What the plugin `allocator_tracer` says about itself.
#include <array>
#include <cstring>
#include <exception>
#include <string_view>

#include "plugins/allocator_tracer/allocator_tracer.hpp"
#include "strata/entry.h"

namespace strata::allocator_tracer {
namespace {

constexpr std::array<strata_option, 1> kOptions{{
    {.key = "ops",
     .type = STRATA_OPTION_FLAG,
     .reserved = 0,
     .default_text = "true",
     .help = "Record operators, so that analysis can say which one made a block.",
     .choices = nullptr,
     .minimum = 0,
     .maximum = 0},
}};

// Blocks that outlive the window, or were born before it, are part of what is alive in it.
constexpr strata_descriptor kDescriptor{
    .struct_size = sizeof(strata_descriptor),
    .flags = STRATA_DESCRIPTOR_WHOLE_RUN,
    .id = "allocator_tracer",
    .version = "0.1.0",
    .summary = "Records every allocation and free, with the operator, layer and phase it happened in.",
    .options = kOptions.data(),
    .option_count = kOptions.size(),
    .reserved = 0};

void give_reason(std::string_view text, char* reason, std::size_t reason_bytes) {
  if (reason_bytes == 0) return;
  reason[text.copy(reason, reason_bytes - 1)] = '\0';
}

strata_plugin* create(const strata_host* host, const char* id, char* reason, std::size_t reason_bytes) {
  try {
    if (std::strcmp(id, kDescriptor.id) == 0) return (new AllocatorTracer(host))->plugin();
    give_reason("this file holds the plugin allocator_tracer alone.", reason, reason_bytes);
  } catch (const std::exception& problem) {
    give_reason(problem.what(), reason, reason_bytes);
  }
  return nullptr;
}

}  // namespace
}  // namespace strata::allocator_tracer

const strata_entry strata_plugin_entry{
    .struct_size = sizeof(strata_entry),
    .abi_major = STRATA_ABI_MAJOR,
    .abi_minor = STRATA_ABI_MINOR,
    .init = [](const char*, char*, std::size_t) -> std::int32_t { return 0; },
    .deinit = [] {},
    .count = [] { return 1u; },
    .descriptor =
        [](std::uint32_t index) { return index == 0 ? &strata::allocator_tracer::kDescriptor : nullptr; },
    .create = &strata::allocator_tracer::create};
