// SPDX-License-Identifier: Apache-2.0
#include "host/config/checks/checks.hpp"

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "host/config/checks/adapter_checks.hpp"
#include "host/config/checks/data_checks.hpp"
#include "host/config/checks/findings.hpp"
#include "host/config/checks/resume.hpp"
#include "host/config/optimizer_defaults.hpp"
#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/resolved.hpp"
#include "host/config/schema/schema.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {
namespace {

// Settings that are impossible with several ranks.

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

// Adds to `problems`, each at the key that must be changed.
void check_ranks(const Written& written, const RunConfig& config, std::vector<Problem>& problems) {
  RankChecker(written, config, problems).run();
}

bool has_rotary(Architecture model) {
  return model == Architecture::kTransformer || model == Architecture::kLlama || model == Architecture::kQwen;
}

class Checker : Findings {
 public:
  Checker(const Written& written, const RunConfig& config, std::vector<Problem>& problems)
      : Findings(written, problems), config_(config) {}

  void run() {
    conditions();
    exclusions();
    script();
    task();
    heads();
    kv_heads();
    positions();
    attention();
    number_format();
    optimizer_form();
    projection_rank();
    per_layer();
    checkpointing();
    saving();
    store();
  }

 private:
  void conditions() {
    for (const Key& key : keys()) {
      if (!key.only_when || !is_written(key.path) || !sound({key.only_when->key})) continue;
      if (!applies(key, config_)) {
        problem(key.path, fmt::format("has an effect only with {}; remove it, or change {}",
                                      key.only_when->text(), key.only_when->key));
      }
    }
  }

  void exclusions() {
    for (const Key& key : keys()) {
      if (!is_written(key.path)) continue;
      for (const std::string_view other : key.instead_of) {
        if (is_written(other))
          problem(other, fmt::format("cannot be combined with {}, which sets the same; remove one of them",
                                     key.path));
      }
    }
  }

  void heads() {
    if (!sound({"model.size", "model.heads", "model.d_model"})) return;
    const ModelConfig& model = config_.model;
    if (model.heads == 0 || model.d_model == 0) return;  // no size was given, and that is said elsewhere
    const std::string_view path = is_written("model.heads") ? "model.heads" : "model.d_model";
    if (model.d_model % model.heads != 0) {
      problem(path, fmt::format("expected heads that divide d_model, found {} heads for d_model {}",
                                model.heads, model.d_model));
    } else if (has_rotary(model.name) && model.d_model / model.heads % 2 != 0) {
      problem(
          path,
          fmt::format("expected an even number of elements per head (RoPE rotates pairs), found {} / {} = {}",
                      model.d_model, model.heads, model.d_model / model.heads));
    }
  }

