// SPDX-License-Identifier: Apache-2.0
// mnist [cpu|cuda] [epochs]: a small convolutional network on digits that are made up, in the style of
// PyTorch's own C++ examples. What Strata needs of it is marked with "Strata:"; without Strata these lines do
// nothing.
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <strata/trainer.h>
#include <strata/torch/attach.hpp>

namespace {

constexpr std::int64_t kDigits = 512;
constexpr std::int64_t kBatch = 64;

struct NetImpl : torch::nn::Module {
  NetImpl()
      : conv1(torch::nn::Conv2dOptions(1, 10, 5)),
        conv2(torch::nn::Conv2dOptions(10, 20, 5)),
        fc1(320, 50),
        fc2(50, 10) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("norm", norm);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(norm->forward(conv2->forward(x)), 2));
    x = torch::relu(fc1->forward(x.view({-1, 320})));
    x = torch::dropout(x, 0.5, is_training());
    return torch::log_softmax(fc2->forward(x), 1);
  }

  torch::nn::Conv2d conv1, conv2;
  torch::nn::BatchNorm2d norm{20};
  torch::nn::Linear fc1, fc2;
};
TORCH_MODULE(Net);

// The digit is how bright the picture is.
class MadeUpDigits : public torch::data::datasets::Dataset<MadeUpDigits> {
 public:
  torch::data::Example<> get(std::size_t index) override {
    const auto digit = static_cast<std::int64_t>(index % 10);
    const auto brightness = static_cast<float>(digit) / 10.0F;
    return {torch::rand({1, 28, 28}) * 0.1 + brightness, torch::tensor(digit)};
  }
  torch::optional<std::size_t> size() const override { return kDigits; }
};

template <typename Loader>
void train(Net& model, torch::Device device, Loader& loader, torch::optim::Optimizer& optimizer) {
  model->train();
  for (auto& batch : loader) {
    STRATA_STEP();  // Strata: one optimizer step, until the end of this scope
    const auto data = batch.data.to(device);
    const auto targets = batch.target.to(device);
    strata::name_tensor(STRATA_TENSOR_INPUT, "input", data);  // Strata: made outside the step
    strata::name_tensor(STRATA_TENSOR_TARGET, "target", targets);
    optimizer.zero_grad();
    const auto output = [&] {
      STRATA_PHASE("forward");  // Strata: until this scope ends; backward and optimizer are inferred
      return model->forward(data);
    }();
    const auto loss = torch::nll_loss(output, targets);
    loss.backward();
    optimizer.step();
    const auto value = loss.item().toDouble();
    STRATA_STEP_RESULT(value, static_cast<std::uint64_t>(data.size(0)));
    std::printf("%.9f\n", value);
  }
}

template <typename Loader>
void test(Net& model, torch::Device device, Loader& loader) {
  STRATA_PHASE("evaluation");  // Strata
  const torch::NoGradGuard no_grad;
  model->eval();
  double loss = 0;
  for (const auto& batch : loader) {
    const auto output = model->forward(batch.data.to(device));
    loss += torch::nll_loss(output, batch.target.to(device), {}, torch::Reduction::Sum).item().toDouble();
  }
  std::printf("test %.9f\n", loss / static_cast<double>(kDigits));
}

}  // namespace

int main(int count, char** words) {
  STRATA_RUN();  // Strata: what the model allocates is recorded, whoever starts the program
  const torch::Device device(count > 1 ? words[1] : "cpu");
  const int epochs = count > 2 ? std::atoi(words[2]) : 1;
  torch::manual_seed(1);

  Net model;
  model->to(device);
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.01).momentum(0.5));
  const auto attached = strata::attach(*model, optimizer);  // Strata: names and layers for what they own

  const auto digits = MadeUpDigits().map(torch::data::transforms::Stack<>());
  const auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(digits, kBatch);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    train(model, device, *loader, optimizer);
    test(model, device, *loader);
  }

  std::int64_t bytes = 0;
  for (const auto& parameter : model->parameters()) bytes += static_cast<std::int64_t>(parameter.nbytes());
  std::fprintf(stderr, "parameter bytes %lld\n", static_cast<long long>(bytes));
}
