// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/answer_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "host/config/files/number_type.hpp"
#include "host/config/nearest.hpp"
#include "host/config/problem.hpp"
#include "host/config/reading/document.hpp"
#include "host/config/reading/node.hpp"

namespace strata::config {
namespace {

constexpr std::string_view kAnswerSchema = "strata.answers/1";
constexpr std::array<std::string_view, 2> kFileKeys = {"schema", "answers"};
constexpr std::array<std::string_view, 4> kAnswerKeys = {"reader", "type", "values", "then"};
constexpr std::array<std::string_view, 3> kThens = {"repeat_last", "cycle", "unknown"};

// A reader is a word in the form in which a process gets its answers, where '#' begins a comment.
bool is_word(std::string_view text) {
  const auto is_visible = [](unsigned char letter) { return std::isgraph(letter) != 0 && letter != '#'; };
  return !text.empty() && std::ranges::all_of(text, is_visible);
}

std::string what_is_there(const YAML::Node& node) {
  if (!node) return "nothing";
  return node.IsSequence() && node.size() == 0 ? "an empty list" : describe(node);
}

class AnswerReader {
 public:
  explicit AnswerReader(std::string source) : whole_{.source = std::move(source)} {}

  std::vector<Answer> read(const YAML::Node& document) {
    check_keys(document, "", kFileKeys);
    const YAML::Node schema = document["schema"];
    if (!schema || !schema.IsScalar() || schema.Scalar() != kAnswerSchema)
      problem(schema, "schema", fmt::format("expected {}, the version of this format", kAnswerSchema));
    const YAML::Node answers = document["answers"];
    if (!answers || !answers.IsSequence() || answers.size() == 0) {
      problem(answers, "answers",
              fmt::format("expected a list of answers, found {}", what_is_there(answers)));
    } else {
      for (std::size_t index = 0; index < answers.size(); ++index)
        read_answer(answers[index], fmt::format("answers[{}]", index));
    }
    if (problems_.empty()) return std::move(answers_);
    sort_problems(problems_);
    throw ConfigError(std::move(problems_));
  }

 private:
  void read_answer(const YAML::Node& node, const std::string& key) {
    if (!node.IsMap())
      return problem(
          node, key,
          fmt::format("expected {{{}}}, found {}", fmt::join(kAnswerKeys, ", "), what_is_there(node)));
    check_keys(node, key + ".", kAnswerKeys);
    Answer answer;
    answer.reader = read_reader(node["reader"], node, key + ".reader");
    answer.then = read_then(node["then"], key + ".then");
    if (const auto type = read_type(node["type"], node, key + ".type")) {
      answer.value_bytes = type->bytes();
      answer.values = read_values(node["values"], node, key + ".values", *type);
    }
    check_is_first(node, key, answer);
    answers_.push_back(std::move(answer));
  }

  std::string read_reader(const YAML::Node& node, const YAML::Node& answer, const std::string& key) {
    if (node && node.IsScalar() && is_word(node.Scalar())) return node.Scalar();
    problem(node ? node : answer, key,
            fmt::format("expected a reader in one word, as in unknown_reads_by of an account "
                        "(aten::_local_scalar_dense for .item()), found {}",
                        what_is_there(node)));
    return {};
  }

  std::string read_then(const YAML::Node& node, const std::string& key) {
    if (!node) return std::string(kThens.front());
    if (node.IsScalar() && std::ranges::find(kThens, node.Scalar()) != kThens.end()) return node.Scalar();
    const std::string written = node.IsScalar() ? node.Scalar() : std::string();
    problem(node, key,
            fmt::format("expected {}, found {}{}", fmt::join(kThens, ", "), what_is_there(node),
                        did_you_mean(written, kThens)));
    return {};
  }

  std::optional<NumberType> read_type(const YAML::Node& node, const YAML::Node& answer,
                                      const std::string& key) {
    const std::string written = node && node.IsScalar() ? node.Scalar() : std::string();
    if (const auto type = NumberType::find(written)) return type;
    problem(node ? node : answer, key,
            fmt::format("expected one of {}, found {}{}", fmt::join(NumberType::names(), ", "),
                        what_is_there(node), did_you_mean(written, NumberType::names())));
    return std::nullopt;
  }

  std::string read_values(const YAML::Node& node, const YAML::Node& answer, const std::string& key,
                          const NumberType& type) {
    std::string values;
    if (!node || !node.IsSequence() || node.size() == 0) {
      problem(node ? node : answer, key,
              fmt::format("expected a list of values in the order in which they are read, found {}",
                          what_is_there(node)));
      return values;
    }
    for (const YAML::Node& value : node) {
      const auto encoded = value.IsScalar() ? type.encode(value.Scalar()) : std::nullopt;
      if (encoded) {
        values += *encoded;
      } else {
        problem(value, key, fmt::format("expected {}, found {}", type.expectation(), describe(value)));
      }
    }
    return values;
  }

  // A read is identified only by its reader and size, so answers must differ in these.
  void check_is_first(const YAML::Node& node, const std::string& key, const Answer& answer) {
    if (answer.reader.empty() || answer.value_bytes == 0) return;
    const auto same = std::ranges::find_if(answers_, [&](const Answer& other) {
      return other.reader == answer.reader && other.value_bytes == answer.value_bytes;
    });
    if (same == answers_.end()) return;
    problem(node, key,
            fmt::format("answers[{}] already answers reads by {} of {} {}: put all values into one list",
                        same - answers_.begin(), answer.reader, answer.value_bytes,
                        answer.value_bytes == 1 ? "byte" : "bytes"));
  }

  void check_keys(const YAML::Node& node, const std::string& prefix,
                  std::span<const std::string_view> known) {
    for (const auto& entry : node) {
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : describe(entry.first);
      if (std::ranges::find(known, name) == known.end())
        problem(entry.first, prefix + name, "unknown key" + did_you_mean(name, known));
    }
  }

  void problem(const YAML::Node& node, std::string key, std::string message) {
    problems_.push_back({node ? place_of(node, whole_) : whole_, std::move(key), std::move(message)});
  }

  const Place whole_;
  std::vector<Answer> answers_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Answer> load_answers(const std::filesystem::path& file) {
  return AnswerReader(file.string()).read(parse_document(read_text(file), file.string()));
}

}  // namespace strata::config
