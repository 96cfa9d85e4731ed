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
       .help =
           "Ranks: processes that train together, each on samples of its own, and average their gradients, "
           "over gloo on the CPU and NCCL on CUDA devices, of which each has one. `strata run` starts them, "
           "or "
           "torchrun does."},
      {.path = "ddp.bucket_cap",
       .type = bytes<&C::ddp, &DdpConfig::bucket_cap_bytes>(1, std::int64_t{1} << 40),
       .default_text = "25MiB",
       .help = "Gradients are averaged in buckets of so many bytes at most, as DistributedDataParallel's "
               "bucket_cap_mb; at its 25MiB the first bucket has 1 MiB."},
      {.path = "ddp.gradient_as_bucket_view",
       .type = flag<&C::ddp, &DdpConfig::gradient_as_bucket_view>(),
       .default_text = "false",
       .help = "Let gradients be views of the buckets, instead of copies beside them."},
      {.path = "ddp.ranks",
       .type = choice<&C::ddp, &DdpConfig::ranks>({"all", "first"}),
       .default_text = "all",
       .help = "all: every rank runs. first: rank 0 alone, on a dry device, where every other would hold the "
               "same; a world of a thousand ranks takes one process so."},
  };
}

}  // namespace strata::config
