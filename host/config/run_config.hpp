// SPDX-License-Identifier: Apache-2.0
// What a YAML file says, typed and checked. Defaults stand in the schema (schema_table.cpp), not here: a
// RunConfig comes from `load_config` only.
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

// What a model is trained for: to say which token follows, or to which class a sequence or an image belongs.
enum class Task { kLanguageModel, kSequenceClass, kImageClass };

// GPT-2's: transformers' three names. The first is spelt out in single operations.
enum class Activation { kGeluNew, kGeluTanh, kGelu };
enum class WeightInit { kRandom, kHash };

// Every field of a named size can be overridden; after loading all that the architecture has are set.
struct ModelConfig {
  Architecture name{};
  std::string size;  // a name of model_sizes.hpp, or custom
  std::int64_t layers = 0;
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads =
      0;  // llama, qwen: heads of keys and values, each shared by heads / kv_heads queries'
  std::int64_t vocab = 0;
  std::int64_t context = 0;    // tokens of one sequence
  std::int64_t positions = 0;  // gpt2, distilbert: rows of the table of learnt positions
  double rope_theta = 0.0;     // transformer, llama, qwen
  double norm_epsilon = 0.0;
  double dropout = 0.0;         // gpt2, distilbert
  bool bias = true;             // gpt2: of linear layers and norms
  Activation activation{};      // gpt2
  bool tied = false;            // the head's weight is the embedding's
  std::int64_t classes = 0;     // distilbert, resnet
  std::int64_t image_size = 0;  // resnet: pixels of a side
  WeightInit init{};
  std::filesystem::path file = {};  // torchscript: absolute
  Task task{};                      // torchscript: as it says; else the architecture's
};

// Whether the architecture and its sizes say what a model is; a TorchScript file says it itself.
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
      path;  // files, folders or glob patterns, made absolute against the YAML file's folder
  std::vector<std::filesystem::path> files;  // what `path` names, in its order, each pattern's sorted, each
                                             // file once; not empty where the source reads files
  TokenFormat tokens{};
  std::int64_t max_bytes = 0;   // read at most that much of the text; 0: all
  DataOrder order{};            // of kText's sequences and kImages'
  std::int64_t samples = 0;     // in all, where the source has an end; 0: it has none
  std::int64_t batch_size = 0;  // sequences of one micro-batch
  std::int64_t workers = 0;     // threads that read ahead; 0: the training's own reads
  std::int64_t prefetch = 1;    // micro-batches that they are ahead at most
  bool pin_memory = false;      // CUDA copies from it while the host goes on
};

enum class AdapterName { kNone, kLora };
// How the weights that an adapter leaves alone are kept. kNf4: the blocks' matrices in 4 bits, all others in
// the format of a computation without autocast.
enum class BaseStorage { kFp32, kBf16, kNf4 };

// What is trained beside weights that are not, as peft's LoraConfig has it.
struct AdapterConfig {
  AdapterName name{};
  std::int64_t rank = 0;
  double alpha = 0.0;                // what is added is scaled by alpha / rank
  std::vector<std::string> targets;  // layers of a block that have an adapter; after loading not empty
  double dropout = 0.0;              // of an adapter's input
  BaseStorage base{};
  bool double_quantization = false;  // kNf4: the blocks' scales in 8 bits

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

// galore_torch's: which side of a gradient of m x n is projected. The standard one is the shorter.
enum class ProjectionType { kStandard, kReverseStandard, kRight, kLeft, kFull };
enum class InitialState { kReal, kDummy };
enum class LearningRateSchedule { kConstant, kLinear, kCosine };

struct OptimizerConfig {
  OptimizerName name{};
  OptimizerImpl impl{};
  double lr = 0.0;
  LearningRateSchedule lr_schedule{};
  std::int64_t lr_warmup_steps = 0;
  double lr_final_share = 0.0;  // linear, cosine: of lr, at the end
  double weight_decay = 0.0;
  double momentum = 0.0;  // sgd, muon
  double beta1 = 0.0;     // all with Adam's moments, lion
  double beta2 = 0.0;
  double epsilon = 0.0;              // all with Adam's moments
  std::int64_t rank = 0;             // galore_adamw
  double rank_fraction = 0.0;        // rsvd_adam
  std::int64_t update_proj_gap = 0;  // galore_adamw, rsvd_adam: steps between two projectors
  double scale = 0.0;                // galore_adamw
  ProjectionType proj_type{};        // galore_adamw
  bool keep_factor = true;           // galore_adamw: the projector is a view of its decomposition's factor
  InitialState init_state{};
  double clip_norm = 0.0;  // 0: not clipped
  bool per_layer = false;  // step each parameter in backward, and free its gradient
};

enum class Precision { kFp64, kFp32, kTf32, kBf16Autocast, kFp16Autocast, kBf16 };

constexpr bool is_autocast(Precision precision) {
  return precision == Precision::kBf16Autocast || precision == Precision::kFp16Autocast;
}

// Of the loss in fp16_autocast, as torch.amp.GradScaler's.
struct GradScalerConfig {
  double init_scale = 0.0;
  double growth_factor = 0.0;
  double backoff_factor = 0.0;
  std::int64_t growth_interval = 0;  // steps without overflow before the scale grows
};

enum class CheckpointedPart { kNone, kBlocks, kAttention, kFeedForward };

// Which activations are dropped after forward and computed again in backward.
struct CheckpointingConfig {
  CheckpointedPart part{};
  std::int64_t every = 1;  // kBlocks: of so many blocks the last
  bool reentrant = false;  // by a backward within backward, instead of by what autograd saved
  bool offload = false;    // a layer's input waits in the host's memory; not with reentrant
};

enum class Attention { kNaive, kSdpa, kSdpaFlash, kSdpaEfficient, kSdpaMath };

enum class ZeroGradAt { kStepStart, kBeforeBackward, kStepEnd };

struct ZeroGradConfig {
  ZeroGradAt at{};
  bool set_to_none = true;
};

// Steps in all: see total_steps.
struct ScheduleConfig {
  std::int64_t wait = 0;
  std::int64_t warmup = 0;
  std::int64_t active = 0;
  std::int64_t max_steps = 0;  // 0: no other limit
  std::int64_t epochs = 0;     // 0: no limit
};

// When a training is saved, to go on from: `resume`.
struct SaveConfig {
  std::int64_t every = 0;  // steps; 0: never between
  bool at_end = false;
  std::int64_t keep = 0;  // of the run's checkpoints the newest; 0: all

