// SPDX-License-Identifier: Apache-2.0
// `strata::attach` reports storages on the CPU and on CUDA, and no others.
#include "strata/torch/attach.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <vector>

namespace strata::torch_attach {
namespace {

std::vector<std::string> told;

const strata_trainer_calls kCalls = [] {
  strata_trainer_calls calls{};
  calls.struct_size = sizeof calls;
  calls.wants_tensors = [] { return std::int32_t{1}; };
  calls.tensor = [](const strata_owned_storage* storage) { told.emplace_back(storage->name); };
  calls.watch_optimizer = [](void (*)(void*), void*) {};
  calls.forget_optimizer = [](void*) {};
  return calls;
}();

struct Net : torch::nn::Module {
  Net() {
    register_parameter("weight", torch::zeros({4, 4}));
    register_buffer("mean", torch::zeros({4}));
    // Has a size but no memory, as in a model that is not loaded yet.
    register_parameter("late", torch::zeros({4}, torch::kMeta));
    register_buffer("empty", torch::zeros({0}));
    register_buffer("sparse", torch::eye(4).to_sparse());
  }
};

TEST(Attach, TellsOfWhatHasMemoryThatIsRecorded) {
  told.clear();
  Net net;
  const Owners owners(kCalls, net, {});
  EXPECT_EQ(told, (std::vector<std::string>{"weight", "mean"}));
}

TEST(Attach, PutsAModelsNameBeforeThoseOfItsParts) {
  told.clear();
  strata_trainer_binding = &kCalls;
  Net one, other, only;
  torch::optim::SGD optimizer(one.parameters(), 0.1);
  const Attachment first = attach("generator", one, optimizer), second = attach("critic", other),
                   third = attach(only);
  strata_trainer_binding = nullptr;
  EXPECT_EQ(told, (std::vector<std::string>{"generator.weight", "generator.mean", "critic.weight",
                                            "critic.mean", "weight", "mean"}));
}

}  // namespace
}  // namespace strata::torch_attach