  // A model of the user's own: its file, and what only ours can do.
  void script() {
    if (!sound({"model.name"}) || is_built_in(config_.model.name)) return;
    const std::filesystem::path& file = config_.model.file;
    if (file.empty()) {
      problem("model.file", "is required with model.name: torchscript: expected a file, found nothing");
    } else if (access(file.c_str(), R_OK) != 0) {
      problem("model.file", fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
    }
    if (config_.model.vocab == 0 && config_.model.task != Task::kImageClass)
      problem("model.vocab", "is required with model.name: torchscript, because tokens are drawn from it");
    if (config_.model.init == WeightInit::kHash)
      problem("model.init",
              "hash fills only built-in models; remove it, or choose another model.name than torchscript");
    if (config_.attention != Attention::kNaive && sound({"attention"}))
      problem("attention", "with model.name: torchscript the file defines the attention; remove this key");
    if (config_.checkpointing.part != CheckpointedPart::kNone && sound({"checkpointing"}))
      problem("checkpointing",
              "needs the blocks of a built-in model, but model.name is torchscript; remove it, or use "
              "checkpointing inside the file");
  }

  // Settings that do not apply to image models.
  void task() {
    if (!sound({"model.name", "model.task"}) || config_.model.task != Task::kImageClass) return;
    const auto name = chosen_name(config_, "model.name");
    if (config_.attention != Attention::kNaive && sound({"attention"}))
      problem("attention",
              fmt::format("has no effect with model.name: {}, which has no attention; remove it", name));
    const CheckpointedPart part = config_.checkpointing.part;
    if ((part == CheckpointedPart::kAttention || part == CheckpointedPart::kFeedForward) &&
        sound({"checkpointing"}))
      problem("checkpointing", fmt::format("expected none, block or every with model.name: {}, because its "
                                           "blocks have no attention and no mlp",
                                           name));
  }

  void kv_heads() {
    if (!sound({"model.name", "model.size", "model.heads", "model.kv_heads"})) return;
    const ModelConfig& model = config_.model;
    if (model.kv_heads == 0 || model.heads % model.kv_heads == 0) return;
    problem("model.kv_heads", fmt::format("expected kv_heads that divide heads, found {} for {} heads",
                                          model.kv_heads, model.heads));
  }

  void positions() {
    if (!sound({"model.name", "model.context", "model.positions"})) return;
    const ModelConfig& model = config_.model;
    if (model.positions == 0 || model.context <= model.positions) return;
    problem("model.context",
            fmt::format("expected at most model.positions ({}), found {}; lower it, or raise "
                        "model.positions",
                        model.positions, model.context));
  }

  // Kernels that torch has not for this device or number format.
  void attention() {
    if (!sound({"attention", "device", "precision"})) return;
    const bool is_cpu = config_.device.kind == DeviceKind::kCpu;
    if (config_.attention == Attention::kSdpaEfficient && is_cpu) {
      problem(
          "attention",
          "sdpa_efficient is a CUDA kernel; choose sdpa_flash or sdpa_math on the CPU, or another device");
    }
    if (config_.attention == Attention::kSdpaFlash && is_cpu && config_.model.dropout > 0.0 &&
        sound({"model.dropout"})) {
      problem("attention",
              "sdpa_flash does not support dropout on the CPU, but model.dropout is not 0; choose sdpa_math, "
              "or another device");
    }
    const bool is_half = is_autocast(config_.precision) || config_.precision == Precision::kBf16;
    if (config_.attention == Attention::kSdpaFlash && !is_cpu && !is_half) {
      problem("attention", fmt::format("sdpa_flash computes in 16 bits on CUDA, but precision is {}; choose "
                                       "sdpa_efficient or sdpa_math, or precision: bf16_autocast",
                                       chosen_name(config_, "precision")));
    }
    const bool shares_keys = config_.model.kv_heads != config_.model.heads;
    if (config_.attention == Attention::kSdpaEfficient && !is_cpu && shares_keys &&
        sound({"model.name", "model.size", "model.heads", "model.kv_heads"})) {
      problem("attention",
              fmt::format("sdpa_efficient does not support heads that share keys, but model.kv_heads is {} "
                          "for {} heads; choose sdpa_math or sdpa, or as many kv_heads as heads",
                          config_.model.kv_heads, config_.model.heads));
    }
    if (config_.attention == Attention::kSdpaEfficient && !is_cpu && config_.precision == Precision::kFp64) {
      problem("attention", "sdpa_efficient does not support fp64; choose sdpa_math, or another precision");
    }
  }

  void number_format() {
    if (!sound({"device", "precision"})) return;
    if (config_.precision == Precision::kTf32 && config_.device.kind == DeviceKind::kCpu) {
      problem("precision", "tf32 exists only on CUDA devices; choose fp32 on the CPU, or another device");
    }
  }

  void optimizer_form() {
    if (!sound({"optimizer.name", "optimizer.impl"})) return;
    const OptimizerConfig& optimizer = config_.optimizer;
    if (optimizer.impl == OptimizerImpl::kLoop || has_multi_tensor_form(optimizer.name)) return;
    problem("optimizer.impl",
            fmt::format("{} supports only loop; choose loop, or optimizer.name: adamw, adam or sgd",
                        chosen_name(config_, "optimizer.name")));
  }

  // A larger rank would be cut to a gradient's shorter side without a word, and save nothing.
  void projection_rank() {
    if (config_.optimizer.name != OptimizerName::kGaloreAdamW ||
        !sound({"optimizer.name", "optimizer.rank", "model.size", "model.d_model", "model.d_ff"}))
      return;
    const std::int64_t shorter = std::min(config_.model.d_model, config_.model.d_ff);
    if (shorter == 0 || config_.optimizer.rank <= shorter) return;
    problem("optimizer.rank", fmt::format("expected at most {}, the smaller of d_model and d_ff, found {}; "
                                          "no projected gradient has a larger rank",
                                          shorter, config_.optimizer.rank));
  }

  // Settings that need the gradients of a whole step are impossible if each is used and freed in backward.
  void per_layer() {
    if (!sound({"optimizer.per_layer"}) || !config_.optimizer.per_layer) return;
    const auto refuse = [this](std::string_view reason, std::string_view way_out) {
      problem("optimizer.per_layer", fmt::format("{}; remove it, or choose {}", reason, way_out));
    };
    if (sound({"accumulation"}) && config_.accumulation > 1)
      refuse("steps in every backward, so nothing can be accumulated", "accumulation: 1");
    if (sound({"optimizer.clip_norm"}) && config_.optimizer.clip_norm > 0.0)
      refuse("frees gradients before their total norm is known", "optimizer.clip_norm: 0");
    if (sound({"precision"}) && config_.precision == Precision::kFp16Autocast)
      refuse("steps before it is known whether a scaled gradient overflowed",
             "another precision than "
             "fp16_autocast");
    if (sound({"optimizer.impl"}) && config_.optimizer.impl != OptimizerImpl::kLoop)
      refuse("steps one parameter at a time, but foreach and fused step many together",
             "optimizer.impl: loop");
  }

  void checkpointing() {
    if (!sound({"checkpointing", "mode"}) || config_.checkpointing.part == CheckpointedPart::kNone) return;
    if (config_.mode == Mode::kForward) {
      problem("checkpointing",
              "has an effect only if autograd records; remove it, or choose mode: train or forward_grad");
    }
  }

  void store() {
    const std::uint64_t most = config_.store.max_mb;
    if (sound({"store.max_mb"}) && most != 0 && most < kLeastStoreMb)
      problem("store.max_mb",
              fmt::format("expected 0 (no limit) or at least {} (MiB), found {}", kLeastStoreMb, most));
  }

  void saving() {
    if (!sound({"save.every", "save.at_end", "save.keep"}) || config_.save.keep == 0 || config_.save.saves())
      return;
    problem("save.keep",
            "has an effect only if the run saves checkpoints; remove it, or set save.every or save.at_end");
  }

  const RunConfig& config_;
};

}  // namespace

void check(const Written& written, RunConfig& config, std::vector<Problem>& problems) {
  Checker(written, config, problems).run();
  check_adapter(written, config, problems);
  check_data(written, config, problems);
  check_ranks(written, config, problems);
  check_resume(written, config, problems);
}

std::string default_name(const std::filesystem::path& file) {
  std::string name = file.stem().string();
  const auto allowed = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '_' ||
           letter == '-';
  };
  for (char& letter : name) {
    if (!allowed(letter)) letter = '-';
  }
  name.erase(0, name.find_first_not_of(".-"));
  return name.empty() ? "run" : name.substr(0, 100);
}

}  // namespace strata::config
