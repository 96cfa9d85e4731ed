// SPDX-License-Identifier: Apache-2.0
#include "host/grid/outcome.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace strata::grid {
namespace {

// The exit codes of `strata run` (see the documentation).
constexpr int kExitDone = 0, kExitOutOfMemory = 3, kExitSignalBase = 128;
constexpr std::uintmax_t kLeastRoom = std::uintmax_t{16} << 20;
constexpr std::size_t kTail = 65536, kLongestReason = 400;

// Sent by people, schedulers and the kernel, not raised by a program that is wrong.
bool comes_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

bool is_of_a_limit(int signal) {
  return signal == SIGXFSZ;
}

std::string signal_text(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string tail_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0));
  const std::size_t count = std::min(size, kTail);
  std::string text(count, '\0');
  in.seekg(static_cast<std::streamoff>(size - count));
  in.read(text.data(), static_cast<std::streamsize>(count));
  return text;
}

CellState lost(CellState state, std::string reason) {
  state.status = Status::kLost;
  state.reason = std::move(reason);
  return state;
}

CellState failed(CellState state, std::string reason) {
  state.status = Status::kFailed;
  state.reason = std::move(reason);
  return state;
}

std::string out_of_memory_reason(const std::optional<RunResult>& result) {
  if (!result || !result->out_of_memory) return "out of the device's memory";
  const OutOfMemory& failure = *result->out_of_memory;
  std::string text =
      fmt::format("requested {:.1f} MiB", static_cast<double>(failure.requested_bytes) / 1048576.0);
  if (!failure.op.empty()) text += fmt::format(" in {}", failure.op);
  if (!failure.layer.empty()) text += fmt::format(" of {}", failure.layer);
  if (!failure.phase.empty()) text += fmt::format(" ({})", failure.phase);
  if (failure.rank >= 0) text += fmt::format(" on rank {}", failure.rank);
  text += fmt::format(" with {:.1f} MiB allocated", static_cast<double>(failure.allocated_bytes) / 1048576.0);
  if (!failure.filled_by.empty()) text += fmt::format(": {}", failure.filled_by);
  return text;
}

CellState with_result(CellState state, Status status, std::optional<RunResult> result) {
  state.status = status;
  state.reason = status == Status::kOutOfMemory ? out_of_memory_reason(result) : "";
  state.result = std::move(result);
  return state;
}

nlohmann::json manifest_of(const std::filesystem::path& run) {
  std::ifstream in(run / "manifest.json", std::ios::binary);
  return nlohmann::json::parse(in, nullptr, false);
}

}  // namespace

CellState state_after(CellState running, const Ending& ending, const std::filesystem::path& run,
                      const std::filesystem::path& output) {
  CellState state = std::move(running);
  state.exit_code = ending.exit_code;
  state.signal = ending.signal;
  const bool tells = ending.exit_code == kExitDone || ending.exit_code == kExitOutOfMemory;
  if (const std::string problem = tells ? store_problem(run) : ""; !problem.empty())
    return lost(std::move(state), problem);
  if (ending.exit_code == kExitDone) {
    if (auto result = read_result(run)) return with_result(std::move(state), Status::kOk, std::move(result));
  }
  if (ending.exit_code == kExitOutOfMemory)
    return with_result(std::move(state), Status::kOutOfMemory, read_result(run));
  if (ending.exit_code) {  // a program's own exit code
    if (auto result = read_result(run); result && result->out_of_memory)
      return with_result(std::move(state), Status::kOutOfMemory, std::move(result));
  }
  if (ending.interrupted) return lost(std::move(state), "the grid was interrupted");
  if (ending.timed_out) {
    state.status = Status::kTimeout;
    state.reason = "took longer than limits.timeout";
    return state;
  }
  if (ending.no_room) return lost(std::move(state), "no space left on the disk");
  if (ending.signal) {
    const std::string reason = fmt::format("killed by {}", signal_text(*ending.signal));
    if (is_of_a_limit(*ending.signal))
      return lost(std::move(state), reason + ": a file grew beyond the limit (ulimit -f)");
    if (!comes_from_outside(*ending.signal)) return failed(std::move(state), reason);
    return lost(std::move(state), *ending.signal == SIGKILL
                                      ? reason + ", by hand or by the kernel when the host's memory was full"
                                      : reason);
  }
  const int code = ending.exit_code.value_or(1);
  if (code > kExitSignalBase && comes_from_outside(code - kExitSignalBase))
    return lost(std::move(state), fmt::format("interrupted by {}", signal_text(code - kExitSignalBase)));
  const std::string said = last_line(output);
  if (code == kExitDone) return failed(std::move(state), "ended successfully, but wrote no summary.json");
  return failed(std::move(state), said.empty() ? fmt::format("exit code {}", code) : said);
}

std::optional<CellState> state_left_behind(CellState running, const std::filesystem::path& run) {
  // The page is the last that a run writes, after its manifest and its summary.
  std::error_code ignored;
  if (!std::filesystem::exists(run / "report.html", ignored)) return std::nullopt;
  const auto manifest = manifest_of(run);
  if (!store_problem(run).empty() || !manifest.is_object() || !manifest.contains("end") ||
      !manifest["end"].is_string())
    return std::nullopt;
  const std::string end = manifest["end"].get<std::string>();
  auto result = read_result(run);
  if (!result || (end != "done" && end != "out_of_memory")) return std::nullopt;
  running.exit_code = end == "done" ? kExitDone : kExitOutOfMemory;
  return with_result(std::move(running), end == "done" ? Status::kOk : Status::kOutOfMemory,
                     std::move(result));
}

std::string store_problem(const std::filesystem::path& run) {
  const auto manifest = manifest_of(run);
  if (!manifest.is_object() || !manifest.contains("store") || !manifest["store"].is_object()) return {};
  const auto& store = manifest["store"];
  if (!store.contains("problems") || !store["problems"].is_array() || store["problems"].empty()) return {};
  const auto& first = store["problems"].front();
  return first.is_string() ? first.get<std::string>() : first.dump();
}

bool ran_out_of_room(const std::filesystem::path& folder, const std::filesystem::path& output) {
  const std::string said = tail_of(output);
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) {
    if (said.find(std::strerror(error)) != std::string::npos) return true;
  }
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return !error && space.available < kLeastRoom;
}

// torch.distributed puts "[rank0]: " in front of each line of a traceback.
std::string line_of_error(const std::string& text) {
  std::istringstream lines(text);
  std::string last, error;
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \r\t") + 1);
    if (line.empty()) continue;
    if (const auto begin = line.rfind('\r'); begin != line.npos) line.erase(0, begin + 1);
    last = line;
    if (const auto end = line.find("]: "); line.starts_with("[rank") && end != line.npos)
      line.erase(0, end + 3);
    const auto colon = line.find(": ");
    const std::string_view word = std::string_view(line).substr(0, colon);
    const bool is_word = colon != line.npos && word.find(' ') == word.npos;
    if (is_word && (word.ends_with("Error") || word.ends_with("Exception") || word.ends_with("CannotBeMade")))
      error = line;
  }
  return error.empty() ? last : error;
}

std::string last_line(const std::filesystem::path& output) {
  std::string text = line_of_error(tail_of(output));
  if (text.starts_with("strata: ")) text = text.substr(8);
  if (text.size() > kLongestReason) text = text.substr(0, kLongestReason) + "...";
  return text;
}

}  // namespace strata::grid
