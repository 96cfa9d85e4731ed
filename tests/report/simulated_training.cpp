// SPDX-License-Identifier: Apache-2.0
#include "tests/report/simulated_training.hpp"

#include <strata/ext/phase.h>
#include <strata/ext/step.h>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/report/facts_recorder.hpp"

namespace strata::report::testing {
namespace {

using analysis::Category;

constexpr std::uint64_t kFloat = 4;
constexpr std::int64_t kOpNs = 40'000;

struct Parameter {
  std::string name, layer;
  std::uint64_t bytes;
  std::string shape;
};

class Simulation {
 public:
  explicit Simulation(const SimulatedTraining& training) : training_(training), recorder_("cs336-small") {}

  analysis::Facts run() {
    build_model();
    for (std::int64_t step = 0; step < training_.steps; ++step) {
      recorder_.begin_step(step, schedule(step));
      take_batch();
      forward();
      const auto seed = loss();
      backward(seed);
      optimize(step == 0);
      zero_grad();
      recorder_.end_step(9.2 / (1.0 + 0.06 * static_cast<double>(step)), training_.batch * training_.context);
      recorder_.advance(8 * kOpNs);
    }
    auto facts = recorder_.finish(training_.first_active_step, training_.steps - 1);
    facts.directory = "runs/cs336-small/20260314-092653";
    facts.plugins = {{"allocator_tracer", "ok", ""}};
    return facts;
  }

 private:
  std::uint32_t schedule(std::int64_t step) const {
    if (step >= training_.first_active_step) return STRATA_STEP_ACTIVE;
    return step + 1 == training_.first_active_step ? STRATA_STEP_WARMUP : STRATA_STEP_WAIT;
  }

  std::uint64_t hidden_bytes() const {
    return training_.batch * training_.context * training_.width * kFloat;
  }

  // An allocation that lives for one op.
  void pass(std::uint64_t bytes, const Origin& origin) {
    const auto block = recorder_.allocate(bytes, origin);
    recorder_.advance(kOpNs);
    recorder_.release(block);
  }

  void build_model() {
    recorder_.begin_phase(STRATA_PHASE_SETUP, "setup");
    const auto square = training_.width * training_.width * kFloat;
    const auto shape = [](std::uint64_t rows, std::uint64_t columns) {
      return fmt::format("{}x{}", rows, columns);
    };
    const auto width = training_.width;
    parameters_.push_back({"token_embeddings.weight", "token_embeddings",
                           training_.vocabulary * width * kFloat, shape(training_.vocabulary, width)});
    for (std::uint64_t layer = 0; layer < training_.layers; ++layer) {
      const auto block = "layers." + std::to_string(layer);
      for (const auto* name : {"q_proj", "k_proj", "v_proj", "output_proj"}) {
        parameters_.push_back(
            {block + ".attn." + name + ".weight", block + ".attn", square, shape(width, width)});
      }
      for (const auto* name : {"w1", "w2", "w3"}) {
        parameters_.push_back({block + ".ffn." + name + ".weight", block + ".ffn", square * 8 / 3,
                               shape(width * 8 / 3, width)});
      }
    }
    parameters_.push_back({"lm_head.weight", "lm_head", training_.vocabulary * width * kFloat,
                           shape(training_.vocabulary, width)});
    for (const auto& parameter : parameters_) {
      recorder_.advance(kOpNs * 4);
      recorder_.allocate(parameter.bytes,
                         {Category::kParameter, analysis::BlockKind::kParameter, parameter.name,
                          "aten::empty", parameter.layer, "float32", parameter.shape});
    }
    recorder_.end_phase();
    recorder_.advance(50 * kOpNs);
  }

  void take_batch() {
    recorder_.begin_phase(STRATA_PHASE_DATA, "data");
    for (const auto* name : {"inputs", "targets"}) {
      recorder_.advance(6 * kOpNs);
      batch_.push_back(
          recorder_.allocate(training_.batch * training_.context * 8,
                             {Category::kInput, analysis::BlockKind::kInput, name, "aten::empty", ""}));
    }
    recorder_.end_phase();
  }

