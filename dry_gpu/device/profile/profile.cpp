// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/profile.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <variant>
#include <vector>

namespace strata::dry_gpu {
namespace {

constexpr std::string_view kAnswer = "answer";

using Place = std::variant<std::string*, std::uint32_t*, std::uint64_t*, double*, ClockKind*, bool*>;

struct Field {
  std::string key;
  Place place;
  bool has_default = false;
};

std::vector<Field> fields_of(MachineProfile& profile) {
  DeviceProfile& device = profile.device;
  ClockSettings& clock = profile.clock;
  std::vector<Field> fields = {
      {"key", &device.key},
      {"name", &device.name},
      {"memory_bytes", &device.memory_bytes},
      {"context_bytes", &device.context_bytes},
      {"compute_major", &device.compute_major},
      {"compute_minor", &device.compute_minor},
      {"multiprocessors", &device.multiprocessors},
      {"threads_per_multiprocessor", &device.threads_per_multiprocessor},
      {"blocks_per_multiprocessor", &device.blocks_per_multiprocessor},
      {"shared_bytes_per_multiprocessor", &device.shared_bytes_per_multiprocessor},
      {"shared_bytes_per_block_optin", &device.shared_bytes_per_block_optin},
      {"l2_bytes", &device.l2_bytes},
      {"memory_bus_bits", &device.memory_bus_bits},
      {"memory_clock_khz", &device.memory_clock_khz},
      {"clock_khz", &device.clock_khz},
      {"devices", &profile.devices},
      {"span_bytes", &profile.span_bytes, true},
      {"memory_gb_per_s", &device.memory_gb_per_s, true},
      {"fp32_tflops", &device.fp32_tflops, true},
      {"tf32_tflops", &device.tf32_tflops, true},
      {"fp16_tflops", &device.fp16_tflops, true},
      {"bf16_tflops", &device.bf16_tflops, true},
      {"fp8_tflops", &device.fp8_tflops, true},
      {"clock", &clock.kind, true},
      {"clock_compute_percent", &clock.compute_percent, true},
      {"clock_memory_percent", &clock.memory_percent, true},
      {"clock_launch_ns", &clock.launch_ns, true},
      {"clock_host_call_ns", &clock.host_call_ns, true},
      {"clock_host_gb_per_s", &clock.host_gb_per_s, true},
      {"clock_peer_gb_per_s", &clock.peer_gb_per_s, true},
      {"contents_bytes", &profile.contents_bytes, true},
      {"cudnn_workspace_bytes", &profile.cudnn_workspace_bytes, true},
      {"cudnn_workspaces", &profile.asks_cudnn, true},
      {"cusolver_workspace_bytes", &profile.cusolver_workspace_bytes, true},
      {"nccl_memory_bytes", &profile.nccl_memory_bytes, true},
  };
  for (std::size_t part = 0; part < kContextParts; ++part) {
    const std::string name = "context_" + std::string(kContextPartNames[part]);
    fields.push_back({name + "_bytes", &device.context_parts[part].bytes, true});
    fields.push_back({name + "_after", &device.context_parts[part].after_calls, true});
  }
  return fields;
}

[[noreturn]] void fail(std::size_t line, const std::string& problem) {
  throw std::invalid_argument("line " + std::to_string(line) + " of the device profile: " + problem);
}

Answer answer_of(std::size_t line, std::string_view text) {
  try {
    return parse_answer(text);
  } catch (const std::invalid_argument& error) {
    fail(line, std::string(kAnswer) + ": " + error.what());
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

constexpr std::string_view kNoClock = "none";
constexpr std::string_view kModelledClock = "modelled";
constexpr std::string_view kAsked = "asked";
constexpr std::string_view kOff = "off";

bool assign_to(std::string& target, std::string_view value) {
  target = value;
  return true;
}

bool assign_to(ClockKind& target, std::string_view value) {
  target = value == kModelledClock ? ClockKind::kModelled : ClockKind::kNone;
  return value == kModelledClock || value == kNoClock;
}

bool assign_to(bool& target, std::string_view value) {
  target = value == kAsked;
  return value == kAsked || value == kOff;
}

template <typename Number>
bool assign_to(Number& target, std::string_view value) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), target);
  return error == std::errc() && end == value.data() + value.size();
}

// Whether the whole value was of the field's type.
bool assign(const Place& place, std::string_view value) {
  return std::visit([&](auto* target) { return assign_to(*target, value); }, place);
}

std::string text_of(const std::string& value) {
  return value;
}

std::string text_of(ClockKind value) {
  return std::string(value == ClockKind::kModelled ? kModelledClock : kNoClock);
}

std::string text_of(bool value) {
  return std::string(value ? kAsked : kOff);
}

template <typename Number>
std::string text_of(Number value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string value_of(const Place& place) {
  return std::visit([](const auto* value) { return text_of(*value); }, place);
}

template <typename Demand>
void check(const ClockSettings& clock, const DeviceProfile& device, const Demand& demand) {
  if (clock.kind == ClockKind::kNone) return;
  const auto is_share = [](std::uint32_t percent) { return percent >= 1 && percent <= 100; };
  demand(device.memory_gb_per_s > 0 && device.fp32_tflops > 0,
         "'clock modelled' needs 'memory_gb_per_s' and 'fp32_tflops'");
  demand(is_share(clock.compute_percent) && is_share(clock.memory_percent),
         "the clock's percentages must be from 1 to 100");
  demand(clock.host_gb_per_s > 0 && clock.peer_gb_per_s > 0, "the clock's rates must be more than 0");
  demand(clock.host_call_ns > 0, "'clock_host_call_ns' must be more than 0");
}

void check(const MachineProfile& profile) {
  const auto demand = [](bool holds, const char* problem) {
    if (!holds) throw std::invalid_argument(std::string("the device profile: ") + problem);
  };
  demand(profile.devices >= 1 && profile.devices <= 64, "'devices' must be from 1 to 64");
  demand(profile.device.memory_bytes > profile.device.context_bytes, "its context leaves no memory");
  demand(profile.span_bytes % (std::uint64_t{4} << 20) == 0, "'span_bytes' must be a multiple of 4 MiB");
  demand(profile.device.multiprocessors > 0 && profile.device.threads_per_multiprocessor > 0 &&
             profile.device.blocks_per_multiprocessor > 0,
         "multiprocessors, their threads and their blocks must be more than 0");
  check(profile.clock, profile.device, demand);
  demand(profile.cusolver_workspace_bytes < std::uint32_t{1} << 31,
         "'cusolver_workspace_bytes' must be less than 2 GiB, since cuSOLVER counts in int");
}

}  // namespace

MachineProfile parse_profile(std::string_view text) {
  MachineProfile profile;
  const std::vector<Field> fields = fields_of(profile);
  std::vector<bool> given(fields.size(), false);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view entry = trimmed(whole.substr(0, whole.find('#')));
    if (entry.empty()) continue;
    const std::size_t space = entry.find_first_of(" \t");
    const std::string key(entry.substr(0, space));
    const std::string_view value = space == std::string_view::npos ? "" : trimmed(entry.substr(space));
    std::size_t index = 0;
    while (index < fields.size() && fields[index].key != key) ++index;
    if (key == kAnswer) {
      profile.answers.push_back(answer_of(line, value));
      continue;
    }
    if (index == fields.size()) fail(line, "'" + key + "' is not one of its keys");
    if (given[index]) fail(line, "'" + key + "' is given twice");
    if (value.empty() || !assign(fields[index].place, value))
      fail(line, "'" + std::string(value) + "' is not a value for '" + key + "'");
    given[index] = true;
  }
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (!given[index] && !fields[index].has_default)
      throw std::invalid_argument("the device profile: '" + std::string(fields[index].key) + "' is missing");
  }
  check(profile);
  return profile;
}

std::string profile_text(const MachineProfile& profile) {
  MachineProfile copy = profile;
  std::string text;
  for (const Field& field : fields_of(copy))
    text += std::string(field.key) + " " + value_of(field.place) + "\n";
  for (const Answer& answer : profile.answers)
    text += std::string(kAnswer) + " " + answer_text(answer) + "\n";
  return text;
}

}  // namespace strata::dry_gpu
