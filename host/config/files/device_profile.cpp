// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/device_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <variant>

#include "host/config/nearest.hpp"
#include "host/config/problem.hpp"
#include "host/config/reading/document.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"

namespace strata::config {
namespace {

constexpr std::string_view kSchema = "strata.device/1";

using P = DeviceProfile;
using Member =
    std::variant<std::string P::*, std::uint64_t P::*, double P::*, ByteRange P::*, ComputeCapability P::*>;

struct Field {
  std::string_view key;
  Member member;
  bool may_be_missing = false;
};

constexpr std::array kFields{
    Field{"name", &P::name},
    Field{"compared", &P::compared, true},
    Field{"memory_bytes", &P::memory_bytes},
    Field{"context_bytes", &P::context_bytes},
    Field{"context_kernels_bytes", &P::context_kernels_bytes, true},
    Field{"context_cublas_bytes", &P::context_cublas_bytes, true},
    Field{"context_cudnn_bytes", &P::context_cudnn_bytes, true},
    Field{"context_cusolver_bytes", &P::context_cusolver_bytes, true},
    Field{"context_cufft_bytes", &P::context_cufft_bytes, true},
    Field{"context_attention_bytes", &P::context_attention_bytes, true},
    Field{"context_nccl_bytes", &P::context_nccl_bytes, true},
    Field{"communicator_bytes", &P::communicator_bytes, true},
    Field{"compute_capability", &P::compute_capability},
    Field{"multiprocessors", &P::multiprocessors},
    Field{"threads_per_multiprocessor", &P::threads_per_multiprocessor},
    Field{"blocks_per_multiprocessor", &P::blocks_per_multiprocessor},
    Field{"shared_bytes_per_multiprocessor", &P::shared_bytes_per_multiprocessor},
    Field{"shared_bytes_per_block_optin", &P::shared_bytes_per_block_optin},
    Field{"l2_bytes", &P::l2_bytes},
    Field{"memory_bus_bits", &P::memory_bus_bits},
    Field{"memory_clock_khz", &P::memory_clock_khz},
    Field{"clock_khz", &P::clock_khz},
    Field{"memory_gb_per_s", &P::memory_gb_per_s},
    Field{"fp32_tflops", &P::fp32_tflops},
    Field{"tf32_tflops", &P::tf32_tflops},
    Field{"fp16_tflops", &P::fp16_tflops},
    Field{"bf16_tflops", &P::bf16_tflops},
    Field{"fp8_tflops", &P::fp8_tflops},
};

std::vector<std::string_view> field_keys() {
  std::vector<std::string_view> keys = {"schema"};
  for (const Field& field : kFields) keys.push_back(field.key);
  return keys;
}

// Each reads a text into its type and is false where it does not fit.
bool assign(std::string& field, const std::string& text) {
  field = text;
  return !text.empty() && text.find('\n') == std::string::npos;
}

bool assign(std::uint64_t& field, const std::string& text) {
  const std::optional<std::int64_t> value = parse_bytes(text);
  if (!value || *value <= 0) return false;
  field = static_cast<std::uint64_t>(*value);
  return true;
}

bool assign(double& field, const std::string& text) {
  const std::optional<double> value = parse_real(text);
  if (!value || *value < 0.0) return false;
  field = *value;
  return true;
}

bool assign(ComputeCapability& field, const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return false;
  const auto major = parse_integer(text.substr(0, dot));
  const auto minor = parse_integer(text.substr(dot + 1));
  if (!major || !minor || *major < 1 || *minor < 0 || *minor > 9) return false;
  field = {static_cast<std::uint64_t>(*major), static_cast<std::uint64_t>(*minor)};
  return true;
}

bool assign(ByteRange& field, const std::string& text) {
  const bool fits = assign(field.low, text);
  field.high = field.low;
  return fits;
}

constexpr std::string_view expectation(const std::string&) {
  return "a name on one line";
}
constexpr std::string_view expectation(std::uint64_t) {
  return "a positive integer, with or without a unit (80GiB)";
}
constexpr std::string_view expectation(double) {
  return "a number that is not negative";
}
constexpr std::string_view expectation(const ComputeCapability&) {
  return "a compute capability such as \"9.0\"";
}
constexpr std::string_view expectation(const ByteRange&) {
  return "bytes, or {low: bytes, high: bytes}";
}

class Reader {
 public:
  Reader(std::string source, DeviceProfile& profile)
      : whole_{.source = std::move(source)}, profile_(profile) {}

