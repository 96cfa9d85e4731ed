#include "dry_gpu/device/profile.hpp"

#include <charconv>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

namespace strata::dry_gpu {
namespace {

using Place = std::variant<std::string*, std::uint32_t*, std::uint64_t*>;

struct Field {
  std::string_view key;
  Place place;
};

std::vector<Field> fields_of(MachineProfile& profile) {
  DeviceProfile& device = profile.device;
  return {
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
      {"span_bytes", &profile.span_bytes},
  };
}

[[noreturn]] void fail(std::size_t line, const std::string& problem) {
  throw std::invalid_argument("line " + std::to_string(line) + " of the device profile: " + problem);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Whether the whole value was of the field's type.
bool assign(const Place& place, std::string_view value) {
  return std::visit(
      [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), std::string*>) {
          *target = value;
          return true;
        } else {
          const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *target);
          return error == std::errc() && end == value.data() + value.size();
        }
      },
      place);
}

std::string value_of(const Place& place) {
  return std::visit(
      [](const auto* value) {
        if constexpr (std::is_same_v<decltype(value), const std::string*>) {
          return *value;
        } else {
          return std::to_string(*value);
        }
      },
      place);
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
    if (index == fields.size()) fail(line, "'" + key + "' is none of its keys");
    if (given[index]) fail(line, "'" + key + "' is given twice");
    if (value.empty() || !assign(fields[index].place, value))
      fail(line, "'" + std::string(value) + "' is no value for '" + key + "'");
    given[index] = true;
  }
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (!given[index])
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
  return text;
}

}  // namespace strata::dry_gpu
