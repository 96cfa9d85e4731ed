// SPDX-License-Identifier: Apache-2.0
// One process of a run: the only one, or one of several ranks.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "host/cli/dry/dry_gpu.hpp"
#include "host/cli/results.hpp"
#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"

namespace strata::cli {

class TrainingProcess {
 public:
  // Makes the device of the rank at `place` ready and opens the trainer, before anything is left behind.
  // Throws UsageError.
  TrainingProcess(config::RunConfig config, trainer::RankPlace place);

  // Trains, and leaves a record in `directory`, which exists; `keep` is called once there is something in it.
  // Returns the process's exit code, which tells of a record that is not whole, too. Throws SessionError.
  int record(const std::filesystem::path& directory, const std::function<void()>& keep);

  // The same, and writes the results of this rank there too. The first rank prints them.
  int run(const std::filesystem::path& directory, Printed printed, const std::function<void()>& keep);

 private:
  // What is lost is left to the caller to say.
  int record_unsaid(const std::filesystem::path& directory, const std::function<void()>& keep);
  void announce(const std::filesystem::path& directory) const;
  trainer::Result train(Session& session, const std::filesystem::path& directory) const;
  bool is_first() const { return place_.rank == 0; }

  config::RunConfig config_;
  trainer::RankPlace place_;
  std::optional<DryGpu> dry_;
  trainer::RunFunction run_training_;
  std::string lost_;  // as Session::lost, of what was recorded
};

}  // namespace strata::cli
