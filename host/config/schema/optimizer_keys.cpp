// SPDX-License-Identifier: Apache-2.0
// How its parameters are stepped: the keys of `optimizer`.
#include "host/config/schema/bound_types.hpp"
#include "host/config/schema/schema_parts.hpp"

namespace strata::config {
namespace {

constexpr std::int64_t kOptimizerMillion = 1'000'000;
constexpr std::int64_t kOptimizerBillion = 1'000'000'000;

// The conditions of several keys.
struct OnlyOfOptimizer {
  Condition adam{.key = "optimizer.name",
                 .values = {"adamw", "adam", "muon", "adam8bit", "galore_adamw", "rsvd_adam"}};
  Condition betas{.key = "optimizer.name",
                  .values = {"adamw", "adam", "lion", "muon", "adam8bit", "galore_adamw", "rsvd_adam"}};
  Condition momentum{.key = "optimizer.name", .values = {"sgd", "muon"}};
  Condition galore{.key = "optimizer.name", .values = {"galore_adamw"}};
  Condition rsvd{.key = "optimizer.name", .values = {"rsvd_adam"}};
  Condition projected{.key = "optimizer.name", .values = {"galore_adamw", "rsvd_adam"}};
  Condition falling_rate{.key = "optimizer.lr_schedule", .values = {"linear", "cosine"}};
};

}  // namespace

std::vector<Key> optimizer_keys() {
  using namespace bound;
  using C = RunConfig;
  using O = OptimizerConfig;
  const OnlyOfOptimizer only;
  return {
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
       .type = integer<&C::optimizer, &O::lr_warmup_steps>(0, kOptimizerBillion),
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
       .type = integer<&C::optimizer, &O::rank>(1, kOptimizerMillion),
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
       .type = integer<&C::optimizer, &O::update_proj_gap>(1, kOptimizerBillion),
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
  };
}

}  // namespace strata::config