  void read(const YAML::Node& document) {
    const std::vector<std::string_view> known = field_keys();
    for (const auto& entry : document) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : describe(entry.first);
      if (std::ranges::find(known, key) == known.end())
        problem(entry.first, key, "unknown key" + did_you_mean(key, known));
    }
    if (!document["schema"] || !document["schema"].IsScalar() || document["schema"].Scalar() != kSchema)
      problem(document["schema"], "schema", fmt::format("expected {}, the version of this format", kSchema));
    for (const Field& field : kFields) {
      const YAML::Node node = document[std::string(field.key)];
      if (!node) {
        if (!field.may_be_missing) problem(document, std::string(field.key), "missing");
        continue;
      }
      std::visit([&](auto member) { read_field(field.key, node, profile_.*member); }, field.member);
    }
    if (problems_.empty() && profile_.context_bytes.high >= profile_.memory_bytes)
      problem(document["context_bytes"], "context_bytes", "leaves no free memory of memory_bytes");
    if (problems_.empty()) return;
    sort_problems(problems_);
    throw ConfigError(std::move(problems_));
  }

 private:
  template <typename Value>
  void read_field(std::string_view key, const YAML::Node& node, Value& value) {
    const YAML::Node written = node.IsMap() && node["value"] ? node["value"] : node;
    if (written.IsScalar() && assign(value, written.Scalar())) return add_fact(key, written.Scalar(), node);
    if constexpr (std::is_same_v<Value, ByteRange>) {
      if (node.IsMap() && node["low"] && node["high"] && node["low"].IsScalar() && node["high"].IsScalar() &&
          assign(value.low, node["low"].Scalar()) && assign(value.high, node["high"].Scalar()) &&
          value.low <= value.high)
        return add_fact(key, node["low"].Scalar() + " to " + node["high"].Scalar(), node);
    }
    problem(node, std::string(key),
            fmt::format("expected {}, found {}", expectation(value), describe(written)));
  }

  void add_fact(std::string_view key, std::string value, const YAML::Node& node) {
    const bool has_source = node.IsMap() && node["source"] && node["source"].IsScalar();
    profile_.facts.push_back({key, std::move(value), has_source ? node["source"].Scalar() : std::string()});
  }

  void problem(const YAML::Node& node, std::string key, std::string message) {
    problems_.push_back({node ? place_of(node, whole_) : whole_, std::move(key), std::move(message)});
  }

  const Place whole_;
  DeviceProfile& profile_;
  std::vector<Problem> problems_;
};

std::string letters_and_digits(std::string_view text) {
  std::string kept;
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      kept += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return kept;
}

// Keys that contain the given text, such as "A100" and "4090"; if there are none or many, the nearest.
std::string meant_device(std::string_view written, const std::vector<std::string>& keys) {
  const std::string part = letters_and_digits(written);
  std::vector<std::string> meant;
  for (const std::string& key : keys) {
    if (!part.empty() && letters_and_digits(key).find(part) != std::string::npos)
      meant.push_back(fmt::format("'{}'", key));
  }
  constexpr std::size_t kMostMeant = 2;
  if (meant.empty() || meant.size() > kMostMeant)
    return did_you_mean(written, std::vector<std::string_view>(keys.begin(), keys.end()));
  return fmt::format("; did you mean {}?", fmt::join(meant, " or "));
}

}  // namespace

std::filesystem::path device_folder() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share/strata/devices";
}

std::vector<std::string> device_keys() {
  std::vector<std::string> keys;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(device_folder(), ignored)) {
    if (entry.path().extension() == ".yaml") keys.push_back(entry.path().stem().string());
  }
  std::ranges::sort(keys);
  return keys;
}

bool is_device_file(std::string_view key_or_path) {
  return key_or_path.find('/') != std::string_view::npos || key_or_path.ends_with(".yaml") ||
         key_or_path.ends_with(".yml");
}

DeviceProfile load_device_profile(const std::string& key_or_path) {
  std::filesystem::path file = key_or_path;
  if (!is_device_file(key_or_path)) {
    const std::vector<std::string> keys = device_keys();
    if (std::ranges::find(keys, key_or_path) == keys.end()) {
      throw NoSuchDevice({{.place = {},
                           .key = {},
                           .message = fmt::format("unknown device '{}'{}; `strata devices` lists all "
                                                  "devices; to use your own file, give its path (./my.yaml)",
                                                  key_or_path, meant_device(key_or_path, keys))}});
    }
    file = device_folder() / (key_or_path + ".yaml");
  }
  DeviceProfile profile;
  profile.key = file.stem().string();
  profile.file = file;
  Reader(file.string(), profile).read(parse_document(read_text(file), file.string()));
  return profile;
}

}  // namespace strata::config
