// SPDX-License-Identifier: Apache-2.0
// The typed and checked contents of a YAML file. Defaults are in the schema (schema_table.cpp), not here: a
// RunConfig is only created by `load_config`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/runtime/options.hpp"

namespace strata::config {

enum class Architecture {
  kTransformer,
  kLlama,
  kGpt2,
  kQwen,
  kDistilBert,
  kResnet18,
  kResnet50,
  kTorchScript
};

// The training task of a model: to predict the next token, or the class of a sequence or an image.
enum class Task { kLanguageModel, kSequenceClass, kImageClass };

// For GPT-2: transformers' three names. The first one is computed with separate operations.
enum class Activation { kGeluNew, kGeluTanh, kGelu };
enum class WeightInit { kRandom, kHash };

// Every field of a named size can be overridden; after loading, all fields of the architecture are set.
struct ModelConfig {
  Architecture name{};
  std::string size;  // a name of model_sizes.hpp, or custom
  std::int64_t layers = 0;
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // llama, qwen: key and value heads, each shared by heads / kv_heads query heads
  std::int64_t vocab = 0;
  std::int64_t context = 0;    // tokens per sequence
  std::int64_t positions = 0;  // gpt2, distilbert: rows of the learnt position table
  double rope_theta = 0.0;     // transformer, llama, qwen
  double norm_epsilon = 0.0;
  double dropout = 0.0;         // gpt2, distilbert
  bool bias = true;             // gpt2: of linear layers and norms
  Activation activation{};      // gpt2
  bool tied = false;            // the head uses the embedding's weight
  std::int64_t classes = 0;     // distilbert, resnet
  std::int64_t image_size = 0;  // resnet: pixels per side
  WeightInit init{};
  std::filesystem::path file = {};  // torchscript: absolute
  Task task{};                      // torchscript: as configured; else the architecture's
};

// Whether the model is defined by its architecture and sizes; a TorchScript file contains its own definition.
constexpr bool is_built_in(Architecture architecture) {
  return architecture != Architecture::kTorchScript;
}
constexpr bool is_resnet(Architecture architecture) {
  return architecture == Architecture::kResnet18 || architecture == Architecture::kResnet50;
}

enum class DataSource { kSynthetic, kText, kHash, kImages, kBatch };
constexpr bool reads_files(DataSource source) {
  return source != DataSource::kSynthetic && source != DataSource::kHash;
}
enum class TokenFormat { kBytes, kUint16 };
constexpr std::uint64_t bytes_of_token(TokenFormat format) {
  return format == TokenFormat::kUint16 ? 2 : 1;
}

enum class DataOrder { kRandom, kSequential };

struct DataConfig {
  DataSource source{};
  std::vector<std::string>
      path;  // files, folders or glob patterns, absolute, relative to the YAML file's folder
  std::vector<std::filesystem::path> files;  // the files of `path`, in order, sorted within a pattern, each
                                             // once; not empty if the source reads files
  TokenFormat tokens{};
  std::int64_t max_bytes = 0;   // maximum bytes of text to read; 0: all
  DataOrder order{};            // for the sequences of kText and for kImages
  std::int64_t samples = 0;     // total number, if the source is finite; 0: infinite
  std::int64_t batch_size = 0;  // sequences per micro-batch
  std::int64_t workers = 0;     // threads that read ahead; 0: the training thread reads
  std::int64_t prefetch = 1;    // maximum number of micro-batches that they read ahead
  bool pin_memory = false;      // memory for asynchronous copies to CUDA devices
};

enum class AdapterName { kNone, kLora };
// The storage format of weights that an adapter does not train. kNf4: the matrices of blocks in 4 bits, all
// others in the format of a computation without autocast.
enum class BaseStorage { kFp32, kBf16, kNf4 };

// Trainable layers added to frozen weights, as in peft's LoraConfig.
struct AdapterConfig {
  AdapterName name{};
  std::int64_t rank = 0;
  double alpha = 0.0;                // the addition is scaled by alpha / rank
  std::vector<std::string> targets;  // layers of a block with an adapter; not empty after loading
  double dropout = 0.0;              // of the adapter's input
  BaseStorage base{};
  bool double_quantization = false;  // kNf4: scales of blocks in 8 bits

