// SPDX-License-Identifier: Apache-2.0
// A very short run, and its run store.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/trainer/entry.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/query.hpp"
#include "tests/trainer/run_function.hpp"

namespace strata::trainer {

using Losses = std::vector<double>;

inline config::RunConfig tiny_config() {
  config::RunConfig config;
  config.name = "tiny";
  config.model = {.name = config::Architecture::kTransformer,
                  .size = "custom",
                  .layers = 2,
                  .d_model = 32,
                  .d_ff = 64,
                  .heads = 4,
                  .vocab = 256,
                  .context = 16,
                  .rope_theta = 10'000.0,
                  .norm_epsilon = 1e-5};
  config.data.batch_size = 4;
  config.optimizer = {.name = config::OptimizerName::kSgd,
                      .impl = config::OptimizerImpl::kLoop,
                      .lr = 0.1,
                      .weight_decay = 0.0,
                      .momentum = 0.0,
                      .beta1 = 0.9,
                      .beta2 = 0.99,
                      .epsilon = 1e-8};
  config.precision = config::Precision::kFp32;
  config.schedule = {.wait = 0, .warmup = 1, .active = 3, .max_steps = 4};
  config.backend.threads = 2;
  return config;
}

class TinyRun : public testing::Test {
 protected:
  // Runs `config_`; keeps the losses of finished steps, and the store if `directory` is given.
  Result run(const std::string& directory = {}) {
    SessionOptions options;
    options.check = true;
    options.plugin_path = {STRATA_TEST_PLUGINS};
    options.plugins = plugins_;
    if (!directory.empty()) {
      options.directory = folder_.path() / directory;
      std::filesystem::create_directories(options.directory);
    }
    losses_.clear();
    Session session(options);
    return run_function()(
        {config_, session, [this](const Progress& progress) { on_step(progress); }, interrupt_});
  }

  Losses losses_of_run() {
    const Result result = run();
    EXPECT_EQ(result.outcome, Outcome::kDone) << result.message;
    return losses_;
  }

  // The store of the run in `directory`.
  Query store(const std::string& directory) const {
    for (const std::filesystem::directory_entry& entry :
         std::filesystem::directory_iterator(folder_.path() / directory / "rank0")) {
      if (entry.path().extension() == ".sqlite") return Query(entry.path());
    }
    throw std::runtime_error("no store in " + directory);
  }

  config::RunConfig config_ = tiny_config();
  std::vector<PluginRequest> plugins_;  // in each run
  std::atomic<int> interrupt_ = 0;
  std::uint64_t interrupt_after_ = std::numeric_limits<std::uint64_t>::max();
  Losses losses_;
  std::vector<Progress> progress_;
  const test::TemporaryFolder folder_;

 private:
  void on_step(const Progress& progress) {
    losses_.push_back(progress.loss.value());
    progress_.push_back(progress);
    if (progress.step == interrupt_after_) interrupt_ = SIGINT;
  }
};

}  // namespace strata::trainer
