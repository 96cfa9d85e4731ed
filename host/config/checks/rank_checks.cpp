// SPDX-License-Identifier: Apache-2.0
#include "host/config/checks/rank_checks.hpp"

#include <fmt/format.h>

#include "host/config/checks/findings.hpp"

namespace strata::config {
namespace {

// Processes of one machine: more would be a slip of the keyboard.
constexpr std::int64_t kMostProcesses = 256;

class RankChecker : Findings {
 public:
  RankChecker(const Written& written, const RunConfig& config, std::vector<Problem>& problems)
      : Findings(written, problems), config_(config) {}

  void run() {
    if (!sound({"world_size"}) || config_.world_size == 1) return;
    per_layer();
    one_batch();
    devices();
    which_run();
  }

 private:
  // Buckets are whole when backward has passed all their gradients, which stepping in backward has freed.
  void per_layer() {
    if (!sound({"optimizer.per_layer"}) || !config_.optimizer.per_layer) return;
    problem("optimizer.per_layer",
            "steps each parameter before its gradient is averaged over the ranks; remove it, or choose "
            "world_size: 1");
  }

  void one_batch() {
    if (!sound({"data.source"}) || config_.data.source != DataSource::kBatch) return;
    problem("data.source",
            "batch gives every rank the same samples, so all ranks would compute the same; choose another "
            "source, or world_size: 1");
  }

  void devices() {
    if (!sound({"device"})) return;
    const DeviceConfig& device = config_.device;
    if (device.is_dry() && device.count > 1 && config_.world_size % device.count != 0) {
      problem("device", fmt::format("expected a count of dry devices that divides world_size {}, found {}; "
                                    "each rank uses one device of its machine",
                                    config_.world_size, device.count));
    }
    if (!device.is_dry() && device.kind == DeviceKind::kCuda && device.index != 0) {
      problem("device", fmt::format("rank k uses device k of its machine, but device is {}; write cuda, or "
                                    "choose devices with CUDA_VISIBLE_DEVICES",
                                    to_text(device)));
    }
  }

  void which_run() {
    if (!sound({"ddp.ranks", "device"})) return;
    if (config_.ddp.ranks == RanksThatRun::kFirst && !config_.device.is_dry()) {
      problem("ddp.ranks",
              "first works only on a dry device, because rank 0 would wait for ranks that do not run; choose "
              "all, or a dry device");
    }
    if (config_.ddp.ranks == RanksThatRun::kAll && config_.world_size > kMostProcesses &&
        config_.device.is_dry()) {
      problem("world_size",
              fmt::format("expected at most {} processes on this machine, found {}; use ddp.ranks: first to "
                          "run only rank 0, because all other ranks are equal on a dry device",
                          kMostProcesses, config_.world_size));
    }
  }

  const RunConfig& config_;
};

}  // namespace

void check_ranks(const Written& written, const RunConfig& config, std::vector<Problem>& problems) {
  RankChecker(written, config, problems).run();
}

}  // namespace strata::config
