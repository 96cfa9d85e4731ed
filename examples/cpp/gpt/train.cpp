// SPDX-License-Identifier: Apache-2.0
// gpt [cpu|cuda] [steps]: a small GPT that learns to count, two micro-batches a step, every phase marked.
// What Strata needs of it is marked with "Strata:"; without Strata these lines do nothing.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "gpt.hpp"

#include <strata/trainer.h>
#include <strata/torch/attach.hpp>

namespace {

constexpr std::int64_t kBatch = 4;
constexpr int kMicroBatches = 2;

struct Batch {
  torch::Tensor tokens, next;
};

// Sequences that count up from a random number.
Batch make_batch(const GptSize& size, torch::Device device) {
  STRATA_PHASE("data");  // Strata: what is made here is Input
  const auto first = torch::randint(size.vocabulary, {kBatch, 1}, torch::kLong);
  const auto counted = (first + torch::arange(size.context + 1)).remainder(size.vocabulary);
  return {counted.slice(1, 0, size.context).contiguous().to(device),
          counted.slice(1, 1, size.context + 1).contiguous().to(device)};
}

torch::Tensor loss_of(Gpt& model, const Batch& batch) {
  STRATA_PHASE("forward");
  const auto logits = model->forward(batch.tokens);
  return torch::cross_entropy_loss(logits.flatten(0, 1), batch.next.flatten()) / kMicroBatches;
}

double train_step(Gpt& model, torch::optim::Optimizer& optimizer, const GptSize& size, torch::Device device) {
  STRATA_STEP();  // Strata: one optimizer step
  double total = 0;
  for (int index = 0; index < kMicroBatches; ++index) {
    STRATA_MICRO_BATCH(static_cast<std::uint32_t>(index));
    const Batch batch = make_batch(size, device);
    const auto loss = loss_of(model, batch);
    {
      STRATA_PHASE("backward");
      loss.backward();
    }
    total += loss.item().toDouble();
  }
  {
    STRATA_PHASE("clip");
    torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
  }
  {
    STRATA_PHASE("optimizer");
    optimizer.step();
  }
  STRATA_PHASE("zero_grad");
  optimizer.zero_grad();
  STRATA_STEP_RESULT(total, static_cast<std::uint64_t>(kMicroBatches * kBatch * size.context));
  return total;
}

}  // namespace

int main(int count, char** words) {
  STRATA_RUN();  // Strata: what the model allocates is recorded, whoever starts the program
  const torch::Device device(count > 1 ? words[1] : "cpu");
  const int steps = count > 2 ? std::atoi(words[2]) : 4;
  torch::manual_seed(1);

  const GptSize size;
  Gpt model(size);
  model->to(device);
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(1e-3));
  const auto attached = strata::attach(*model, optimizer);  // Strata: names and layers for what they own

  for (int step = 0; step < steps; ++step) std::printf("%.9f\n", train_step(model, optimizer, size, device));

  std::int64_t bytes = 0;
  for (const auto& parameter : model->parameters()) bytes += static_cast<std::int64_t>(parameter.nbytes());
  std::fprintf(stderr, "parameter bytes %lld\n", static_cast<long long>(bytes));
}