  bool is_used() const { return name != AdapterName::kNone; }
};

enum class Mode { kTrain, kForward, kForwardGrad };
enum class OptimizerName {
  kAdamW,
  kAdam,
  kSgd,
  kLion,
  kAdafactor,
  kMuon,
  kAdam8bit,
  kGaloreAdamW,
  kRsvdAdam
};
enum class OptimizerImpl { kLoop, kForeach, kFused };

// From galore_torch: the side of an m x n gradient that is projected. The standard is the shorter one.
enum class ProjectionType { kStandard, kReverseStandard, kRight, kLeft, kFull };
enum class InitialState { kReal, kDummy };
enum class LearningRateSchedule { kConstant, kLinear, kCosine };

struct OptimizerConfig {
  OptimizerName name{};
  OptimizerImpl impl{};
  double lr = 0.0;
  LearningRateSchedule lr_schedule{};
  std::int64_t lr_warmup_steps = 0;
  double lr_final_share = 0.0;  // linear, cosine: final fraction of lr
  double weight_decay = 0.0;
  double momentum = 0.0;  // sgd, muon
  double beta1 = 0.0;     // optimizers with Adam's moments, lion
  double beta2 = 0.0;
  double epsilon = 0.0;              // optimizers with Adam's moments
  std::int64_t rank = 0;             // galore_adamw
  double rank_fraction = 0.0;        // rsvd_adam
  std::int64_t update_proj_gap = 0;  // galore_adamw, rsvd_adam: steps between projector updates
  double scale = 0.0;                // galore_adamw
  ProjectionType proj_type{};        // galore_adamw
  bool keep_factor = true;           // galore_adamw: the projector is a view of a factor of its decomposition
  InitialState init_state{};
  double clip_norm = 0.0;  // 0: no clipping
  bool per_layer = false;  // step each parameter in backward, and free its gradient
};

enum class Precision { kFp64, kFp32, kTf32, kBf16Autocast, kFp16Autocast, kBf16 };

constexpr bool is_autocast(Precision precision) {
  return precision == Precision::kBf16Autocast || precision == Precision::kFp16Autocast;
}

// For the loss in fp16_autocast, as in torch.amp.GradScaler.
struct GradScalerConfig {
  double init_scale = 0.0;
  double growth_factor = 0.0;
  double backoff_factor = 0.0;
  std::int64_t growth_interval = 0;  // steps without overflow before the scale grows
};

enum class CheckpointedPart { kNone, kBlocks, kAttention, kFeedForward };

// Activations that are dropped after forward and recomputed in backward.
struct CheckpointingConfig {
  CheckpointedPart part{};
  std::int64_t every = 1;  // kBlocks: checkpoint the last of this many blocks
  bool reentrant = false;  // with a nested backward, instead of hooks on saved tensors
  bool offload = false;    // keep a layer's input in host memory; not with reentrant
};

enum class Attention { kNaive, kSdpa, kSdpaFlash, kSdpaEfficient, kSdpaMath };

enum class ZeroGradAt { kStepStart, kBeforeBackward, kStepEnd };

struct ZeroGradConfig {
  ZeroGradAt at{};
  bool set_to_none = true;
};

// For the total number of steps see total_steps.
struct ScheduleConfig {
  std::int64_t wait = 0;
  std::int64_t warmup = 0;
  std::int64_t active = 0;
  std::int64_t max_steps = 0;  // 0: no limit by this key
  std::int64_t epochs = 0;     // 0: no limit
};

// When checkpoints are saved from which a training can continue: `resume`.
struct SaveConfig {
  std::int64_t every = 0;  // steps; 0: not between
  bool at_end = false;
  std::int64_t keep = 0;  // number of the run's newest checkpoints to keep; 0: all

