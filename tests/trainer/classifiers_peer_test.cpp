// SPDX-License-Identifier: Apache-2.0
// Compared with transformers' DistilBERT and torchvision's ResNets. These tests exist only if
// STRATA_CLASSIFIERS_FIXTURE names a file written by tests/peers/classifiers/make_fixture.py: its weights are
// too large for the repository. tests/peers/classifiers/test_classifiers.py makes one and runs the tests.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "host/trainer/models/model.hpp"
#include "tests/trainer/peer_fixture.hpp"

namespace strata::trainer {
namespace {

constexpr const char* kClassifiersFixture = "STRATA_CLASSIFIERS_FIXTURE";

struct Classifier {
  const char* name;
  config::Architecture architecture;
  config::Attention attention;
};

void PrintTo(const Classifier& classifier, std::ostream* out) {
  *out << classifier.name;
}

std::vector<Classifier> classifiers_to_compare() {
  using config::Architecture;
  using config::Attention;
  if (std::getenv(kClassifiersFixture) == nullptr) return {};
  return {{"distilbert", Architecture::kDistilBert, Attention::kNaive},
          {"distilbert", Architecture::kDistilBert, Attention::kSdpa},
          {"resnet18", Architecture::kResnet18, Attention::kNaive},
          {"resnet50", Architecture::kResnet50, Attention::kNaive}};
}

config::ModelConfig classifier_config(config::Architecture architecture, const Dictionary& sizes) {
  config::ModelConfig config;
  config.name = architecture;
  config.classes = sizes.integer("classes");
  if (architecture != config::Architecture::kDistilBert) return config;
  config.layers = sizes.integer("layers");
  config.d_model = sizes.integer("d_model");
  config.d_ff = sizes.integer("d_ff");
  config.heads = sizes.integer("heads");
  config.kv_heads = config.heads;
  config.vocab = sizes.integer("vocab");
  config.context = sizes.integer("context");
  config.positions = sizes.integer("positions");
  config.norm_epsilon = sizes.number("norm_epsilon");
  return config;
}

void copy_values(torch::OrderedDict<std::string, at::Tensor> ours, const Dictionary& theirs) {
  const at::NoGradGuard no_gradients;
  EXPECT_EQ(ours.size(), theirs.size()) << "as many as the peer has";
  for (auto& tensor : ours) {
    const at::Tensor expected = theirs.tensor(tensor.key());
    EXPECT_EQ(tensor.value().sizes(), expected.sizes()) << tensor.key();
    EXPECT_EQ(tensor.value().scalar_type(), expected.scalar_type()) << tensor.key();
    tensor.value().copy_(expected);
  }
}

// It adds the same value to all of a query's scores, which softmax ignores: its gradient is only rounding.
bool is_bias_of_keys(const std::string& parameter) {
  return parameter.find(".k_lin.bias") != std::string::npos;
}

void expect_zero_beside(const at::Tensor& gradient, const at::Tensor& other, const std::string& what) {
  ASSERT_TRUE(gradient.defined()) << what;
  EXPECT_LE(gradient.abs().max().item<double>(), 1e-5 * other.abs().max().item<double>()) << what;
}

class ClassifierPeer : public testing::TestWithParam<Classifier> {
 protected:
  std::shared_ptr<Model> model() const {
    const auto config = classifier_config(GetParam().architecture, peer_.dictionary("sizes"));
    std::shared_ptr<Model> model = make_model({.config = config, .attention = GetParam().attention}, {});
    copy_values(model->named_parameters(), peer_.dictionary("weights"));
    copy_values(model->named_buffers(), peer_.dictionary("buffers"));
    return model;
  }

  const Dictionary peer_ = load_fixture("classifiers.pt", kClassifiersFixture).dictionary(GetParam().name);
};

TEST_P(ClassifierPeer, ComputesTheSameLogits) {
  const at::Tensor logits = model()->forward(peer_.tensor("inputs"));
  const at::Tensor expected = peer_.tensor("logits");
  ASSERT_EQ(logits.sizes(), expected.sizes());
  EXPECT_LE((logits - expected).abs().max().item<double>(), 1e-4);
}

TEST_P(ClassifierPeer, ComputesTheSameLossAndGradients) {
  const std::shared_ptr<Model> trained = model();
  const at::Tensor logits = trained->forward(peer_.tensor("inputs"));
  const at::Tensor loss = at::cross_entropy_loss(logits, peer_.tensor("targets"));
  EXPECT_NEAR(loss.item<double>(), peer_.number("loss"), 1e-4);
  loss.backward();
  const Dictionary gradients = peer_.dictionary("gradients");
  for (const auto& parameter : trained->named_parameters()) {
    const std::string& name = parameter.key();
    const at::Tensor gradient = parameter.value().grad();
    if (is_bias_of_keys(name)) {
      const std::string weight = name.substr(0, name.size() - std::strlen("bias")) + "weight";
      expect_zero_beside(gradient, gradients.tensor(weight), name);
      expect_zero_beside(gradients.tensor(name), gradients.tensor(weight), name + " of the peer");
    } else {
      expect_close(gradient, gradients.tensor(name), 1e-4, name);
    }
  }
}

TEST_P(ClassifierPeer, LeavesTheSameInItsBuffers) {
  const std::shared_ptr<Model> trained = model();
  trained->forward(peer_.tensor("inputs"));
  for (const auto& buffer : trained->named_buffers()) {
    expect_close(buffer.value(), peer_.dictionary("buffers_after").tensor(buffer.key()), 1e-4, buffer.key());
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ClassifierPeer);
INSTANTIATE_TEST_SUITE_P(Python, ClassifierPeer, testing::ValuesIn(classifiers_to_compare()),
                         [](const auto& test) {
                           const bool is_naive = test.param.attention == config::Attention::kNaive;
                           const bool attends = test.param.architecture == config::Architecture::kDistilBert;
                           return std::string(test.param.name) +
                                  (attends ? is_naive ? "_naive" : "_sdpa" : "");
                         });

}  // namespace
}  // namespace strata::trainer
