// SPDX-License-Identifier: Apache-2.0
#include "host/grid/slurm/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "host/config/reading/value.hpp"
#include "host/grid/processes/durable_file.hpp"

namespace strata::grid {
namespace {

constexpr const char* kSubmissionSchema = "strata.slurm/1";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::optional<Submission> read_submission(const std::filesystem::path& folder) try {
  const auto json = nlohmann::json::parse(read_if_there(folder / "jobs.json"));
  if (json.at("schema") != kSubmissionSchema) return std::nullopt;
  Submission submission{.folder = folder,
                        .ids = lines_of(read_if_there(folder / "cells.txt")),
                        .pack = json.at("pack").get<std::int64_t>(),
                        .arrays = {},
                        .collector = json.at("collector").get<std::string>()};
  for (const auto& each : json.at("arrays"))
    submission.arrays.push_back({.job = each.at("job").get<std::string>(),
                                 .offset = each.at("offset").get<std::int64_t>(),
                                 .tasks = each.at("tasks").get<std::int64_t>()});
  return submission;
} catch (const std::exception&) {
  return std::nullopt;
}

std::vector<std::int64_t> numbers_in(const std::filesystem::path& grid) {
  std::vector<std::int64_t> numbers;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(grid / "slurm", ignored)) {
    if (const auto number = config::parse_integer(entry.path().filename().string()))
      numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

std::filesystem::path Submission::array_script(std::size_t array) const {
  return folder / fmt::format("array-{}.sh", array);
}

Submission divided(std::filesystem::path folder, std::vector<std::string> ids, std::int64_t pack,
                   std::int64_t max_array_size) {
  const std::int64_t cells = static_cast<std::int64_t>(ids.size()), tasks = (cells + pack - 1) / pack;
  Submission submission{
      .folder = std::move(folder), .ids = std::move(ids), .pack = pack, .arrays = {}, .collector = {}};
  for (std::int64_t offset = 0; offset < tasks; offset += max_array_size)
    submission.arrays.push_back(
        {.job = {}, .offset = offset, .tasks = std::min(max_array_size, tasks - offset)});
  return submission;
}

void write_list(const Submission& submission) {
  std::string list;
  for (const std::string& id : submission.ids) list += id + '\n';
  write_durably(submission.list(), list);
}

void write_jobs(const Submission& submission) {
  nlohmann::ordered_json json = {
      {"schema", kSubmissionSchema}, {"pack", submission.pack}, {"collector", submission.collector}};
  json["arrays"] = nlohmann::ordered_json::array();
  for (const ArrayJob& each : submission.arrays)
    json["arrays"].push_back({{"job", each.job}, {"offset", each.offset}, {"tasks", each.tasks}});
  write_durably(submission.folder / "jobs.json", json.dump(2) + '\n');
}

std::vector<Submission> submissions_of(const std::filesystem::path& grid) {
  std::vector<Submission> all;
  for (const std::int64_t number : numbers_in(grid)) {
    if (auto one = read_submission(grid / "slurm" / std::to_string(number))) all.push_back(*std::move(one));
  }
  return all;
}

std::filesystem::path begin_submission(const std::filesystem::path& grid) {
  std::error_code error;
  std::filesystem::create_directories(grid / "slurm", error);
  if (error) throw WriteError(grid / "slurm", error.value());
  const auto numbers = numbers_in(grid);
  for (std::int64_t number = numbers.empty() ? 1 : numbers.back() + 1;; ++number) {
    std::filesystem::path folder = grid / "slurm" / std::to_string(number);
    // If two processes request one name, the file system gives it to only one.
    if (std::filesystem::create_directory(folder, error)) return folder;
    if (error) throw WriteError(folder, error.value());
  }
}

std::vector<std::string> cells_of_task(const std::filesystem::path& list, std::int64_t task,
                                       std::int64_t pack) {
  const std::vector<std::string> ids = lines_of(read_if_there(list));
  const auto count = static_cast<std::int64_t>(ids.size());
  if (count == 0) throw std::runtime_error(fmt::format("{} lists no cell", list.string()));
  // Divided, as a product could be too large.
  if (task < 0 || pack < 1 || task > (count - 1) / pack)
    throw std::runtime_error(
        fmt::format("{} has {} cells: no task {} of {} cells each", list.string(), count, task, pack));
  const auto begin = ids.begin() + task * pack;
  return {begin, begin + std::min(pack, count - task * pack)};
}

}  // namespace strata::grid
