// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/resolved.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>

#include "host/config/reading/value.hpp"
#include "host/config/schema/checkpointing.hpp"

namespace strata::config {
namespace {

// Whether a YAML reader of any version would take the unquoted text for text.
bool is_plain_text(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto inner = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
  };
  constexpr std::array kReserved{"null", "Null", "NULL", "y", "Y", "n", "N"};
  return !text.empty() && (letter(text[0]) || text[0] == '/') && std::ranges::all_of(text, inner) &&
         !parse_flag(text) && std::ranges::find(kReserved, text) == kReserved.end();
}

void emit_text(YAML::Emitter& out, const std::string& text) {
  if (!is_plain_text(text)) out << YAML::DoubleQuoted;
  out << text;
}

// An option's text was written unquoted or quoted: whichever reads back the same is right.
void emit_option(YAML::Emitter& out, const std::string& text) {
  if (parse_flag(text) || parse_real(text)) {
    out << text;
  } else {
    emit_text(out, text);
  }
}

void emit_device(YAML::Emitter& out, const DeviceConfig& device) {
  if (!device.is_dry()) return emit_text(out, to_text(device));
  out << YAML::Flow << YAML::BeginMap << YAML::Key << "dry" << YAML::Value;
  emit_text(out, device.dry);
  out << YAML::Key << "count" << YAML::Value << device.count;
  const DrySettings& settings = device.settings;
  const auto emit_bytes = [&](const char* key, std::int64_t bytes) {
    if (bytes == 0) return;
    out << YAML::Key << key << YAML::Value;
    emit_text(out, format_bytes(bytes));
  };
  emit_bytes("memory", settings.memory_bytes);
  if (!device.answers.empty()) {
    out << YAML::Key << "answers" << YAML::Value;
    emit_text(out, device.answers);
  }
  if (settings.models_time) out << YAML::Key << "clock" << YAML::Value << "modelled";
  if (!settings.asks_cudnn) out << YAML::Key << "cudnn_workspaces" << YAML::Value << "off";
  emit_bytes("cudnn_workspace", settings.cudnn_workspace_bytes);
  emit_bytes("cusolver_workspace", settings.cusolver_workspace_bytes);
  if (settings.nccl_memory_bytes) {
    out << YAML::Key << "nccl_memory" << YAML::Value;
    emit_text(out, format_bytes(*settings.nccl_memory_bytes));
  }
  out << YAML::EndMap;
}

struct ValueEmitter {
  YAML::Emitter& out;
  const RunConfig& config;

  void operator()(const TextType& type) const { emit_text(out, type.get(config)); }
  void operator()(const ChoiceType& type) const {
    emit_text(out, std::string(type.names[type.get(config, type.names)]));
  }
  void operator()(const FlagType& type) const { out << (type.get(config) ? "true" : "false"); }
  void operator()(const IntegerType& type) const { out << type.get(config); }
  void operator()(const BytesType& type) const { out << format_bytes(type.get(config)); }
  void operator()(const RealType& type) const { out << format_real(type.get(config)); }

  void operator()(const RangeType&) const {}
  void operator()(const FileType&) const {}
  void operator()(const PathType& type) const { emit_text(out, type.get(config)); }

  void operator()(const PathListType& type) const {
    out << YAML::BeginSeq;
    for (const std::string& pattern : type.get(config)) emit_text(out, pattern);
    out << YAML::EndSeq;
  }

  void operator()(const NameListType& type) const {
    out << YAML::Flow << YAML::BeginSeq;
    for (const std::string& name : type.get(config)) emit_text(out, name);
    out << YAML::EndSeq;
  }

  void operator()(const PluginListType& type) const {
    out << YAML::BeginSeq;
    for (const PluginRequest& plugin : type.get(config)) {
      if (plugin.options.empty()) {
        emit_text(out, plugin.name);
        continue;
      }
      out << YAML::BeginMap << YAML::Key;
      emit_text(out, plugin.name);
      out << YAML::Value << YAML::BeginMap;
      for (const PluginOption& option : plugin.options) {
        out << YAML::Key;
        emit_text(out, option.key);
        out << YAML::Value;
        emit_option(out, option.text);
      }
      out << YAML::EndMap << YAML::EndMap;
    }
    out << YAML::EndSeq;
  }

  void operator()(const ComputeDeviceType& type) const { emit_device(out, type.get(config)); }

  void operator()(const CheckpointingType& type) const {
    const CheckpointingConfig& checkpointing = type.get(config);
    if (checkpointing.part == CheckpointedPart::kNone) {
      out << "none";
    } else {
      out << YAML::Flow << YAML::Load(to_text(checkpointing));
    }
  }
};

bool is_written(const Key& key, const RunConfig& config) {
  const bool has_value =
      !std::holds_alternative<RangeType>(key.type) && !std::holds_alternative<FileType>(key.type);
  const auto* const path = std::get_if<PathType>(&key.type);
  const bool is_unset = path != nullptr && path->get(config).empty();
  return has_value && !is_unset && applies(key, config);
}

}  // namespace

bool applies(const Key& key, const RunConfig& config) {
  if (!key.only_when) return true;
  return std::ranges::find(key.only_when->values, chosen_name(config, key.only_when->key)) !=
         key.only_when->values.end();
}

std::string device_yaml(const DeviceConfig& device) {
  YAML::Emitter out;
  emit_device(out, device);
  return out.c_str();
}

std::string resolved_yaml(const RunConfig& config) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  std::string_view open_section;
  for (const Key& key : keys()) {
    if (!is_written(key, config)) continue;
    if (key.section() != open_section) {
      if (!open_section.empty()) out << YAML::EndMap;
      open_section = key.section();
      if (!open_section.empty())
        out << YAML::Key << std::string(open_section) << YAML::Value << YAML::BeginMap;
    }
    out << YAML::Key << std::string(key.name()) << YAML::Value;
    std::visit(ValueEmitter{out, config}, key.type);
  }
  if (!open_section.empty()) out << YAML::EndMap;
  out << YAML::EndMap;
  return std::string(out.c_str()) + '\n';
}

}  // namespace strata::config
