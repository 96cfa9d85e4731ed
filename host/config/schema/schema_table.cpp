// SPDX-License-Identifier: Apache-2.0
// Every key of a run's YAML. The sections with most keys have a file each; schema_parts.hpp names them.
#include <array>
#include <iterator>

#include "host/config/schema/bound_types.hpp"
#include "host/config/schema/schema_parts.hpp"

namespace strata::config {
namespace {

void report_steps(RunConfig& config, std::int64_t first, std::int64_t last) {
  config.schedule.wait = first;
  config.schedule.warmup = 0;
  config.schedule.active = last - first + 1;
}

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kBillion = 1'000'000'000;

// The conditions of several keys.
struct Only {
  Condition autocast{.key = "precision", .values = {"bf16_autocast", "fp16_autocast"}};
  Condition scaled{.key = "precision", .values = {"fp16_autocast"}};
  Condition trains{.key = "mode", .values = {"train"}};
};

using C = RunConfig;
using G = GradScalerConfig;
using S = ScheduleConfig;
using T = TorchSourceConfig;

void append(std::vector<Key>& keys, std::vector<Key> more) {
  keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<Key> name_key() {
  using namespace bound;
  return {
      {.path = "name",
       .type = folder_name<&C::name>(),
       .help = "Name of the run; its folder is runs/<name>/<time>.",
       .default_help = "the file's name"},
  };
}

std::vector<Key> mode_key() {
  using namespace bound;
  return {
      {.path = "mode",
       .type = choice<&C::mode>({"train", "forward", "forward_grad"}),
       .default_text = "train",
       .help = "train: train the model; forward: only forward, without autograd; forward_grad: only forward, "
               "with autograd recording."},
  };
}

std::vector<Key> other_keys() {
  using namespace bound;
  const Only only;
  return {
      {.path = "precision",
       .type = choice<&C::precision>({"fp64", "fp32", "tf32", "bf16_autocast", "fp16_autocast", "bf16"}),
       .default_text = "fp32",
       .help = "Number format of parameters and computation. tf32: fp32 with rounded matrix products. "
               "..._autocast: fp32 weights, cast for matrix products; fp16 also scales the loss. bf16: "
               "weights, gradients and optimizer state, too."},
      {.path = "autocast_cache",
       .type = flag<&C::autocast_cache>(),
       .default_text = "true",
       .help = "Cast each weight once per micro-batch and keep the copy until its end.",
       .only_when = only.autocast},
      {.path = "checkpointing",
       .type = checkpointing<&C::checkpointing>(),
       .default_text = "none",
       .help = "Activations to drop and compute again in backward: of every block, of every n-th block, or "
               "of each block's attention or mlp. reentrant: use a backward inside backward, as "
               "use_reentrant=True in PyTorch, which holds other tensors. offload: keep the inputs of "
               "checkpointed parts in host memory, pinned if the device is a GPU."},
      {.path = "accumulation",
       .type = integer<&C::accumulation>(1, kMillion),
       .default_text = "1",
       .help = "Number of micro-batches in one step."},

      {.path = "zero_grad.at",
       .type = choice<&C::zero_grad, &ZeroGradConfig::at>({"step_start", "before_backward", "step_end"}),
       .default_text = "step_start",
       .help = "When gradients are cleared."},
      {.path = "zero_grad.set_to_none",
       .type = flag<&C::zero_grad, &ZeroGradConfig::set_to_none>(),
       .default_text = "true",
       .help = "Free the gradients instead of filling them with zeros."},

      {.path = "attention",
       .type = choice<&C::attention>({"naive", "sdpa", "sdpa_flash", "sdpa_efficient", "sdpa_math"}),
       .default_text = "naive",
       .help = "naive: the scores are a tensor of batch x heads x context x context. sdpa: torch's "
               "scaled_dot_product_attention with the kernel that torch chooses; sdpa_...: with the named "
               "kernel."},

      {.path = "grad_scaler.init_scale",
       .type = real_above<&C::grad_scaler, &G::init_scale>(0.0),
       .default_text = "65536.0",
       .help = "Initial factor for the loss.",
       .only_when = only.scaled},
      {.path = "grad_scaler.growth_factor",
       .type = real_above<&C::grad_scaler, &G::growth_factor>(1.0),
       .default_text = "2.0",
       .help = "Factor for the scale after growth_interval steps without overflow.",
       .only_when = only.scaled},
      {.path = "grad_scaler.backoff_factor",
       .type = open_fraction<&C::grad_scaler, &G::backoff_factor>(),
       .default_text = "0.5",
       .help = "Factor for the scale after an overflow.",
       .only_when = only.scaled},
      {.path = "grad_scaler.growth_interval",
       .type = integer<&C::grad_scaler, &G::growth_interval>(1, kBillion),
       .default_text = "2000",
       .help = "Steps without overflow before the scale grows.",
       .only_when = only.scaled},

      {.path = "schedule.wait",
       .type = integer<&C::schedule, &S::wait>(0, kBillion),
       .default_text = "1",
       .help = "Number of steps before the warm-up steps: traced, but not reported."},
      {.path = "schedule.warmup",
       .type = integer<&C::schedule, &S::warmup>(0, kBillion),
       .default_text = "1",
       .help = "Number of warm-up steps before the reported window."},
      {.path = "schedule.active",
       .type = integer<&C::schedule, &S::active>(1, kBillion),
       .default_text = "2",
       .help = "Number of steps in the reported window."},
      {.path = "schedule.steps",
       .type = RangeType{.set = report_steps, .maximum = kBillion},
       .help = "First and last step of the reported window, counted from 0; the run ends after it.",
       .default_help = "given by wait, warmup and active",
       .instead_of = {"schedule.wait", "schedule.warmup", "schedule.active"}},
      {.path = "schedule.max_steps",
       .type = integer<&C::schedule, &S::max_steps>(0, 3 * kBillion),
       .default_text = "0",
       .help = "End after this many steps, if wait + warmup + active are more; 0: no other limit."},
      {.path = "schedule.epochs",
       .type = integer<&C::schedule, &S::epochs>(0, kBillion),
       .default_text = "0",
       .help = "End after this many epochs, if the schedule is not over before. An epoch is the number of "
               "whole steps for which the text, the images or the batch suffice; 0: no limit."},

      {.path = "save.every",
       .type = integer<&C::save, &SaveConfig::every>(0, kBillion),
       .default_text = "0",
       .help = "Save the training each time after this many steps, as checkpoints/step_<n>.pt in the run's "
               "folder; 0: not during the run.",
       .only_when = only.trains},
      {.path = "save.at_end",
       .type = flag<&C::save, &SaveConfig::at_end>(),
       .default_text = "false",
       .help = "Save the training at the end of the run. If Ctrl-C ends the run, the current step is "
               "finished first.",
       .only_when = only.trains},
      {.path = "save.keep",
       .type = integer<&C::save, &SaveConfig::keep>(0, kBillion),
       .default_text = "0",
       .help = "Keep only this many of the newest checkpoints of this run; 0: keep all.",
       .only_when = only.trains},
      {.path = "resume",
       .type = path<&C::resume>(),
       .help = "Continue a saved training: a file written by `save`, or the folder of its run, to use the "
               "newest file. Step numbers continue, and the schedule counts the steps of the whole training.",
       .default_help = "begin a new training",
       .only_when = only.trains},

      {.path = "seed",
       .type = integer<&C::seed>(0, INT64_MAX),
       .default_text = "0",
       .help = "Random seed of parameters and data."},

      {.path = "backend.onednn",
       .type = flag<&C::backend, &BackendConfig::onednn>(),
       .default_text = "true",
       .help = "Let torch use oneDNN on the CPU."},
      {.path = "backend.deterministic",
       .type = flag<&C::backend, &BackendConfig::deterministic>(),
       .default_text = "false",
       .help = "Let torch refuse operations that are not deterministic."},
      {.path = "backend.threads",
       .type = integer<&C::backend, &BackendConfig::threads>(0, 4096),
       .default_text = "0",
       .help = "Number of threads that torch uses; 0: one per core."},

      {.path = "device",
       .type = compute_device<&C::device>(),
       .default_text = "cpu",
       .help =
           "Where the run computes. A dry device computes nothing and needs no GPU: it has the memory of the "
           "named card's profile, or the size given by memory: 24GiB. Same as --dry on the command line. A "
           "file of answers (dry: ..., answers: counts.yaml) gives values that a program reads but the dry "
           "device does not compute. clock: modelled computes the time of work from the card's peak rates. "
           "cudnn_workspaces: off does not ask the real cuDNN what convolutions need. cudnn_workspace: 32MiB "
           "and cusolver_workspace set the workspace of each call of these libraries if it is unknown. "
           "nccl_memory sets the memory of each communicator, instead of the profile's value."},

      {.path = "trace.ops",
       .type = choice<&C::trace, &T::ops>({"window", "run", "none"}),
       .default_text = "window",
       .help = "Record operators, which give allocations a name: in all steps except waiting ones (but "
               "including the first step, because its blocks stay), in the whole run, or never."},
      {.path = "trace.detail",
       .type = choice<&C::trace, &T::detail>({"auto", "all"}),
       .default_text = "auto",
       .help =
           "The recorded steps in which operators are recorded. all: in all. auto: in the first 10 and then "
           "in every 50th, if no plugin but allocator_tracer and nvtx_markers needs them. Allocations are "
           "recorded in every step, and take their names from a step with the same allocations."},
      {.path = "trace.saved_tensors",
       .type = flag<&C::trace, &T::saved_tensors>(),
       .default_text = "false",
       .help = "Record what autograd keeps for backward."},
      {.path = "trace.cross_check",
       .type = flag<&C::trace, &T::cross_check>(),
       .default_text = "false",
       .help = "Also record torch's own memory reports, to compare them with Strata's."},
      {.path = "trace.layer_outputs",
       .type = flag<&C::trace, &T::layer_outputs>(),
       .default_text = "false",
       .help = "Record how many bytes each operator of the window's first step returns. The report then "
               "compares an estimate of activations, the sum of all layers' outputs, with the memory that is "
               "really kept."},
      {.path = "trace.shapes",
       .type = flag<&C::trace, &T::shapes>(),
       .default_text = "false",
       .help = "Record the shapes of matrix products, convolutions and attention; `strata report --time` "
               "then shows their FLOP/s."},
      {.path = "trace.memory_samples",
       .type = choice<&C::trace, &T::memory_samples>({"phase", "step", "none"}),
       .default_text = "phase",
       .help = "Sample the device memory in use, by the allocator and by others, and the process's host "
               "memory: where phases end and steps begin or end, only at steps, or never."},

      {.path = "plugins",
       .type = plugin_list<&C::plugins>(),
       .default_text = "[]",
       .help = "Plugins that record the run. `strata plugins` lists them, `strata plugins NAME` shows the "
               "options of one. On the command line also plugins.NAME.OPTION=value."},
      {.path = "strict",
       .type = flag<&C::strict>(),
       .default_text = "false",
       .help = "Refuse to run if a plugin cannot start; false: continue without the plugin."},

      {.path = "store.on_full",
       .type = choice<&C::store, &StoreOptions::on_full>({"block", "drop"}),
       .default_text = "block",
       .help =
           "What to do when a thread's spool is full: wait for the writer, or drop rows and record the gap."},
      {.path = "store.spool_bytes",
       .type = bytes<&C::store, &StoreOptions::spool_bytes>(std::int64_t{64} << 10, std::int64_t{1} << 40),
       .default_text = "4MiB",
       .help = "Size of each thread's spool."},
      {.path = "store.max_mb",
       .type = integer<&C::store, &StoreOptions::max_mb>(0, std::int64_t{1} << 30),
       .default_text = "0",
       .help = "Largest size of a process's store on disk, in MiB, including its spools. Near this limit the "
               "detail of the oldest steps is removed, except the peak's. 0: no limit."},
  };
}

// In the order in which help and config.yaml show them.
std::vector<Key> make_keys() {
  std::vector<Key> keys = name_key();
  append(keys, model_keys());
  append(keys, adapter_keys());
  append(keys, data_keys());
  append(keys, mode_key());
  append(keys, optimizer_keys());
  append(keys, other_keys());
  append(keys, rank_keys());
  append(keys, cupti_keys());
  return keys;
}

constexpr std::array kSections{
    Section{.path = "model", .help = "What is trained."},
    Section{.path = "adapter", .help = "What is trained instead of the model's own weights."},
    Section{.path = "data", .help = "What it is trained on."},
    Section{.path = "optimizer", .help = "How its parameters are stepped."},
    Section{.path = "grad_scaler", .help = "How the loss is scaled in fp16_autocast."},
    Section{.path = "zero_grad", .help = "When and how gradients are cleared."},
    Section{.path = "schedule", .help = "Steps: some to wait, some to warm up, then the reported window."},
    Section{.path = "save", .help = "When the training is saved, so that another run can resume it."},
    Section{.path = "backend", .help = "How torch computes."},
    Section{.path = "ddp", .help = "How ranks average their gradients, if world_size is above 1."},
    Section{.path = "trace", .help = "What the run records of torch for its plugins."},
    Section{.path = "cupti", .help = "What the run records of CUDA devices for its plugins."},
    Section{.path = "store", .help = "How records reach the run store."},
};

}  // namespace

std::span<const Key> keys() {
  static const std::vector<Key> all = make_keys();
  return all;
}

std::span<const Section> sections() {
  return kSections;
}

}  // namespace strata::config
