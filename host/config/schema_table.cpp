// Every key of a run's YAML.
#include <array>

#include "host/config/bound_types.hpp"
#include "host/config/model_sizes.hpp"
#include "host/config/schema.hpp"

namespace strata::config {
namespace {

void report_steps(RunConfig& config, std::int64_t first, std::int64_t last) {
  config.schedule.wait = first;
  config.schedule.warmup = 0;
  config.schedule.active = last - first + 1;
}

std::vector<std::string_view> names_of_sizes() {
  std::vector<std::string_view> names = size_names();
  names.emplace_back("custom");
  return names;
}

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::string_view kFromSize = "the size's; required with custom";

// The conditions of several keys.
struct Only {
  Condition adam{.key = "optimizer.name",
                 .values = {"adamw", "adam", "muon", "adam8bit", "galore_adamw", "rsvd_adam"}};
  Condition betas{.key = "optimizer.name",
                  .values = {"adamw", "adam", "lion", "muon", "adam8bit", "galore_adamw", "rsvd_adam"}};
  Condition momentum{.key = "optimizer.name", .values = {"sgd", "muon"}};
  Condition galore{.key = "optimizer.name", .values = {"galore_adamw"}};
  Condition rsvd{.key = "optimizer.name", .values = {"rsvd_adam"}};
  Condition projected{.key = "optimizer.name", .values = {"galore_adamw", "rsvd_adam"}};
  Condition falling_rate{.key = "optimizer.lr_schedule", .values = {"linear", "cosine"}};
  Condition text{.key = "data.source", .values = {"text"}};
  Condition files{.key = "data.source", .values = {"text", "images", "batch"}};
  Condition ordered{.key = "data.source", .values = {"text", "images"}};
  Condition grouped_heads{.key = "model.name", .values = {"llama", "qwen"}};
  Condition rotary{.key = "model.name", .values = {"transformer", "llama", "qwen"}};
  Condition gpt2{.key = "model.name", .values = {"gpt2"}};
  Condition attends{.key = "model.name", .values = {"transformer", "llama", "gpt2", "qwen", "distilbert"}};
  Condition reads_tokens{.key = "model.name",
                         .values = {"transformer", "llama", "gpt2", "qwen", "distilbert", "torchscript"}};
  Condition decodes{.key = "model.name", .values = {"transformer", "llama", "gpt2", "qwen"}};
  Condition learns_positions{.key = "model.name", .values = {"gpt2", "distilbert"}};
  Condition classifies{.key = "model.name", .values = {"distilbert", "resnet18", "resnet50", "torchscript"}};
  Condition scripted{.key = "model.name", .values = {"torchscript"}};
  Condition sees_images{.key = "model.name", .values = {"resnet18", "resnet50", "torchscript"}};
  Condition autocast{.key = "precision", .values = {"bf16_autocast", "fp16_autocast"}};
  Condition scaled{.key = "precision", .values = {"fp16_autocast"}};
};

using C = RunConfig;
using M = ModelConfig;
using D = DataConfig;
using G = GradScalerConfig;
using O = OptimizerConfig;
using S = ScheduleConfig;
using T = TorchSourceConfig;

std::vector<Key> make_keys() {
  using namespace bound;
  const Only only;
  return {
      {.path = "name",
       .type = folder_name<&C::name>(),
       .help = "Name of the run; its folder is runs/<name>/<time>.",
       .default_help = "the file's name"},

      {.path = "model.name",
       .type = choice<&C::model, &M::name>(
           {"transformer", "llama", "gpt2", "qwen", "distilbert", "resnet18", "resnet50", "torchscript"}),
       .default_text = "transformer",
       .help =
           "transformer: Stanford CS336's, every operation spelt out. llama: with transformers' operations, "
           "in GaLore's sizes. gpt2: learnt positions, LayerNorm, biases, tied head. qwen: Qwen2.5, with "
           "shared keys and values and a vocabulary of 151,936. distilbert: classifies sequences. resnet18, "
           "resnet50: classify images, as torchvision's. torchscript: a model of your own, in a file of "
           "torch.jit.save's."},
      {.path = "model.size",
       .type = one_of<&C::model, &M::size>(names_of_sizes(), "a size of the model, such as small, or custom"),
       .help = "A named shape, of which every field can be overridden, or custom. transformer: small to 10b; "
               "llama: 9m to 7b; gpt2: small to xl; qwen: 0.5b, 1.5b; distilbert: base.",
       .default_help = "required, but for distilbert's base",
       .required_when = only.decodes,
       .unless_written = "model.config",
       .only_when = only.attends},
      {.path = "model.config",
       .type = FileType{},
       .help =
           "A file in the form of Hugging Face's config.json, whose shape is taken for what is not written "
           "here: of llama, gpt2, qwen2 or distilbert.",
       .default_help = "none",
       .instead_of = {"model.size"}},
      {.path = "model.layers",
       .type = integer<&C::model, &M::layers>(1, 10'000),
       .help = "Transformer blocks.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.d_model",
       .type = integer<&C::model, &M::d_model>(2, kMillion),
       .help = "Width of the residual stream.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.d_ff",
       .type = integer<&C::model, &M::d_ff>(1, 10 * kMillion),
       .help = "Width of the feed-forward layer.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.heads",
       .type = integer<&C::model, &M::heads>(1, 10'000),
       .help = "Attention heads; they divide d_model, into an even number of elements each where RoPE turns "
               "pairs.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.kv_heads",
       .type = integer<&C::model, &M::kv_heads>(1, 10'000),
       .help = "Heads of keys and values, each shared by heads / kv_heads of the queries'.",
       .default_help = "the size's; as many as heads with custom, or where heads is given",
       .only_when = only.grouped_heads},
      {.path = "model.vocab",
       .type = integer<&C::model, &M::vocab>(2, 10 * kMillion),
       .help = "Entries of the vocabulary; at least 256 for bytes.",
       .default_help = kFromSize,
       .only_when = only.reads_tokens},
      {.path = "model.context",
       .type = integer<&C::model, &M::context>(1, 10 * kMillion),
       .default_text = "512",
       .help = "Tokens of one sequence.",
       .only_when = only.reads_tokens},
      {.path = "model.positions",
       .type = integer<&C::model, &M::positions>(1, 10 * kMillion),
       .help = "Positions that are learnt: the longest context.",
       .default_help = "1024; of distilbert 512",
       .only_when = only.learns_positions},
      {.path = "model.rope_theta",
       .type = real_above<&C::model, &M::rope_theta>(0.0),
       .help = "Base of the rotary embedding's wavelengths.",
       .default_help = "the model's: 10000, of qwen 1000000",
       .only_when = only.rotary},
      {.path = "model.norm_epsilon",
       .type = real_above<&C::model, &M::norm_epsilon>(0.0),
       .help = "Added to the mean square in RMSNorm, to the variance in LayerNorm.",
       .default_help = "the model's: 1e-5, of llama and qwen 1e-6, of distilbert 1e-12",
       .only_when = only.attends},
      {.path = "model.tied",
       .type = flag<&C::model, &M::tied>(),
       .help = "Let the head's weight be the embedding's.",
       .default_help = "the model's: true for gpt2 and qwen",
       .only_when = only.decodes},
      {.path = "model.bias",
       .type = flag<&C::model, &M::bias>(),
       .default_text = "true",
       .help = "Biases in linear layers and norms.",
       .only_when = only.gpt2},
      {.path = "model.activation",
       .type = choice<&C::model, &M::activation>({"gelu_new", "gelu_pytorch_tanh", "gelu"}),
       .default_text = "gelu_new",
       .help =
           "gelu_new: spelt out in single operations, as transformers does, so that four tensors stay for "
           "backward; gelu_pytorch_tanh: the same function in one kernel; gelu: the exact one.",
       .only_when = only.gpt2},
      {.path = "model.dropout",
       .type = fraction<&C::model, &M::dropout>(),
       .default_text = "0.0",
       .help = "Share of elements dropped: of embeddings, attention weights and what each layer adds.",
       .only_when = only.learns_positions},
      {.path = "model.classes",
       .type = integer<&C::model, &M::classes>(1, kMillion),
       .help = "Classes to tell apart.",
       .default_help = "the model's: 1000, of distilbert 2",
       .only_when = only.classifies},
      {.path = "model.image_size",
       .type = integer<&C::model, &M::image_size>(32, 100'000),
       .default_text = "224",
       .help = "Pixels of a side of each image.",
       .only_when = only.sees_images},
      {.path = "model.file",
       .type = path<&C::model, &M::file>(),
       .help = "What torch.jit.save wrote. Its forward takes the batch's input and returns logits.",
       .default_help = "required with torchscript",
       .required_when = only.scripted,
       .only_when = only.scripted},
      {.path = "model.task",
       .type = choice<&C::model, &M::task>({"language_model", "sequence_class", "image_class"}),
       .default_text = "language_model",
       .help =
           "What the model takes and returns: tokens, and logits of each one's next; tokens, and logits of "
           "classes; images, and logits of classes.",
       .only_when = only.scripted},
      {.path = "model.init",
       .type = choice<&C::model, &M::init>({"random", "hash"}),
       .default_text = "random",
       .help = "Initial weights: as the architecture draws them; or from an integer hash, the same in every "
               "language (docs/numerics.md)."},

      {.path = "data.source",
       .type = choice<&C::data, &D::source>({"synthetic", "text", "hash", "images", "batch"}),
       .default_text = "synthetic",
       .help =
           "synthetic: random tokens, or pixels. text: of files. hash: tokens of the hash that model.init: "
           "hash takes. images: binary PPM files, each in the folder that its class is called after. "
           "batch: one batch of tokens that torch.save wrote, again and again."},
      {.path = "data.path",
       .type = path_list<&C::data, &D::path>(),
       .default_text = "[]",
       .help =
           "Files, folders or patterns (*, ?, [a-z], ** for any folders; ~ and ${VARIABLE}), relative to the "
           "file that says so, or to the current folder on the command line. Required where the source reads "
           "files.",
       .only_when = only.files},
      {.path = "data.tokens",
       .type = choice<&C::data, &D::tokens>({"bytes", "uint16"}),
       .default_text = "bytes",
       .help = "What the files hold: text, one token a byte, or tokens as little-endian uint16.",
       .only_when = only.text},
      {.path = "data.max_bytes",
       .type = bytes<&C::data, &D::max_bytes>(0, INT64_MAX),
       .default_text = "0",
       .help = "Read at most that much of the files; 0: all.",
       .only_when = only.text},
      {.path = "data.order",
       .type = choice<&C::data, &D::order>({"random", "sequential"}),
       .default_text = "random",
       .help =
           "random: sequences begin anywhere in the text, images are drawn from all. sequential: one after "
           "the other, and again from the first.",
       .only_when = only.ordered},
      {.path = "data.batch_size",
       .type = integer<&C::data, &D::batch_size>(1, kMillion),
       .default_text = "4",
       .help = "Sequences, or images, of one micro-batch."},
      {.path = "data.workers",
       .type = integer<&C::data, &D::workers>(0, 256),
       .default_text = "0",
       .help = "Threads that read micro-batches ahead of the training; 0: its own thread reads each when it "
               "is needed. What is trained on is the same."},
      {.path = "data.prefetch",
       .type = integer<&C::data, &D::prefetch>(1, 10'000),
       .default_text = "2",
       .help = "Micro-batches that the workers, all together, are ahead at most; without workers none is."},
      {.path = "data.pin_memory",
       .type = flag<&C::data, &D::pin_memory>(),
       .default_text = "false",
       .help = "Keep micro-batches on the host in pinned memory, from which a CUDA device copies them while "
               "the host goes on."},

      {.path = "mode",
       .type = choice<&C::mode>({"train", "forward", "forward_grad"}),
       .default_text = "train",
       .help = "Train; or forward only, without autograd; or forward only, with autograd recording."},

      {.path = "optimizer.name",
       .type = choice<&C::optimizer, &O::name>(
           {"adamw", "adam", "sgd", "lion", "adafactor", "muon", "adam8bit", "galore_adamw", "rsvd_adam"}),
       .default_text = "adamw",
       .help =
           "Which optimizer steps the parameters. adafactor and muon: torch.optim's. adam8bit: Adam with "
           "states of 8 bits, in blocks of 256. galore_adamw: galore_torch's. rsvd_adam: Adam on gradients "
           "projected by a randomized SVD. muon and galore_adamw are for the blocks' matrices and leave "
           "all others to AdamW."},
      {.path = "optimizer.impl",
       .type = choice<&C::optimizer, &O::impl>({"loop", "foreach", "fused"}),
       .default_text = "loop",
       .help =
           "How it steps: loop, one parameter after the other; foreach, operation by operation over all of "
           "them, with temporaries as large (PyTorch's own choice on CUDA); fused, in kernels without any. "
           "adamw, adam and sgd have all three, the others a loop."},
      {.path = "optimizer.lr",
       .type = real_from<&C::optimizer, &O::lr>(0.0),
       .default_text = "1.0e-3",
       .help = "Learning rate."},
      {.path = "optimizer.lr_schedule",
       .type = choice<&C::optimizer, &O::lr_schedule>({"constant", "linear", "cosine"}),
       .default_text = "constant",
       .help = "How the learning rate goes on after its warm-up, to the end of the run."},
      {.path = "optimizer.lr_warmup_steps",
       .type = integer<&C::optimizer, &O::lr_warmup_steps>(0, kBillion),
       .default_text = "0",
       .help = "Steps over which the learning rate rises from 0, which is the first one's."},
      {.path = "optimizer.lr_final_share",
       .type = share<&C::optimizer, &O::lr_final_share>(),
       .default_text = "0.0",
       .help = "Share of the learning rate that is left at the end.",
       .only_when = only.falling_rate},
      {.path = "optimizer.weight_decay",
       .type = real_from<&C::optimizer, &O::weight_decay>(0.0),
       .default_text = "0.01",
       .help = "Added to the gradient in adam, sgd and rsvd_adam; decoupled in all others."},
      {.path = "optimizer.momentum",
       .type = fraction<&C::optimizer, &O::momentum>(),
       .help = "Share of the last update that is kept.",
       .default_help = "0.0, of muon 0.95",
       .only_when = only.momentum},
      {.path = "optimizer.beta1",
       .type = fraction<&C::optimizer, &O::beta1>(),
       .default_text = "0.9",
       .help = "Decay of the gradient's running mean; of lion, its share in an update.",
       .only_when = only.betas},
      {.path = "optimizer.beta2",
       .type = fraction<&C::optimizer, &O::beta2>(),
       .help = "Decay of the squared gradient's running mean; of lion, of the gradient's.",
       .default_help = "0.999, of lion 0.99",
       .only_when = only.betas},
      {.path = "optimizer.epsilon",
       .type = real_above<&C::optimizer, &O::epsilon>(0.0),
       .help = "Added to the denominator.",
       .default_help = "1e-8, of galore_adamw 1e-6",
       .only_when = only.adam},
      {.path = "optimizer.rank",
       .type = integer<&C::optimizer, &O::rank>(1, kMillion),
       .default_text = "128",
       .help = "Rank of the projected gradients, at most the shorter of d_model and d_ff.",
       .only_when = only.galore},
      {.path = "optimizer.rank_fraction",
       .type = positive_share<&C::optimizer, &O::rank_fraction>(),
       .default_text = "0.02",
       .help = "Rank of the projected gradients, as a share of each one's shorter side, rounded down; at "
               "least 1.",
       .only_when = only.rsvd},
      {.path = "optimizer.update_proj_gap",
       .type = integer<&C::optimizer, &O::update_proj_gap>(1, kBillion),
       .default_text = "200",
       .help = "Steps that a projector serves, before another is made of that step's gradient.",
       .only_when = only.projected},
      {.path = "optimizer.scale",
       .type = real_above<&C::optimizer, &O::scale>(0.0),
       .default_text = "0.25",
       .help = "What projected updates are multiplied by.",
       .only_when = only.galore},
      {.path = "optimizer.proj_type",
       .type = choice<&C::optimizer, &O::proj_type>({"std", "reverse_std", "right", "left", "full"}),
       .default_text = "std",
       .help = "Which side of a gradient is projected: std, the shorter; reverse_std, the longer; right, "
               "left, or both.",
       .only_when = only.galore},
      {.path = "optimizer.keep_factor",
       .type = flag<&C::optimizer, &O::keep_factor>(),
       .default_text = "true",
       .help = "Let a projector in fp32 be a view of the SVD's whole factor, which it keeps alive, as "
               "galore_torch does; false: copy the rank's share and free the rest.",
       .only_when = only.galore},
      {.path = "optimizer.init_state",
       .type = choice<&C::optimizer, &O::init_state>({"real", "dummy"}),
       .default_text = "real",
       .help = "When the optimizer's state is made: in the first step; or dummy, at set-up, by a step of "
               "gradients and a rate of zero, so that the first step's memory is that of all others. A "
               "projector is then a zero gradient's until its next update."},
      {.path = "optimizer.clip_norm",
       .type = real_from<&C::optimizer, &O::clip_norm>(0.0),
       .default_text = "0.0",
       .help = "Largest norm of all gradients together; 0: they are not clipped."},
      {.path = "optimizer.per_layer",
       .type = flag<&C::optimizer, &O::per_layer>(),
       .default_text = "false",
       .help = "Step each parameter in backward, as soon as its gradient is whole, and free the gradient."},

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
           "use_reentrant=True, which holds other tensors."},
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
       .help = "Where the run computes. A dry device computes nothing and needs no GPU: its memory is that "
               "of the card whose profile is named. The same as --dry on the command line. A file of answers "
               "(dry: ..., answers: counts.yaml) gives values for what a program reads and nobody knows. "
               "clock: modelled gives work a time, by the card's peak rates; cudnn_workspace: 32MiB and "
               "cusolver_workspace are what each of these libraries' calls asks for, nccl_memory what each "
               "communicator takes, which nobody knows either."},

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
  };
}

constexpr std::array kSections{
    Section{.path = "model", .help = "What is trained."},
    Section{.path = "data", .help = "What it is trained on."},
    Section{.path = "optimizer", .help = "How its parameters are stepped."},
    Section{.path = "grad_scaler", .help = "How the loss is scaled in fp16_autocast."},
    Section{.path = "zero_grad", .help = "When and how gradients are cleared."},
    Section{.path = "schedule",
            .help = "Steps: some to wait, some to warm up, then the window that is reported."},
    Section{.path = "backend", .help = "How torch computes."},
    Section{.path = "trace", .help = "What is recorded of torch while plugins listen."},
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