  bool saves() const { return every > 0 || at_end; }
};

struct BackendConfig {
  bool onednn = true;
  bool deterministic = false;  // refuse operators that have only an undeterministic form
  std::int64_t threads = 0;    // 0: as many as the machine has
};

enum class DeviceKind { kCpu, kCuda };

// What nobody knows of a dry device, as its user would have it.
struct DrySettings {
  std::int64_t memory_bytes = 0;              // of each device, instead of the card's; 0: the card's
  bool models_time = false;                   // on a clock by peak rates; else no work takes time
  bool asks_cudnn = true;                     // for convolutions' workspaces, where the next says no size
  std::int64_t cudnn_workspace_bytes = 0;     // that each convolution asks for
  std::int64_t cusolver_workspace_bytes = 0;  // that each decomposition asks for; 0: by formula
  // That each communicator takes of its device; nothing: what the profile says.
  std::optional<std::int64_t> nccl_memory_bytes;
};

// Where a run computes: `cpu`, `cuda:1`, or the first of some devices that compute nothing.
struct DeviceConfig {
  DeviceKind kind{};
  std::int64_t index = 0;  // of a CUDA device
  std::string dry;         // the dry device's profile, as load_device_profile takes it; empty: a real device
  std::int64_t count = 1;  // of dry devices, all of one kind
  std::string answers;     // file for load_answers; empty: none
  DrySettings settings;    // of dry devices

  bool is_dry() const { return !dry.empty(); }
};

// "cpu", "cuda:1", "dry h100-80gb", "dry h100-80gb:8".
std::string to_text(const DeviceConfig& device);

// Which processes of a training over several ranks there are.
enum class RanksThatRun { kAll, kFirst };

// How ranks average their gradients, as torch's DistributedDataParallel has it.
struct DdpConfig {
  std::int64_t bucket_cap_bytes = 0;
  bool gradient_as_bucket_view = false;  // gradients are views of the buckets, instead of copied to and fro
  RanksThatRun ranks{};                  // kFirst: rank 0 alone, on a dry device
};

struct TorchSourceConfig {
  std::string ops = "window";            // which steps record operators: window, run or none
  bool saved_tensors = false;            // what autograd keeps, through an engine of our own
  bool cross_check = false;              // c10's own memory reporting and DeviceStats beside ours
  bool layer_outputs = false;            // what operators return, for an estimate of activations
  bool shapes = false;                   // of matrix products, for their FLOP/s
  std::string memory_samples = "phase";  // of the devices and the process: at phases, steps or none
};

// The options of the source `cupti`.
struct CuptiSourceConfig {
  std::string on_busy = "nvtx";  // when another tool has CUPTI: nvtx, fail or wait
  std::string kinds = "kernel,copy,set,api,synchronize,overhead,memory,module,jit";
  std::string graphs = "graph";   // as one activity (graph) or each node (node)
  std::string from = "window";    // or run: from its begin
  bool finalize_on_stop = false;  // take CUPTI out of CUDA after the window
};

struct RunConfig {
  std::string name;
  ModelConfig model;
  AdapterConfig adapter;
  DataConfig data;
  Mode mode{};
  OptimizerConfig optimizer;
  Precision precision{};
  bool autocast_cache = true;  // cast a weight once a micro-batch
  GradScalerConfig grad_scaler;
  CheckpointingConfig checkpointing;
  std::int64_t accumulation = 1;
  ZeroGradConfig zero_grad;
  Attention attention{};
  ScheduleConfig schedule;
  SaveConfig save;
  std::filesystem::path resume;  // an absolute file that another run saved; empty: begins anew
  std::int64_t seed = 0;
  BackendConfig backend;
  DeviceConfig device;
  std::int64_t world_size = 1;  // ranks: processes that train together, each on samples of its own
  DdpConfig ddp;
  TorchSourceConfig trace;
  CuptiSourceConfig cupti;
  std::vector<PluginRequest> plugins;
  bool strict = false;
  StoreOptions store;

  std::filesystem::path file;  // where it came from
  std::string resolved_yaml;   // every key with its value, as `config.yaml` in the run directory
};

// Samples of one step, of all ranks together.
std::int64_t samples_of_step(const RunConfig& config);

// Whole steps that data.samples are enough for; 0 where they are not enough for one, or have no end.
std::uint64_t steps_of_epoch(const RunConfig& config);

// min(max_steps, wait + warmup + active, epochs * steps_of_epoch), at least 1.
std::uint64_t total_steps(const RunConfig& config);

}  // namespace strata::config
