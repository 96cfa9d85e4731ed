// SPDX-License-Identifier: Apache-2.0
// Several processes that train together: the keys of `world_size` and `ddp`.
#include "host/config/schema/bound_types.hpp"
#include "host/config/schema/schema_parts.hpp"

namespace strata::config {

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
