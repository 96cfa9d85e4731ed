// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/schema_parts.hpp"

#include "host/config/schema/bound_types.hpp"

namespace strata::config {

// Weights trained in addition to the model's own: the keys of `adapter`.

std::vector<Key> adapter_keys() {
  using namespace bound;
  using C = RunConfig;
  using A = AdapterConfig;
  const Condition lora{.key = "adapter.name", .values = {"lora"}};
  const Condition in_4_bits{.key = "adapter.base", .values = {"nf4"}};
  return {
      {.path = "adapter.name",
       .type = choice<&C::adapter, &A::name>({"none", "lora"}),
       .default_text = "none",
       .help = "lora: LoRA as in peft, for llama, qwen and gpt2. The model's weights are frozen; two float32 "
               "matrices are trained for each target."},
      {.path = "adapter.rank",
       .type = integer<&C::adapter, &A::rank>(1, 100'000),
       .default_text = "8",
       .help = "Rank of the two matrices.",
       .only_when = lora},
      {.path = "adapter.alpha",
       .type = real_above<&C::adapter, &A::alpha>(0.0),
       .default_text = "8.0",
       .help = "The matrices' output is multiplied by alpha / rank.",
       .only_when = lora},
      {.path = "adapter.targets",
       .type = name_list<&C::adapter, &A::targets>(),
       .help = "Layers in each block that get an adapter. llama, qwen: q_proj, k_proj, v_proj, o_proj, "
               "gate_proj, up_proj, down_proj; gpt2: c_attn, c_fc, c_proj (two layers of that name). "
               "all-linear: all of them.",
       .default_help = "as in peft: [q_proj, v_proj]; [c_attn] for gpt2",
       .only_when = lora},
      {.path = "adapter.dropout",
       .type = fraction<&C::adapter, &A::dropout>(),
       .default_text = "0.0",
       .help = "Dropout rate of each adapter's input.",
       .only_when = lora},
      {.path = "adapter.base",
       .type = choice<&C::adapter, &A::base>({"fp32", "bf16", "nf4"}),
       .help = "Number format of the frozen weights. bf16: needs precision bf16 or an autocast. nf4: the "
               "blocks' matrices are stored in 4 bits, as in bitsandbytes' Linear4bit, and computation is in "
               "bf16 (in fp32 with precision fp32 or tf32); embeddings, norms and the head use the format of "
               "the computation.",
       .default_help = "the parameters' format: bf16 with precision bf16, else fp32",
       .only_when = lora},
      {.path = "adapter.double_quantization",
       .type = flag<&C::adapter, &A::double_quantization>(),
       .default_text = "false",
       .help = "Store the scales of nf4 blocks in 8 bits, as bnb_4bit_use_double_quant does: saves 0.37 bits "
               "per weight.",
       .only_when = in_4_bits},
  };
}

// Recording of CUDA devices: the keys of `cupti`, options of the source of that name.

std::vector<Key> cupti_keys() {
  using namespace bound;
  using C = RunConfig;
  using D = CuptiSourceConfig;
  return {
      {.path = "cupti.on_busy",
       .type = choice<&C::cupti, &D::on_busy>({"nvtx", "fail", "wait"}),
       .default_text = "nvtx",
       .help = "What to do if another tool uses CUPTI. nvtx: continue without activities; NVTX data remains. "
               "fail: treat it as a failure of the source. wait: try again at each step of the window."},
      {.path = "cupti.kinds",
       .type = text<&C::cupti, &D::kinds>(),
       .default_text = "kernel,copy,set,api,synchronize,overhead,memory,module,jit",
       .help = "Kinds of activity to record, comma-separated; also possible: driver (all driver calls) and "
               "memory_pool."},
      {.path = "cupti.graphs",
       .type = choice<&C::cupti, &D::graphs>({"graph", "node"}),
       .default_text = "graph",
       .help =
           "Record a CUDA graph as one activity per launch, or record each of its nodes, which costs more."},
      {.path = "cupti.from",
       .type = choice<&C::cupti, &D::from>({"window", "run"}),
       .default_text = "window",
       .help = "Record from the window's first warm-up step, or from the begin of the run."},
      {.path = "cupti.finalize_on_stop",
       .type = flag<&C::cupti, &D::finalize_on_stop>(),
       .default_text = "false",
       .help = "Detach CUPTI from CUDA after the window, so that later steps run at full speed."},
  };
}

// The training data: the keys of `data`.

namespace {

constexpr std::int64_t kDataMillion = 1'000'000;

// The conditions of several keys.
struct OnlyOfData {
  Condition text{.key = "data.source", .values = {"text"}};
  Condition files{.key = "data.source", .values = {"text", "images", "batch"}};
  Condition ordered{.key = "data.source", .values = {"text", "images"}};
};

}  // namespace

std::vector<Key> data_keys() {
  using namespace bound;
  using C = RunConfig;
  using D = DataConfig;
  const OnlyOfData only;
  return {
      {.path = "data.source",
       .type = choice<&C::data, &D::source>({"synthetic", "text", "hash", "images", "batch"}),
       .default_text = "synthetic",
       .help = "synthetic: random tokens or pixels. text: tokens from files. hash: tokens from the hash that "
               "model.init: hash uses. images: binary PPM files, in one folder per class. batch: one batch "
               "of tokens written by torch.save, repeated."},
      {.path = "data.path",
       .type = path_list<&C::data, &D::path>(),
       .default_text = "[]",
       .help = "Files, folders or patterns (*, ?, [a-z], ** for any folders; ~ and ${VARIABLE}), relative to "
               "the file that names them, or to the current folder if given on the command line. Required if "
               "the source reads files.",
       .only_when = only.files},
      {.path = "data.tokens",
       .type = choice<&C::data, &D::tokens>({"bytes", "uint16"}),
       .default_text = "bytes",
       .help = "Format of the files: text with one token per byte, or tokens as little-endian uint16.",
       .only_when = only.text},
      {.path = "data.max_bytes",
       .type = bytes<&C::data, &D::max_bytes>(0, INT64_MAX),
       .default_text = "0",
       .help = "Read at most this much of the files; 0: all.",
       .only_when = only.text},
      {.path = "data.order",
       .type = choice<&C::data, &D::order>({"random", "sequential"}),
       .default_text = "random",
       .help = "random: sequences begin anywhere in the text, images are drawn from all. sequential: in "
               "order, then again from the first.",
       .only_when = only.ordered},
      {.path = "data.batch_size",
       .type = integer<&C::data, &D::batch_size>(1, kDataMillion),
       .default_text = "4",
       .help = "Sequences or images in one micro-batch."},
      {.path = "data.workers",
       .type = integer<&C::data, &D::workers>(0, 256),
       .default_text = "0",
       .help = "Threads that read micro-batches in advance; 0: the training thread reads each one when "
               "needed. The data does not depend on it."},
      {.path = "data.prefetch",
       .type = integer<&C::data, &D::prefetch>(1, 10'000),
       .default_text = "2",
       .help =
           "Number of micro-batches that all workers together read in advance; no effect without workers."},
      {.path = "data.pin_memory",
       .type = flag<&C::data, &D::pin_memory>(),
       .default_text = "false",
       .help = "Keep micro-batches in pinned host memory, so that a CUDA device copies them while the host "
               "continues."},
  };
}

// Several processes that train together: the keys of `world_size` and `ddp`.

std::vector<Key> rank_keys() {
  using namespace bound;
  using C = RunConfig;
  constexpr std::int64_t kMostRanks = 65536;
  return {
      {.path = "world_size",
       .type = integer<&C::world_size>(1, kMostRanks),
       .default_text = "1",
       .help = "Number of ranks: processes that train together, each on its own samples, and average their "
               "gradients, with gloo on the CPU and NCCL on CUDA devices. Each rank uses one device. `strata "
               "run` or torchrun starts them."},
      {.path = "ddp.bucket_cap",
       .type = bytes<&C::ddp, &DdpConfig::bucket_cap_bytes>(1, std::int64_t{1} << 40),
       .default_text = "25MiB",
       .help = "Largest size of the buckets in which gradients are averaged, as bucket_cap_mb of "
               "DistributedDataParallel; with its default of 25MiB the first bucket has 1 MiB."},
      {.path = "ddp.gradient_as_bucket_view",
       .type = flag<&C::ddp, &DdpConfig::gradient_as_bucket_view>(),
       .default_text = "false",
       .help = "Let gradients be views of the buckets, instead of separate copies."},
      {.path = "ddp.ranks",
       .type = choice<&C::ddp, &DdpConfig::ranks>({"all", "first"}),
       .default_text = "all",
       .help = "all: every rank runs. first: only rank 0 runs, on a dry device, because all other ranks "
               "would hold the same; a thousand ranks then need only one process."},
  };
}

}  // namespace strata::config
