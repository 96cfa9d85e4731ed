// SPDX-License-Identifier: Apache-2.0
// Recording of CUDA devices: the keys of `cupti`, options of the source of that name.
#include "host/config/schema/bound_types.hpp"
#include "host/config/schema/schema_parts.hpp"

namespace strata::config {

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

}  // namespace strata::config
