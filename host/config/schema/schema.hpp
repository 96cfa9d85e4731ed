// SPDX-License-Identifier: Apache-2.0
// The table of all keys of a run's YAML. Parsing, the help text, the JSON Schema and the resolved config.yaml
// are all derived from it; defaults are defined only here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/config/run_config.hpp"

namespace strata::config {

// A type defines the values of a key and how they are stored in a field of RunConfig.

// Any text; `folder_name` restricts it to valid folder names. `names`: it is one of several names, described
// by `expected`; which of them are valid depends on other keys and is checked after all keys are read.
struct TextType {
  std::string (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::string);
  bool folder_name = false;
  std::vector<std::string_view> names = {};
  std::string_view expected = {};
};

// One of several names. Those in `later` are known but rejected: they are planned for a later release.
struct ChoiceType {
  std::vector<std::string_view> names;
  std::vector<std::string_view> later;
  std::size_t (*get)(const RunConfig&, std::span<const std::string_view> names);
  void (*set)(RunConfig&, std::span<const std::string_view> names, std::size_t chosen);
};

struct FlagType {
  bool (*get)(const RunConfig&);
  void (*set)(RunConfig&, bool);
};

// Both limits inclusive.
struct IntegerType {
  std::int64_t (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::int64_t);
  std::int64_t minimum = 0;
  std::int64_t maximum = INT64_MAX;
};

// Bytes, with an optional unit: 512, 64KiB, 1.5GiB. Both limits inclusive.
struct BytesType {
  std::int64_t (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::int64_t);
  std::int64_t minimum = 0;
  std::int64_t maximum = INT64_MAX;
};

// A finite number; an open limit is exclusive.
struct RealType {
  double (*get)(const RunConfig&);
  void (*set)(RunConfig&, double);
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool open_minimum = false;
  bool open_maximum = false;
};

// Integers from the first to the last, both inclusive: 3-8, or just 5. It is an alternative form of other
// keys and has no value of its own.
struct RangeType {
  void (*set)(RunConfig&, std::int64_t first, std::int64_t last);
  std::int64_t maximum = INT64_MAX;
};

// One file name or pattern, or a list of them.
struct PathListType {
  const std::vector<std::string>& (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::vector<std::string>);
};

// One name or a list of names. Which of them are valid depends on other keys and is checked after all keys
// are read.
struct NameListType {
  const std::vector<std::string>& (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::vector<std::string>);
};

// A file whose contents replace other keys; it has no value of its own.
struct FileType {};

// One file, made absolute relative to the folder of the file that names it, or the current folder on the
// command line.
struct PathType {
  std::string (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::string);
};

// A list of plugin names, each with or without options: [a, b: {key: value}].
struct PluginListType {
  const std::vector<PluginRequest>& (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::vector<PluginRequest>);
};

// cpu, cuda, cuda:1, or {dry: h100-80gb, count: 8}.
struct ComputeDeviceType {
  const DeviceConfig& (*get)(const RunConfig&);
  void (*set)(RunConfig&, DeviceConfig);
};

// none, block, {every: 2} or {select: attention}; a mapping may add reentrant: true or offload: true.
struct CheckpointingType {
  const CheckpointingConfig& (*get)(const RunConfig&);
  void (*set)(RunConfig&, CheckpointingConfig);
};

using Type =
    std::variant<TextType, ChoiceType, FlagType, IntegerType, BytesType, RealType, RangeType, FileType,
                 PathType, PathListType, NameListType, PluginListType, ComputeDeviceType, CheckpointingType>;

// The key only applies if another key, in the same section or at the top level, has one of these values.
struct Condition {
  std::string_view key;
  std::vector<std::string_view> values;

  // "optimizer.name: adamw or adam".
  std::string text() const;
};

struct Key {
  std::string_view path;  // "optimizer.lr"
  Type type;
  std::string_view default_text = {};  // as written in YAML; empty: see `default_help`
  std::string_view help = {};          // one sentence
  std::string_view default_help = {};  // without a default text: the origin of the value
  bool required = false;
  // Required if the condition holds. Checked after all keys are read, not by the table's reader.
  std::optional<Condition> required_when = {};
  std::string_view unless_written = {};  // a key of its section that replaces it
  std::optional<Condition> only_when = {};
  std::vector<std::string_view> instead_of = {};  // keys of its section that cannot be combined with it

  std::string_view section() const;  // "optimizer"; empty at the top
  std::string_view name() const;     // "lr"
};

struct Section {
  std::string_view path;
  std::string_view help;
};

// In the order of help and config.yaml.
std::span<const Key> keys();
std::span<const Section> sections();

// Null if there is no such key or section.
const Key* find_key(std::string_view path);
const Section* find_section(std::string_view path);

// The chosen name of a key in `config`: "adamw" for "optimizer.name".
std::string_view chosen_name(const RunConfig& config, std::string_view key);

// Names of the keys in a section, or of the sections at the top level.
std::vector<std::string_view> names_in(std::string_view section);

// The description of valid values of that type, to follow "expected ": "an integer from 1 to 10000".
std::string expectation(const Type& type);

}  // namespace strata::config
