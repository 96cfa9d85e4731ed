// SPDX-License-Identifier: Apache-2.0
#include "host/cli/snapshot_run.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/report/quantity.hpp"
#include "host/snapshot/run/convert.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// What is in the folder of an earlier conversion.
enum class Earlier { kNone, kCurrent, kOutdated, kOther };

Earlier earlier_conversion(const fs::path& folder, const snapshot::SnapshotFile& file) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(folder, ignored);
  if (!fs::exists(status)) return Earlier::kNone;
  if (!fs::is_directory(status)) return Earlier::kOther;
  std::ifstream stream(folder / "manifest.json");
  const nlohmann::json manifest = nlohmann::json::parse(stream, nullptr, false);
  const auto section = manifest.is_object() ? manifest.find("snapshot") : manifest.end();
  if (section == manifest.end() || !section->is_object()) return Earlier::kOther;
  const bool is_current = section->value("form", nlohmann::json()) == snapshot::kForm &&
                          section->value("bytes", nlohmann::json()) == file.bytes &&
                          section->value("modified_ns", nlohmann::json()) == file.modified_ns &&
                          manifest.value("state", nlohmann::json()) == "closed";
  return is_current ? Earlier::kCurrent : Earlier::kOutdated;
}

fs::path folder_for(const fs::path& file) {
  const std::string name = file.filename().string() + ".run";
  const fs::path beside = file.parent_path() / name;
  std::error_code ignored;
  const bool is_usable = fs::exists(beside, ignored) || access(file.parent_path().c_str(), W_OK | X_OK) == 0;
  return is_usable ? beside : fs::current_path() / name;
}

}  // namespace

bool may_be_snapshot(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  const std::string ending = file.extension().string();
  if (ending == ".pickle" || ending == ".pkl") return true;
  constexpr int kPickle = 0x80;
  return std::ifstream(file, std::ios::binary).get() == kPickle;
}

fs::path run_of_snapshot(const fs::path& file) {
  const snapshot::SnapshotFile identity = snapshot::identify(file);
  fs::path folder = folder_for(fs::absolute(file).lexically_normal());
  switch (earlier_conversion(folder, identity)) {
    case Earlier::kCurrent:
      return folder;
    case Earlier::kOther:
      throw UsageError(
          fmt::format("{} is in the way: the run made of {} belongs there, and it is none. Move it",
                      folder.string(), file.string()));
    case Earlier::kNone:
    case Earlier::kOutdated:
      break;
  }
  // Under another name until it is complete.
  const fs::path part = fmt::format("{}.part-{}", folder.string(), getpid());
  RunDirectory made = RunDirectory::create(part);
  const snapshot::Conversion conversion = snapshot::convert(file, made.path());
  malloc_trim(0);  // the analysis of a large one needs the memory
  std::error_code error;
  fs::remove_all(folder, error);
  fs::rename(made.path(), folder, error);
  if (error) throw UsageError(fmt::format("{} cannot be created: {}", folder.string(), error.message()));
  made.keep();
  say(fmt::format("{}: made a run of torch's snapshot, {} on {}: {}", file.string(),
                  report::counted(conversion.events, "event", "events"),
                  report::counted(conversion.devices, "device", "devices"), folder.string()));
  return folder;
}

}  // namespace strata::cli