  bool saves() const { return every > 0 || at_end; }
};

struct BackendConfig {
  bool onednn = true;
  bool deterministic = false;  // reject operators that have only a nondeterministic form
  std::int64_t threads = 0;    // 0: as many as the machine has
};

enum class DeviceKind { kCpu, kCuda };

// Assumptions about a dry device, set by the user.
struct DrySettings {
  std::int64_t memory_bytes = 0;              // per device, instead of the card's; 0: the card's
  bool models_time = false;                   // with a clock based on peak rates; else work takes no time
  bool asks_cudnn = true;                     // for workspaces of convolutions, if the next key has no size
  std::int64_t cudnn_workspace_bytes = 0;     // per convolution
  std::int64_t cusolver_workspace_bytes = 0;  // per decomposition; 0: from a formula
  // Device memory per communicator; empty: from the profile.
  std::optional<std::int64_t> nccl_memory_bytes;
};

// The device of a run: `cpu`, `cuda:1`, or the first of several dry devices.
struct DeviceConfig {
  DeviceKind kind{};
  std::int64_t index = 0;  // of the CUDA device
  std::string dry;         // the dry device's profile, for load_device_profile; empty: a real device
  std::int64_t count = 1;  // number of dry devices, all of one kind
  std::string answers;     // file for load_answers; empty: none
  DrySettings settings;    // for dry devices

  bool is_dry() const { return !dry.empty(); }
};

// "cpu", "cuda:1", "dry h100-80gb", "dry h100-80gb:8".
std::string to_text(const DeviceConfig& device);

// The processes that are run in a training with several ranks.
enum class RanksThatRun { kAll, kFirst };

// How ranks average their gradients, as in torch's DistributedDataParallel.
struct DdpConfig {
  std::int64_t bucket_cap_bytes = 0;
  bool gradient_as_bucket_view = false;  // gradients are views of the buckets, instead of being copied
  RanksThatRun ranks{};                  // kFirst: only rank 0, on a dry device
};

struct TorchSourceConfig {
  std::string detail = "auto";           // auto: operators in some of these steps; all
  std::string ops = "window";            // steps whose operators are recorded: window, run or none
  bool saved_tensors = false;            // tensors that autograd saves, through our own engine
  bool cross_check = false;              // also record c10's own memory reporting and DeviceStats
  bool layer_outputs = false;            // outputs of operators, for an estimate of activations
  bool shapes = false;                   // of matrix products, for their FLOP/s
  std::string memory_samples = "phase";  // of the devices and the process: at phases, steps or none
};

// The options of the source `cupti`.
struct CuptiSourceConfig {
  std::string on_busy = "nvtx";  // if another tool has CUPTI: nvtx, fail or wait
  std::string kinds = "kernel,copy,set,api,synchronize,overhead,memory,module,jit";
  std::string graphs = "graph";   // as one activity (graph) or one per node (node)
  std::string from = "window";    // or run: from its begin
  bool finalize_on_stop = false;  // remove CUPTI from CUDA after the window
};

struct RunConfig {
  std::string name;
  ModelConfig model;
  AdapterConfig adapter;
  DataConfig data;
  Mode mode{};
  OptimizerConfig optimizer;
  Precision precision{};
  bool autocast_cache = true;  // cast a weight only once per micro-batch
  GradScalerConfig grad_scaler;
  CheckpointingConfig checkpointing;
  std::int64_t accumulation = 1;
  ZeroGradConfig zero_grad;
  Attention attention{};
  ScheduleConfig schedule;
  SaveConfig save;
  std::filesystem::path resume;  // an absolute file saved by another run; empty: start from the beginning
  std::int64_t seed = 0;
  BackendConfig backend;
  DeviceConfig device;
  std::int64_t world_size = 1;  // ranks: processes that train together, each with its own samples
  DdpConfig ddp;
  TorchSourceConfig trace;
  CuptiSourceConfig cupti;
  std::vector<PluginRequest> plugins;
  bool strict = false;
  StoreOptions store;

  std::filesystem::path file;  // where it came from
  std::string resolved_yaml;   // every key with its value: `config.yaml` in the run directory
};

// Samples per step, of all ranks together.
std::int64_t samples_of_step(const RunConfig& config);

// The number of complete steps in data.samples; 0 if there are not enough for one, or if they are infinite.
std::uint64_t steps_of_epoch(const RunConfig& config);

// min(max_steps, wait + warmup + active, epochs * steps_of_epoch), at least 1.
std::uint64_t total_steps(const RunConfig& config);

}  // namespace strata::config
