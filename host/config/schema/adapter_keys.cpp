// SPDX-License-Identifier: Apache-2.0
// Weights trained in addition to the model's own: the keys of `adapter`.
#include "host/config/schema/bound_types.hpp"
#include "host/config/schema/schema_parts.hpp"

namespace strata::config {

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

}  // namespace strata::config
