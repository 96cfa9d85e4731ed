// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/compute_device.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "host/config/files/answer_file.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/config/files/paths.hpp"
#include "host/config/nearest.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {
namespace {

constexpr std::string_view kDeviceKey = "device";
constexpr std::string_view kCudaIndex = "cuda:";
constexpr std::array<std::string_view, 9> kDryKeys = {"dry",
                                                      "count",
                                                      "memory",
                                                      "answers",
                                                      "clock",
                                                      "cudnn_workspaces",
                                                      "cudnn_workspace",
                                                      "cusolver_workspace",
                                                      "nccl_memory"};
constexpr std::int64_t kMostCudaDevices = 64;

class DeviceReader {
 public:
  DeviceReader(const WrittenValue& value, const std::filesystem::path& base, std::vector<Problem>& problems)
      : value_(value), base_(base), problems_(problems) {}

  std::optional<DeviceConfig> read() {
    if (value_.node.IsMap()) return dry();
    if (value_.node.IsScalar()) {
      if (auto device = real(value_.node.Scalar())) return device;
    }
    refuse();
    return std::nullopt;
  }

 private:
  static std::optional<DeviceConfig> real(std::string_view text) {
    DeviceConfig device;
    if (text == "cpu") return device;
    device.kind = DeviceKind::kCuda;
    if (text == "cuda") return device;
    if (!text.starts_with(kCudaIndex)) return std::nullopt;
    const auto index = parse_integer(text.substr(kCudaIndex.size()));
    if (!index || *index < 0 || *index >= kMostCudaDevices) return std::nullopt;
    device.index = *index;
    return device;
  }

  std::optional<DeviceConfig> dry() {
    DeviceConfig device;
    device.kind = DeviceKind::kCuda;
    bool sound = true;
    for (const auto& entry : value_.node) {
      const Place place = place_of(entry.second, value_.place);
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      if (name == "dry") {
        sound = read_profile(entry.second, place, device) && sound;
      } else if (name == "count") {
        sound = read_count(entry.second, place, device) && sound;
      } else if (name == "memory") {
        sound = read_memory(entry.second, place, device) && sound;
      } else if (name == "answers") {
        sound = read_answers(entry.second, place, device) && sound;
      } else if (name == "clock") {
        sound = read_clock(entry.second, place, device) && sound;
      } else if (name == "cudnn_workspaces") {
        sound = read_cudnn_workspaces(entry.second, place, device) && sound;
      } else if (name == "cudnn_workspace") {
        sound = read_workspace(entry.second, place, name, device.settings.cudnn_workspace_bytes) && sound;
      } else if (name == "cusolver_workspace") {
        sound = read_workspace(entry.second, place, name, device.settings.cusolver_workspace_bytes) && sound;
      } else if (name == "nccl_memory") {
        sound =
            read_workspace(entry.second, place, name, device.settings.nccl_memory_bytes.emplace()) && sound;
      } else {
        problems_.push_back({place_of(entry.first, value_.place), fmt::format("{}.{}", kDeviceKey, name),
                             fmt::format("unknown key{}; expected {}", did_you_mean(name, kDryKeys),
                                         fmt::join(kDryKeys, ", "))});
        sound = false;
      }
    }
    if (sound && !device.is_dry()) {
      refuse();
      sound = false;
    }
    return sound ? std::optional(device) : std::nullopt;
  }

  bool read_profile(const YAML::Node& node, const Place& place, DeviceConfig& device) {
    if (!node.IsScalar() || node.Scalar().empty()) {
      return problem(place, "dry", fmt::format("expected a device profile, found {}", describe(node)));
    }
    const bool is_file = is_device_file(node.Scalar());
    try {
      device.dry = is_file ? absolute(node.Scalar()) : node.Scalar();
      if (is_file && !std::filesystem::exists(device.dry))
        return problem(place, "dry", fmt::format("the file '{}' does not exist", device.dry));
      load_device_profile(device.dry);
      return true;
    } catch (const ConfigError& error) {
      take_over(place, "dry", error);
    } catch (const std::invalid_argument& error) {
      problem(place, "dry", error.what());
    }
    return false;
  }

  bool read_answers(const YAML::Node& node, const Place& place, DeviceConfig& device) {
    if (!node.IsScalar() || node.Scalar().empty())
      return problem(place, "answers", fmt::format("expected a file with answers, found {}", describe(node)));
    try {
      device.answers = absolute(node.Scalar());
      if (!std::filesystem::exists(device.answers))
        return problem(place, "answers", fmt::format("the file '{}' does not exist", device.answers));
      load_answers(device.answers);
      return true;
    } catch (const ConfigError& error) {
      take_over(place, "answers", error);
    } catch (const std::invalid_argument& error) {
      problem(place, "answers", error.what());
    }
    return false;
  }

