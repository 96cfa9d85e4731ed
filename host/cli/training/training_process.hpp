// SPDX-License-Identifier: Apache-2.0
// One process of a run: the only one, or one rank.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "host/cli/dry_gpu.hpp"
#include "host/cli/results.hpp"
#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"

namespace strata::cli {

class TrainingProcess {
 public:
  // Prepares the device of the rank at `place` and opens the trainer, before any file is written. Throws
  // UsageError.
  TrainingProcess(config::RunConfig config, trainer::RankPlace place);

  // Trains, and records in `directory`, which exists; `keep` is called once it has content. Returns the
  // process's exit code, which also reflects an incomplete recording. Throws SessionError.
  int record(const std::filesystem::path& directory, const std::function<void()>& keep);

  // The same, and writes this rank's results there. The first rank prints them.
  int run(const std::filesystem::path& directory, Printed printed, const std::function<void()>& keep);

 private:
  // The caller must report lost data.
  int record_unsaid(const std::filesystem::path& directory, const std::function<void()>& keep);
  void announce(const std::filesystem::path& directory) const;
  trainer::Result train(Session& session, const std::filesystem::path& directory) const;
  bool is_first() const { return place_.rank == 0; }

  config::RunConfig config_;
  trainer::RankPlace place_;
  std::optional<DryGpu> dry_;
  trainer::RunFunction run_training_;
  std::string lost_;  // Session::lost of the recording
};

}  // namespace strata::cli
