// SPDX-License-Identifier: Apache-2.0
#include "host/config/reading/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "host/config/nearest.hpp"
#include "host/config/problem.hpp"
#include "host/config/reading/node.hpp"

namespace strata::config {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(Place place, std::string message) {
  throw ConfigError({{.place = std::move(place), .key = {}, .message = std::move(message)}});
}

Place whole(const std::string& source) {
  return {.source = source};
}

// Length of the UTF-8 sequence at the front of `text`, or 0 if it is invalid (overlong, surrogate,
// truncated).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char second_from = 0x80, second_to = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) second_from = 0xA0;
    if (lead == 0xED) second_to = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) second_from = 0x90;
    if (lead == 0xF4) second_to = 0x8F;
  } else {
    return 0;
  }
  if (text.size() < length || byte(1) < second_from || byte(1) > second_to) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

void require_utf8(std::string_view text, const std::string& source) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    refuse(whole(source), "expected UTF-8, found UTF-16; save the file as UTF-8");
  }
  Place place{.source = source, .line = 1, .column = 1};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0 || text[at] == '\0') {
      refuse(place, fmt::format("expected UTF-8 text, found the byte 0x{:02x}; is this a YAML file?",
                                static_cast<unsigned char>(text[at])));
    }
    if (text[at] == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
    at += length;
  }
}

// How many documents begin in a text.
class DocumentCount : public YAML::EventHandler {
 public:
  std::size_t count() const { return count_; }

  void OnDocumentStart(const YAML::Mark&) override { ++count_; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

 private:
  std::size_t count_ = 0;
};

// 0, 1, or 2 for any more. YAML::LoadAll would make empty ones until memory is full where it cannot go past a
// token, as in "- a\n, b". Throws YAML::Exception.
std::size_t documents_in(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentCount documents;
  while (documents.count() < 2 && parser.HandleNextDocument(documents)) {
  }
  return documents.count();
}

// A hint for a user who passed a run's folder in place of its configuration.
std::string folder_text(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "config.yaml", error))
    return fmt::format("the folder of a run; its configuration is {}", (folder / "config.yaml").string());
  if (!fs::exists(folder / "manifest.json", error)) return "a folder";
  return fmt::format(
      "the folder of a recorded program, which has no configuration; `strata report {}` shows its report",
      folder.string());
}

// The parser reports a line indented with a tab as an illegal value. Returns the first such line, from 1, up
// to `last`; 0 if there is none.
std::size_t line_behind_tab(std::string_view text, std::size_t last) {
  for (std::size_t line = 1; line <= last && !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view indent = text.substr(0, std::min(text.find_first_not_of(" \t"), end));
    if (indent.find('\t') != std::string_view::npos) return line;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return 0;
}

[[noreturn]] void refuse_no_yaml(const YAML::Exception& error, std::string_view text,
                                 const std::string& source) {
  if (error.mark.is_null()) refuse(whole(source), fmt::format("not valid YAML: {}", error.msg));
  const auto line = static_cast<std::size_t>(error.mark.line) + 1;
  if (const std::size_t tab = line_behind_tab(text, line); tab != 0)
    refuse({.source = source, .line = static_cast<int>(tab), .column = 1},
           "is indented with a tab, which YAML does not allow; use spaces");
  refuse({.source = source, .line = static_cast<int>(line), .column = error.mark.column + 1},
         fmt::format("not valid YAML: {}", error.msg));
}

// "; did you mean 'configs/quickstart.yaml'?": of what lies in the same folder and may be read as YAML.
std::string neighbour_text(const fs::path& file) {
  const std::string meant = nearest_beside(file, [](const fs::directory_entry& entry) {
    const std::string extension = entry.path().extension().string();
    return extension == ".yaml" || extension == ".yml";
  });
  return meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
}

}  // namespace

std::string read_text(const fs::path& file) {
  const std::string source = file.string();
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) refuse(whole(source), "no such file" + neighbour_text(file));
  if (fs::is_directory(status)) refuse(whole(source), "expected a YAML file, found " + folder_text(file));
  if (file.extension() == ".py") {
    refuse(whole(source),
           fmt::format("expected a YAML file, found a program; record it with `strata exec -- python {}`",
                       source));
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(kLargestFileBytes + 1, '\0');
  if (!in) refuse(whole(source), fmt::format("cannot be read: {}", std::strerror(errno)));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) refuse(whole(source), fmt::format("cannot be read: {}", std::strerror(errno)));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kLargestFileBytes) {
    refuse(whole(source),
           fmt::format("is larger than {} bytes, the limit for a configuration", kLargestFileBytes));
  }
  return text;
}

YAML::Node parse_document(std::string_view text, const std::string& source) {
  require_utf8(text, source);
  std::size_t documents = 0;
  YAML::Node root;
  try {
    documents = documents_in(std::string(text));
    root = YAML::Load(std::string(text));
  } catch (const YAML::DeepRecursion&) {
    refuse(whole(source), "is nested too deeply for a configuration");
  } catch (const YAML::Exception& error) {
    refuse_no_yaml(error, text, source);
  }
  if (documents < 2 && root.IsNull()) {
    refuse(whole(source),
           "is empty; expected at least `model: {size: ...}` (see `strata run --help-config`)");
  }
  if (documents > 1) {
    refuse(whole(source),
           fmt::format("expected one YAML document, found {} (separated by `---`)", documents));
  }
  if (!root.IsMap()) {
    const Place start{.source = source, .line = 1, .column = 1};
    refuse(place_of(root, start),
           fmt::format("expected a mapping of keys such as `model:`, found {}", describe(root)));
  }
  return root;
}

YAML::Node parse_value(const std::string& text) {
  return YAML::Load(text);
}

}  // namespace strata::config
