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
       .help = "The optimizer. adafactor and muon: as in torch.optim. adam8bit: Adam with 8-bit states, in "
               "blocks of 256. galore_adamw: as in galore_torch. rsvd_adam: Adam on gradients projected by a "
               "randomized SVD. muon and galore_adamw step the blocks' matrices; AdamW steps all other "
               "parameters."},
      {.path = "optimizer.impl",
       .type = choice<&C::optimizer, &O::impl>({"loop", "foreach", "fused"}),
       .default_text = "loop",
       .help = "How the optimizer steps. loop: one parameter after another. foreach: each operation over all "
               "parameters, with temporaries as large as these (PyTorch's default on CUDA). fused: in "
               "kernels without temporaries. adamw, adam and sgd support all three, the others only loop."},
      {.path = "optimizer.lr",
       .type = real_from<&C::optimizer, &O::lr>(0.0),
       .default_text = "1.0e-3",
       .help = "Learning rate."},
      {.path = "optimizer.lr_schedule",
       .type = choice<&C::optimizer, &O::lr_schedule>({"constant", "linear", "cosine"}),
       .default_text = "constant",
       .help = "How the learning rate changes from the end of its warm-up to the end of the run."},
      {.path = "optimizer.lr_warmup_steps",
       .type = integer<&C::optimizer, &O::lr_warmup_steps>(0, kOptimizerBillion),
       .default_text = "0",
       .help = "Steps over which the learning rate rises from 0; the first step's rate is 0."},
      {.path = "optimizer.lr_final_share",
       .type = share<&C::optimizer, &O::lr_final_share>(),
       .default_text = "0.0",
       .help = "Final learning rate, as a share of lr.",
       .only_when = only.falling_rate},
      {.path = "optimizer.weight_decay",
       .type = real_from<&C::optimizer, &O::weight_decay>(0.0),
       .default_text = "0.01",
       .help = "Added to the gradient in adam, sgd and rsvd_adam; decoupled in all others."},
      {.path = "optimizer.momentum",
       .type = fraction<&C::optimizer, &O::momentum>(),
       .help = "Share of the previous update that is kept.",
       .default_help = "0.0, of muon 0.95",
       .only_when = only.momentum},
      {.path = "optimizer.beta1",
       .type = fraction<&C::optimizer, &O::beta1>(),
       .default_text = "0.9",
       .help = "Decay of the gradient's running mean; for lion, the mean's share in an update.",
       .only_when = only.betas},
      {.path = "optimizer.beta2",
       .type = fraction<&C::optimizer, &O::beta2>(),
       .help = "Decay of the squared gradient's running mean; for lion, of the gradient's running mean.",
       .default_help = "0.999, of lion 0.99",
       .only_when = only.betas},
      {.path = "optimizer.epsilon",
       .type = real_above<&C::optimizer, &O::epsilon>(0.0),
       .help = "Added to the denominator.",
       .default_help = "1e-8; 1e-6 for galore_adamw",
       .only_when = only.adam},
      {.path = "optimizer.rank",
       .type = integer<&C::optimizer, &O::rank>(1, kOptimizerMillion),
       .default_text = "128",
       .help = "Rank of the projected gradients, at most the smaller of d_model and d_ff.",
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
       .help = "Number of steps that use the same projector; then a new one is computed from the current "
               "gradient.",
       .only_when = only.projected},
      {.path = "optimizer.scale",
       .type = real_above<&C::optimizer, &O::scale>(0.0),
       .default_text = "0.25",
       .help = "Factor for projected updates.",
       .only_when = only.galore},
      {.path = "optimizer.proj_type",
       .type = choice<&C::optimizer, &O::proj_type>({"std", "reverse_std", "right", "left", "full"}),
       .default_text = "std",
       .help =
           "Side of a gradient to project: std, the shorter; reverse_std, the longer; right, left, or both.",
       .only_when = only.galore},
      {.path = "optimizer.keep_factor",
       .type = flag<&C::optimizer, &O::keep_factor>(),
       .default_text = "true",
       .help = "Let a projector in fp32 be a view that keeps the SVD's whole factor alive, as in "
               "galore_torch; false: copy the needed rank and free the rest.",
       .only_when = only.galore},
      {.path = "optimizer.init_state",
       .type = choice<&C::optimizer, &O::init_state>({"real", "dummy"}),
       .default_text = "real",
       .help = "When to create the optimizer's state: in the first step; or, with dummy, at set-up, by a "
               "step with zero gradients and a learning rate of zero, so that the first step needs the same "
               "memory as all others. A projector then belongs to a zero gradient until its next update."},
      {.path = "optimizer.clip_norm",
       .type = real_from<&C::optimizer, &O::clip_norm>(0.0),
       .default_text = "0.0",
       .help = "Largest total norm of all gradients; 0: no clipping."},
      {.path = "optimizer.per_layer",
       .type = flag<&C::optimizer, &O::per_layer>(),
       .default_text = "false",
       .help = "Step each parameter during backward, as soon as its gradient is complete, and free the "
               "gradient."},
  };
}

}  // namespace strata::config
