// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/ranks/gloo_backend.hpp"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace strata::trainer {

c10::intrusive_ptr<c10d::Backend> make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    const RankPlace& place) {
  const auto options = c10d::ProcessGroupGloo::Options::create();
  // Ranks of one machine need no network, whose address a container may not even have.
  options->devices.push_back(place.launcher == Launcher::kStrata
                                 ? c10d::ProcessGroupGloo::createDeviceForInterface("lo")
                                 : c10d::ProcessGroupGloo::createDefaultDevice());
  options->threads = 2;  // as torch.distributed has it
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place.rank),
                                                     static_cast<int>(place.world_size), options);
}

}  // namespace strata::trainer