  void forward() {
    recorder_.begin_phase(STRATA_PHASE_FORWARD, "forward");
    for (std::uint64_t layer = 0; layer < training_.layers; ++layer) {
      const auto block = "layers." + std::to_string(layer);
      const auto save = [&](std::uint64_t bytes, const char* op, const char* part) {
        recorder_.advance(kOpNs);
        pass(hidden_bytes(),
             {Category::kTemporary, analysis::BlockKind::kOpTemp, "", "aten::mul", block + part});
        activations_.push_back(recorder_.allocate(
            bytes, {Category::kActivation, analysis::BlockKind::kSaved, "", op, block + part}));
      };
      for (int i = 0; i < 4; ++i) save(hidden_bytes(), "aten::mm", ".attn");
      save(training_.batch * 12 * training_.context * training_.context * kFloat, "aten::softmax", ".attn");
      for (int i = 0; i < 3; ++i) save(hidden_bytes() * 8 / 3, "aten::mm", ".ffn");
    }
    recorder_.advance(kOpNs * 3);
    activations_.push_back(recorder_.allocate(
        logits_bytes(), {Category::kActivation, analysis::BlockKind::kLogits, "", "aten::mm", "lm_head"}));
    recorder_.end_phase();
  }

  std::uint64_t logits_bytes() const {
    return training_.batch * training_.context * training_.vocabulary * kFloat;
  }

  std::uint32_t loss() {
    recorder_.begin_phase(STRATA_PHASE_LOSS, "loss");
    recorder_.advance(kOpNs);
    activations_.push_back(recorder_.allocate(
        logits_bytes(),
        {Category::kActivation, analysis::BlockKind::kSaved, "", "aten::_log_softmax", "loss"}));
    recorder_.advance(kOpNs);
    recorder_.end_phase();
    recorder_.begin_phase(STRATA_PHASE_BACKWARD, "backward");
    return recorder_.allocate(logits_bytes(), {Category::kAutogradDetail, analysis::BlockKind::kFlowing, "",
                                               "aten::_log_softmax_backward_data", "loss"});
  }

  void backward(std::uint32_t flowing) {
    const std::size_t activations = activations_.size();
    for (std::size_t i = 0; i < activations; ++i) {
      recorder_.advance(kOpNs * 2);
      const auto next = recorder_.allocate(
          hidden_bytes(),
          {Category::kAutogradDetail, analysis::BlockKind::kFlowing, "", "aten::mm", "backward of a layer"});
      recorder_.release(flowing);
      flowing = next;
      recorder_.release(activations_[activations - 1 - i]);
      // Gradients appear in reverse order of the parameters, as the activations are freed.
      while (gradients_.size() < (i + 1) * parameters_.size() / activations) {
        const auto& parameter = parameters_[parameters_.size() - 1 - gradients_.size()];
        recorder_.advance(kOpNs);
        gradients_.push_back(
            recorder_.allocate(parameter.bytes, {Category::kGradient, analysis::BlockKind::kGradient,
                                                 parameter.name, "aten::mm", parameter.layer}));
      }
    }
    recorder_.release(flowing);
    activations_.clear();
    recorder_.end_phase();
  }

  void optimize(bool first) {
    recorder_.begin_phase(STRATA_PHASE_OPTIMIZER, "optimizer");
    for (const auto& parameter : parameters_) {
      for (const auto* state : {".exp_avg", ".exp_avg_sq"}) {
        if (!first) break;
        recorder_.advance(kOpNs / 2);
        recorder_.allocate(parameter.bytes, {Category::kOptimizerState, analysis::BlockKind::kState,
                                             parameter.name + state, "aten::zeros_like", parameter.layer});
      }
      pass(parameter.bytes,
           {Category::kTemporary, analysis::BlockKind::kOptimizerTemp, "", "aten::sqrt", parameter.layer});
    }
    recorder_.end_phase();
  }

  void zero_grad() {
    recorder_.begin_phase(STRATA_PHASE_ZERO_GRAD, "zero_grad");
    for (const auto block : gradients_) recorder_.release(block);
    for (const auto block : batch_) recorder_.release(block);
    recorder_.advance(kOpNs * 2);
    gradients_.clear();
    batch_.clear();
    recorder_.end_phase();
  }

  SimulatedTraining training_;
  FactsRecorder recorder_;
  std::vector<Parameter> parameters_;
  std::vector<std::uint32_t> batch_, activations_, gradients_;
};

}  // namespace

analysis::Facts simulate(const SimulatedTraining& training) {
  return Simulation(training).run();
}

}  // namespace strata::report::testing
