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
       .help = "Train; or forward only, without autograd; or forward only, with autograd recording."},
  };
}

std::vector<Key> other_keys() {
  using namespace bound;
  const Only only;
  return {
      {.path = "precision",
       .type = choice<&C::precision>({"fp64", "fp32", "tf32", "bf16_autocast", "fp16_autocast", "bf16"}),
       .default_text = "fp32",
       .help =
           "Number format of parameters and computation. tf32: fp32 whose matrix products are rounded. "
           "..._autocast: fp32 weights, cast for matrix products; fp16 with a scaled loss. bf16: weights, "
           "gradients and optimizer state too."},
      {.path = "autocast_cache",
       .type = flag<&C::autocast_cache>(),
       .default_text = "true",
       .help = "Cast each weight once a micro-batch and keep the copy to its end.",
       .only_when = only.autocast},
      {.path = "checkpointing",
       .type = checkpointing<&C::checkpointing>(),
       .default_text = "none",
       .help =
           "Which activations are dropped and computed again in backward: of every block, of every n-th, or "
           "of each block's attention or mlp. reentrant: by a backward within backward, as PyTorch's "
           "use_reentrant=True, which holds other tensors. offload: what a checkpointed part needs to run "
           "again "
           "waits in the host's memory, pinned where the device is a GPU."},
      {.path = "accumulation",
       .type = integer<&C::accumulation>(1, kMillion),
       .default_text = "1",
       .help = "Micro-batches of one step."},

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
               "scaled_dot_product_attention with the kernel that it picks; sdpa_...: with that one."},

      {.path = "grad_scaler.init_scale",
       .type = real_above<&C::grad_scaler, &G::init_scale>(0.0),
       .default_text = "65536.0",
       .help = "What the loss is multiplied by at first.",
       .only_when = only.scaled},
      {.path = "grad_scaler.growth_factor",
       .type = real_above<&C::grad_scaler, &G::growth_factor>(1.0),
       .default_text = "2.0",
       .help = "What the scale is multiplied by after growth_interval steps without overflow.",
       .only_when = only.scaled},
      {.path = "grad_scaler.backoff_factor",
       .type = open_fraction<&C::grad_scaler, &G::backoff_factor>(),
       .default_text = "0.5",
       .help = "What the scale is multiplied by after an overflow.",
       .only_when = only.scaled},
      {.path = "grad_scaler.growth_interval",
       .type = integer<&C::grad_scaler, &G::growth_interval>(1, kBillion),
       .default_text = "2000",
       .help = "Steps without overflow before the scale grows.",
       .only_when = only.scaled},

      {.path = "schedule.wait",
       .type = integer<&C::schedule, &S::wait>(0, kBillion),
       .default_text = "1",
       .help = "Steps before those that warm up: traced, but not reported."},
      {.path = "schedule.warmup",
       .type = integer<&C::schedule, &S::warmup>(0, kBillion),
       .default_text = "1",
       .help = "Steps before the window that is reported."},
      {.path = "schedule.active",
       .type = integer<&C::schedule, &S::active>(1, kBillion),
       .default_text = "2",
       .help = "Steps of the window that is reported."},
      {.path = "schedule.steps",
       .type = RangeType{.set = report_steps, .maximum = kBillion},
       .help = "The window that is reported, from its first step to its last, counted from 0; the run ends "
               "after it.",
       .default_help = "as wait, warmup and active say",
       .instead_of = {"schedule.wait", "schedule.warmup", "schedule.active"}},
      {.path = "schedule.max_steps",
       .type = integer<&C::schedule, &S::max_steps>(0, 3 * kBillion),
       .default_text = "0",
       .help = "End after so many steps, if wait + warmup + active are more; 0: no other limit."},
      {.path = "schedule.epochs",
       .type = integer<&C::schedule, &S::epochs>(0, kBillion),
       .default_text = "0",
       .help = "End after so many epochs, if the schedule is not over before: one is as many whole steps as "
               "the text, the images or the batch is enough for; 0: no limit."},

      {.path = "save.every",
       .type = integer<&C::save, &SaveConfig::every>(0, kBillion),
       .default_text = "0",
       .help = "Save the training after each so many steps, as checkpoints/step_<n>.pt in the run's folder; "
               "0: never between.",
       .only_when = only.trains},
      {.path = "save.at_end",
       .type = flag<&C::save, &SaveConfig::at_end>(),
       .default_text = "false",
       .help = "Save it at the run's end, also where Ctrl-C is that end: the step is then finished first.",
       .only_when = only.trains},
      {.path = "save.keep",
       .type = integer<&C::save, &SaveConfig::keep>(0, kBillion),
       .default_text = "0",
       .help = "Remove all but so many of the newest that this run has saved; 0: none.",
       .only_when = only.trains},
      {.path = "resume",
       .type = path<&C::resume>(),
       .help =
           "Go on with a training that was saved: a file that `save` wrote, or the folder of its run, whose "
           "newest is taken. Steps count on from it, and the schedule's are those of the whole training.",
       .default_help = "begin anew",
       .only_when = only.trains},

      {.path = "seed",
       .type = integer<&C::seed>(0, INT64_MAX),
       .default_text = "0",
       .help = "Of parameters and data."},

      {.path = "backend.onednn",
       .type = flag<&C::backend, &BackendConfig::onednn>(),
       .default_text = "true",
       .help = "Let torch use oneDNN on the CPU."},
      {.path = "backend.deterministic",
       .type = flag<&C::backend, &BackendConfig::deterministic>(),
       .default_text = "false",
       .help = "Let torch refuse what it cannot compute alike twice."},
      {.path = "backend.threads",
       .type = integer<&C::backend, &BackendConfig::threads>(0, 4096),
       .default_text = "0",
       .help = "Threads of torch; 0: as many as there are cores."},

      {.path = "device",
       .type = compute_device<&C::device>(),
       .default_text = "cpu",
       .help =
           "Where the run computes. A dry device computes nothing and needs no GPU: its memory is that "
           "of the card whose profile is named, or, with memory: 24GiB, so much. The same as --dry on the "
           "command line. A file of answers "
           "(dry: ..., answers: counts.yaml) gives values for what a program reads and nobody knows. "
           "clock: modelled gives work a time, by the card's peak rates; cudnn_workspaces: off does not "
           "ask the real cuDNN what convolutions need; cudnn_workspace: 32MiB and "
           "cusolver_workspace are what each of these libraries' calls asks for, where nobody knows it; "
           "nccl_memory is what each communicator takes, instead of what the profile says."},

      {.path = "trace.ops",
       .type = choice<&C::trace, &T::ops>({"window", "run", "none"}),
       .default_text = "window",
       .help = "Record operators, so that allocations have a name: in all but waiting steps (of these in the "
               "first, whose blocks stay), in the whole run, or not at all."},
      {.path = "trace.saved_tensors",
       .type = flag<&C::trace, &T::saved_tensors>(),
       .default_text = "false",
       .help = "Record what autograd keeps for backward."},
      {.path = "trace.cross_check",
       .type = flag<&C::trace, &T::cross_check>(),
       .default_text = "false",
       .help = "Record torch's own memory reports beside ours, to compare them."},
      {.path = "trace.layer_outputs",
       .type = flag<&C::trace, &T::layer_outputs>(),
       .default_text = "false",
       .help = "Record how much each operator of the window's first step returns: for the estimate of "
               "activations that sums up what layers return, beside what is really kept."},
      {.path = "trace.shapes",
       .type = flag<&C::trace, &T::shapes>(),
       .default_text = "false",
       .help = "Record the shapes of matrix products, convolutions and attention, for the FLOP/s that "
               "`strata report --time` shows of them."},
      {.path = "trace.memory_samples",
       .type = choice<&C::trace, &T::memory_samples>({"phase", "step", "none"}),
       .default_text = "phase",
       .help =
           "Sample what the device has in use, for the allocator and beside it, and what the process holds "
           "of the host's memory: where phases end and steps begin or end, at steps alone, or not at all."},

      {.path = "plugins",
       .type = plugin_list<&C::plugins>(),
       .default_text = "[]",
       .help =
           "What listens to the run. `strata plugins` lists them, `strata plugins NAME` its options. On the "
           "command line also plugins.NAME.OPTION=value."},
      {.path = "strict",
       .type = flag<&C::strict>(),
       .default_text = "false",
       .help = "Refuse to run when a plugin cannot start; else the run goes on without it."},

      {.path = "store.on_full",
       .type = choice<&C::store, &StoreOptions::on_full>({"block", "drop"}),
       .default_text = "block",
       .help = "When a thread's spool is full: wait for the writer, or drop rows and record the gap."},
      {.path = "store.spool_bytes",
       .type = bytes<&C::store, &StoreOptions::spool_bytes>(std::int64_t{64} << 10, std::int64_t{1} << 40),
       .default_text = "4MiB",
       .help = "Size of each thread's spool."},
      {.path = "store.max_mb",
       .type = integer<&C::store, &StoreOptions::max_mb>(0, std::int64_t{1} << 30),
       .default_text = "0",
       .help = "The most that a process's store may take on disk, in MiB, its spools included: when it comes "
               "near, the oldest steps' detail makes room, but for the peak's. 0: no limit."},
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
    Section{.path = "adapter", .help = "What is trained beside the model's own weights, which then are not."},
    Section{.path = "data", .help = "What it is trained on."},
    Section{.path = "optimizer", .help = "How its parameters are stepped."},
    Section{.path = "grad_scaler", .help = "How the loss is scaled in fp16_autocast."},
    Section{.path = "zero_grad", .help = "When and how gradients are cleared."},
    Section{.path = "schedule",
            .help = "Steps: some to wait, some to warm up, then the window that is reported."},
    Section{.path = "save", .help = "When the training is saved, for another run to resume."},
    Section{.path = "backend", .help = "How torch computes."},
    Section{.path = "ddp", .help = "How ranks average their gradients; with world_size above 1."},
    Section{.path = "trace", .help = "What is recorded of torch while plugins listen."},
    Section{.path = "cupti", .help = "What is recorded of CUDA devices while plugins listen."},
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