  // Errors found in another file; those without a place are reported at the key that names the file.
  void take_over(const Place& place, std::string_view name, const ConfigError& error) {
    for (const Problem& found : error.problems()) {
      if (found.place.source.empty()) {
        problem(place, name, found.message);
      } else {
        problems_.push_back(found);
      }
    }
  }

  std::string absolute(const std::string& file) const {
    return (std::filesystem::absolute(base_) / expand_variables(file)).lexically_normal().string();
  }

  bool read_count(const YAML::Node& node, const Place& place, DeviceConfig& device) {
    const auto count = node.IsScalar() ? parse_integer(node.Scalar()) : std::nullopt;
    if (!count || *count < 1 || *count > kMostDryDevices) {
      return problem(
          place, "count",
          fmt::format("expected an integer from 1 to {}, found {}", kMostDryDevices, describe(node)));
    }
    device.count = *count;
    return true;
  }

  bool read_memory(const YAML::Node& node, const Place& place, DeviceConfig& device) {
    const auto given = node.IsScalar() ? parse_bytes(node.Scalar()) : std::nullopt;
    if (!given || *given < kLeastDryMemoryBytes || *given > kMostDryMemoryBytes) {
      return problem(
          place, "memory",
          fmt::format("expected bytes from {} to {}, such as 24GiB, found {}",
                      format_bytes(kLeastDryMemoryBytes), format_bytes(kMostDryMemoryBytes), describe(node)));
    }
    device.settings.memory_bytes = *given;
    return true;
  }

  bool read_clock(const YAML::Node& node, const Place& place, DeviceConfig& device) {
    const std::string text = node.IsScalar() ? node.Scalar() : std::string();
    if (text != "none" && text != "modelled")
      return problem(place, "clock", fmt::format("expected none or modelled, found {}", describe(node)));
    device.settings.models_time = text == "modelled";
    return true;
  }

  bool read_cudnn_workspaces(const YAML::Node& node, const Place& place, DeviceConfig& device) {
    // YAML 1.1 has a truth value of that name, which people write in quotes or without.
    const std::string text = node.IsScalar() ? node.Scalar() : std::string();
    if (text != "asked" && text != "off")
      return problem(place, "cudnn_workspaces",
                     fmt::format("expected asked or off, found {}", describe(node)));
    device.settings.asks_cudnn = text == "asked";
    return true;
  }

  bool read_workspace(const YAML::Node& node, const Place& place, std::string_view name,
                      std::int64_t& bytes) {
    const auto given = node.IsScalar() ? parse_bytes(node.Scalar()) : std::nullopt;
    if (!given || *given < 0 || *given > kMostWorkspaceBytes) {
      return problem(
          place, name,
          fmt::format("expected bytes, such as 32MiB, of less than 2GiB, found {}", describe(node)));
    }
    bytes = *given;
    return true;
  }

  bool problem(const Place& place, std::string_view name, std::string message) {
    problems_.push_back({place, fmt::format("{}.{}", kDeviceKey, name), std::move(message)});
    return false;
  }

  void refuse() {
    problems_.push_back({value_.place, std::string(kDeviceKey),
                         fmt::format("expected {}, found {}", expectation(find_key(kDeviceKey)->type),
                                     describe(value_.node))});
  }

  const WrittenValue& value_;
  const std::filesystem::path& base_;
  std::vector<Problem>& problems_;
};

}  // namespace

std::string to_text(const DeviceConfig& device) {
  if (device.kind == DeviceKind::kCpu) return "cpu";
  if (!device.is_dry()) return fmt::format("cuda:{}", device.index);
  return device.count == 1 ? "dry " + device.dry : fmt::format("dry {}:{}", device.dry, device.count);
}

std::optional<DeviceConfig> read_device(const WrittenValue& value, const std::filesystem::path& base,
                                        std::vector<Problem>& problems) {
  return DeviceReader(value, base, problems).read();
}

DeviceConfig parse_device(const std::string& text, const std::filesystem::path& base) {
  const Place place{.source = "command line", .line = 0, .column = 0, .command_line = true};
  std::vector<Problem> problems;
  const std::optional<DeviceConfig> device = read_device({YAML::Load(text), place}, base, problems);
  if (!device) throw ConfigError(std::move(problems));
  return *device;
}

}  // namespace strata::config
