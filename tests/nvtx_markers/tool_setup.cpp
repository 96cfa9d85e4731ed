// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "tests/nvtx_markers/recording.hpp"

namespace strata::test {
namespace {

// NVTX reads the environment at its first call, so this must run before any test.
class RecorderFile {
 public:
  RecorderFile()
      : path_(std::filesystem::temp_directory_path() / ("nvtx_markers_test." + std::to_string(getpid()))) {
    setenv("NVTX_INJECTION64_PATH", std::filesystem::absolute(NVTX_RECORDER_FILE).c_str(), 1);
    setenv("STRATA_TEST_NVTX_FILE", path_.c_str(), 1);
  }
  ~RecorderFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  RecorderFile(const RecorderFile&) = delete;
  RecorderFile& operator=(const RecorderFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
const RecorderFile kFile;

std::string with_payload(const nlohmann::json& event) {
  std::string text = event["event"].get<std::string>() + ' ' + event["message"].get<std::string>();
  if (event.contains("payload")) text += ' ' + std::to_string(event["payload"].get<std::uint64_t>());
  return text;
}

}  // namespace

Recording::Recording() : file_(kFile.path()) {
  std::ofstream(file_, std::ios::trunc);
}

std::vector<nlohmann::json> Recording::events() const {
  std::vector<nlohmann::json> events;
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) events.push_back(nlohmann::json::parse(line));
  return events;
}

std::vector<nlohmann::json> Recording::events(const std::string& event) const {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& one : events()) {
    if (one["event"] == event) found.push_back(one);
  }
  return found;
}

std::vector<std::string> Recording::story() const {
  std::map<std::uint64_t, std::string> ranges;
  std::vector<std::string> story;
  for (const nlohmann::json& event : events()) {
    const std::string kind = event["event"];
    if (kind == "start") ranges[event["id"]] = event["message"];
    if (kind == "push" || kind == "start" || kind == "mark") {
      story.push_back(with_payload(event));
    } else if (kind == "end") {
      story.push_back("end " + ranges[event["id"]]);
    } else if (kind == "pop") {
      story.emplace_back("pop");
    }
  }
  return story;
}

int Recording::open() const {
  int open = 0;
  for (const nlohmann::json& event : events()) {
    const std::string kind = event["event"];
    open += kind == "push" || kind == "start" ? 1 : 0;
    open -= kind == "pop" || kind == "end" ? 1 : 0;
  }
  return open;
}

}  // namespace strata::test
