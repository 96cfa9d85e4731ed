// SPDX-License-Identifier: Apache-2.0
// The one table of everything that a run's YAML may say. Parsing, the help text, the JSON Schema and the
// resolved config.yaml are all made from it; a default stands here and nowhere else.
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

// A type says which values a key takes and how they reach their field of a RunConfig.

// Any text; `folder_name` restricts it to what can name a folder everywhere. `names`: it is one of these, as
// `expected` says; which of them is right depends on other keys and is checked after all are read.
struct TextType {
  std::string (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::string);
  bool folder_name = false;
  std::vector<std::string_view> names = {};
  std::string_view expected = {};
};

// One of a few names. Those of `later` are known and refused: a later release brings them.
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

// Both ends included.
struct IntegerType {
  std::int64_t (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::int64_t);
  std::int64_t minimum = 0;
  std::int64_t maximum = INT64_MAX;
};

// Bytes, with an optional unit: 512, 64KiB, 1.5GiB. Both ends included.
struct BytesType {
  std::int64_t (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::int64_t);
  std::int64_t minimum = 0;
  std::int64_t maximum = INT64_MAX;
};

// A finite number; an open end is excluded.
struct RealType {
  double (*get)(const RunConfig&);
  void (*set)(RunConfig&, double);
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool open_minimum = false;
  bool open_maximum = false;
};

// Whole numbers from the first to the last, both included: 3-8, or 5 alone. A way to say what other keys say,
// so that it has no value of its own to read.
struct RangeType {
  void (*set)(RunConfig&, std::int64_t first, std::int64_t last);
  std::int64_t maximum = INT64_MAX;
};

// One file name or pattern, or a list of them.
struct PathListType {
  const std::vector<std::string>& (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::vector<std::string>);
};

// One name or a list of names. Which of them are right depends on other keys and is checked after all are
// read.
struct NameListType {
  const std::vector<std::string>& (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::vector<std::string>);
};

// A file that says what other keys say, so that it has no value of its own to read.
struct FileType {};

// One file, made absolute against the folder of the file that names it, or the current one on the command
// line.
struct PathType {
  std::string (*get)(const RunConfig&);
  void (*set)(RunConfig&, std::string);
};

// A list of plugin names, each alone or with its options: [a, b: {key: value}].
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

// The key has a meaning only while another, of the same section or of the top, has one of these values.
struct Condition {
  std::string_view key;
  std::vector<std::string_view> values;

  // "optimizer.name: adamw or adam".
  std::string text() const;
};

struct Key {
  std::string_view path;  // "optimizer.lr"
  Type type;
  std::string_view default_text = {};  // as it would be written in YAML; empty: see `default_help`
  std::string_view help = {};          // one sentence
  std::string_view default_help = {};  // without a default text: where the value comes from
  bool required = false;
  // Required while the condition holds. It is checked with all keys read, and not by the table's reader.
  std::optional<Condition> required_when = {};
  std::string_view unless_written = {};  // a key of its section in whose presence it is not
  std::optional<Condition> only_when = {};
  std::vector<std::string_view> instead_of = {};  // keys of its section that cannot stand beside it

  std::string_view section() const;  // "optimizer"; empty at the top
  std::string_view name() const;     // "lr"
};

struct Section {
  std::string_view path;
  std::string_view help;
};

// In the order in which help and config.yaml show them.
std::span<const Key> keys();
std::span<const Section> sections();

// Null when there is no such key or section.
const Key* find_key(std::string_view path);
const Section* find_section(std::string_view path);

// What a key of choices says in `config`: "adamw" for "optimizer.name".
std::string_view chosen_name(const RunConfig& config, std::string_view key);

// Names of the keys in a section, and of the sections at the top.
std::vector<std::string_view> names_in(std::string_view section);

// What a value of that type must be, to follow "expected ": "an integer from 1 to 10000".
std::string expectation(const Type& type);

}  // namespace strata::config
