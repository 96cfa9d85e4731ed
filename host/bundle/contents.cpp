// SPDX-License-Identifier: Apache-2.0
#include "host/bundle/contents.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "host/analysis/analyse.hpp"
#include "host/export/snapshot/memory_viz.hpp"
#include "host/grid/measure.hpp"
#include "host/grid/processes/durable_file.hpp"
#include "host/grid/table/table.hpp"
#include "host/report/plot/file_format.hpp"
#include "host/report/plot/plots.hpp"

namespace strata::bundle {
namespace {

using report::plot::file_format_named;
using report::plot::Picture;

constexpr std::array<std::pair<Picture, const char*>, 4> kPictures{{{Picture::kMemory, "memory"},
                                                                    {Picture::kCategories, "categories"},
                                                                    {Picture::kLayers, "layers"},
                                                                    {Picture::kPeak, "peak"}}};
constexpr std::array<std::pair<Part, const char*>, 4> kFiles{{{Part::kPage, "report.html"},
                                                              {Part::kConfig, "config.yaml"},
                                                              {Part::kManifest, "manifest.json"},
                                                              {Part::kSummary, "summary.json"}}};

class Text : public exports::Output {
 public:
  void write(std::string_view bytes) override { text_ += bytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// When the run wrote its last file: bundled again, it is the same archive.
std::int64_t modified(const std::filesystem::path& run) {
  struct stat found {};
  for (const char* const name : {"summary.json", "manifest.json", "config.yaml"}) {
    if (stat((run / name).c_str(), &found) == 0) return found.st_mtim.tv_sec;
  }
  return 0;
}

grid::ColumnKind kind_of(grid::Unit unit) {
  switch (unit) {
    case grid::Unit::kBytes:
      return grid::ColumnKind::kBytes;
    case grid::Unit::kNanoseconds:
      return grid::ColumnKind::kNanoseconds;
    case grid::Unit::kPerSecond:
      return grid::ColumnKind::kPerSecond;
    case grid::Unit::kNone:
      break;
  }
  return grid::ColumnKind::kNumber;
}

grid::Table empty_table() {
  grid::Table table{.columns = {{"file", grid::ColumnKind::kText},
                                {"run", grid::ColumnKind::kText},
                                {"times", grid::ColumnKind::kText}},
                    .rows = {}};
  for (const grid::MeasureName& each : grid::kMeasureNames)
    table.columns.push_back({std::string(each.name), kind_of(each.unit)});
  return table;
}

std::vector<grid::Entry> row_of(const std::string& name, const std::filesystem::path& run) {
  const auto result = grid::read_result(run);
  std::vector<grid::Entry> row{grid::text_entry(name), grid::text_entry(run.filename().string()),
                               grid::text_entry(!result            ? ""
                                                : result->measured ? "measured"
                                                                   : "dry")};
  for (const grid::MeasureName& each : grid::kMeasureNames)
    row.push_back(grid::number_entry(result ? result->measures[each.measure] : std::nullopt));
  return row;
}

class RunWriter {
 public:
  RunWriter(std::filesystem::path run, std::string name, const Contents& contents, Archive& archive)
      : run_(std::move(run)),
        contents_(contents),
        archive_(archive),
        name_(std::move(name)),
        modified_(modified(run_)) {}

  void write(const std::function<void(const std::string&)>& told) {
    for (const auto& [part, file] : kFiles) {
      if (!has(part)) continue;
      const std::string text = grid::read_if_there(run_ / file);
      if (text.empty())
        told(fmt::format("{} has no {}", run_.string(), file));
      else
        add(part == Part::kPage ? ".html" : fmt::format(".{}", file), text);
    }
    if (has(Part::kPickle) || has(Part::kPictures)) write_drawn();
  }

 private:
  bool has(Part part) const { return contents_.parts.contains(part); }

  void add(const std::string& ending, std::string_view text) {
    archive_.add(fmt::format("{}/{}{}", contents_.folder, name_, ending), text, modified_);
  }

  void write_drawn() {
    const analysis::Facts facts = analysis::analyse(run_);
    if (has(Part::kPickle)) {
      Text pickle;
      exports::write_memory_viz(facts, pickle);
      add(".pickle", pickle.text());
    }
    if (!has(Part::kPictures)) return;
    for (const auto& [picture, name] : kPictures) {
      for (const std::string& format : contents_.picture_formats) {
        report::plot::PlotOptions options;
        options.format = file_format_named(format).value();
        add(fmt::format("-{}.{}", name, format), draw(facts, picture, options));
      }
    }
  }

  std::filesystem::path run_;
  const Contents& contents_;
  Archive& archive_;
  std::string name_;
  std::int64_t modified_;
};

// "memory_train" of "memory_train_none_ctxnone_batchnone_none_none".
std::string without_unknown(const std::string& name) {
  std::string known;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    const std::string part = name.substr(at, end - at);
    if (!part.ends_with("none")) known += (known.empty() ? "" : "_") + part;
    at = end + 1;
  }
  return known.empty() ? name : known;
}

// A program that strata exec recorded has no configuration: its name is all that is known of it.
std::string name_of(const std::filesystem::path& run, const NameTemplate& names) {
  if (const std::string config = grid::read_if_there(run / "config.yaml"); !config.empty())
    return names.name_for(config);
  const auto manifest = nlohmann::json::parse(grid::read_if_there(run / "manifest.json"), nullptr, false);
  const bool is_named = manifest.is_object() && manifest.contains("name") && manifest["name"].is_string();
  // A JSON string is one of YAML, too.
  return without_unknown(names.name_for(is_named ? "name: " + manifest["name"].dump() : ""));
}

}  // namespace

void write_contents(const std::vector<std::filesystem::path>& runs, const NameTemplate& names,
                    const Contents& contents, Archive& archive,
                    const std::function<void(const std::string&)>& told) {
  // Those that the tables have.
  std::set<std::string> taken{"table"};
  grid::Table table = empty_table();
  std::int64_t last = 0;
  for (const std::filesystem::path& run : runs) {
    const std::string name = unique_name(name_of(run, names), taken);
    RunWriter(run, name, contents, archive).write(told);
    table.rows.push_back(row_of(name, run));
    last = std::max(last, modified(run));
  }
  if (!contents.parts.contains(Part::kTable)) return;
  archive.add(contents.folder + "/table.csv", csv_table(table), last);
  archive.add(contents.folder + "/table.md", markdown_table(table), last);
}

}  // namespace strata::bundle
