// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/training_run.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "strata/ext/memory.h"
#include "strata/ext/module.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"

namespace strata::analysis::testing {
namespace {

constexpr std::uint64_t kParameterBytes = 4096, kInputBytes = 512, kActivationBytes = 2048,
                        kFlowingBytes = 1536;
constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

using enum Category;

struct Layer {
  std::string path;
  std::uint64_t weight = 0, gradient = 0, average = 0;
  std::uint64_t activation = 0, saved = 0, saved_weight = 0;
  std::int64_t autograd_sequence = 0;
};

class Trainer {
 public:
  explicit Trainer(const TrainingOptions& options) : options_(options) {}

  TrainingRun run() {
    set_up();
    for (std::int64_t step = 0; step < options_.steps; ++step) {
      run_.step(step, step == 0 ? STRATA_STEP_WARMUP : STRATA_STEP_ACTIVE, [&] { one_step(); });
      // Between steps: a line of output on the terminal.
      run_.free(run_.allocate(24, {kTemporary, "op_temp", ""}));
    }
    TrainingRun result{run_.finish(), run_.expected()};
    result.recording.first_step = 1;
    result.recording.last_step = static_cast<std::uint64_t>(options_.steps - 1);
    if (options_.cross_check) add_reports(result.recording);
    return result;
  }

 private:
  void set_up() {
    run_.phase(STRATA_PHASE_SETUP, "setup", [&] {
      for (std::uint32_t index = 0; index < options_.layers; ++index) {
        Layer layer{.path = fmt::format("layers.{}", index)};
        run_.op("aten::empty", [&] {
          layer.weight = run_.allocate(kParameterBytes, {kParameter, "parameter", layer.path});
        });
        run_.op("aten::trunc_normal", [&] { run_.free(run_.allocate(640, {kTemporary, "op_temp", ""})); });
        layers_.push_back(layer);
      }
      rope_ = run_.allocate(320, {kParameter, "buffer", "rope"});
    });
    for (const Layer& layer : layers_)
      run_.tensor(STRATA_TENSOR_PARAMETER, layer.path + ".weight", layer.weight);
    run_.tensor(STRATA_TENSOR_BUFFER, "rope.cosine", rope_);
  }

  void one_step() {
    zero_gradients();
    for (std::uint32_t micro_batch = 0; micro_batch < options_.micro_batches; ++micro_batch) {
      run_.micro_batch(micro_batch);
      one_micro_batch();
    }
    if (!options_.backward) return;
    std::uint64_t norm = 0;
    run_.phase(STRATA_PHASE_CLIP, "clip", [&] {
      run_.op("aten::linalg_vector_norm", [&] { norm = run_.allocate(4, {kTemporary, "op_temp", ""}); });
    });
    step_optimizer();
    run_.free(norm);
  }

  void zero_gradients() {
    run_.phase(STRATA_PHASE_ZERO_GRAD, "zero_grad", [&] {
      for (Layer& layer : layers_) {
        if (layer.gradient == 0 || !options_.set_to_none) continue;
        run_.free(layer.gradient);
        layer.gradient = 0;
      }
    });
  }

  void one_micro_batch() {
    std::uint64_t input = 0, target = 0;
    run_.phase(STRATA_PHASE_DATA, "data", [&] {
      run_.op("aten::randint", [&] {
        const std::uint64_t offsets = run_.allocate(64, {kTemporary, "op_temp", ""});
        input = run_.allocate(kInputBytes, {kInput, "input", ""});
        target = run_.allocate(kInputBytes, {kInput, "target", ""});
        run_.free(offsets);
      });
    });
    run_.tensor(STRATA_TENSOR_INPUT, "input", input);
    run_.tensor(STRATA_TENSOR_TARGET, "target", target);
    forward(input);
    if (options_.backward) backward();
    run_.free(residue_);
    run_.free(input);
    run_.free(target);
  }

  std::uint64_t save(std::uint64_t address) {
    return options_.saved_tensors && options_.backward ? run_.save(address) : 0;
  }
  void release(std::uint64_t saved) {
    if (saved != 0) run_.release(saved);
  }

  // One layer: its output, which the backward of the next layer needs, and a temporary.
  void forward_layer(Layer& layer, const Expected& expected) {
    run_.op(
        "aten::linear",
        [&] {
          layer.autograd_sequence = ++autograd_sequence_;
          run_.op(
              "aten::addmm",
              [&] {
                layer.activation = run_.allocate(kActivationBytes, expected);
                run_.free(run_.allocate(96, {kTemporary, "workspace", expected.layer}));
                layer.saved_weight = save(layer.weight);
              },
              STRATA_OP_FORWARD, autograd_sequence_);
          run_.op("aten::mul", [&] {
            run_.free(run_.allocate(128, {kTemporary, "op_temp", expected.layer}));
          });
          layer.saved = save(layer.activation);
        },
        STRATA_OP_FORWARD, autograd_sequence_ + 1);
  }

  void forward(std::uint64_t input) {
    const Expected activation =
        options_.backward ? Expected{kActivation, "saved", ""} : Expected{kActivation, "forward_residue", ""};
    run_.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      run_.module("", [&] {
        saved_input_ = save(input);
        for (Layer& layer : layers_) {
          run_.module(layer.path, [&] {
            Expected expected = activation;
            expected.layer = layer.path;
            if (options_.checkpointing) expected = {kTemporary, "op_temp", layer.path};
            const bool saves = options_.saved_tensors;
            options_.saved_tensors = saves && !options_.checkpointing;
            forward_layer(layer, expected);
            options_.saved_tensors = saves;
            if (options_.checkpointing) run_.free(layer.activation);
          });
        }
        residue_ = run_.allocate(200, {kActivation, "forward_residue", "(model)"});
        logits_ = run_.allocate(1024, {kActivation, "logits", "(model)"});
        run_.on_thread(333, [&] { work_of_another_thread(); });
      });
    });
    run_.tensor(STRATA_TENSOR_LOGITS, "logits", logits_);
    between_ = run_.allocate(16, options_.backward ? activation : Expected{kTemporary, "op_temp", ""});
    run_.phase(STRATA_PHASE_LOSS, "loss", [&] {
      run_.op(
          "aten::log_softmax", [&] { probabilities_ = run_.allocate(1024, activation); }, STRATA_OP_FORWARD,
          ++autograd_sequence_);
      run_.op(
          "aten::nll_loss",
          [&] {
            loss_ = run_.allocate(4, {kActivation, "loss", ""});
          },
          STRATA_OP_FORWARD, ++autograd_sequence_);
      run_.free(logits_);
    });
    run_.tensor(STRATA_TENSOR_LOSS, "loss", loss_);
    saved_between_ = save(between_);
    saved_probabilities_ = save(probabilities_);
    if (options_.backward) return;
    for (Layer& layer : layers_) run_.free(layer.activation);
    for (const std::uint64_t block : {between_, probabilities_, loss_}) run_.free(block);
  }

  // The thread counts its own autograd sequence, so its numbers repeat those of the other thread.
  void work_of_another_thread() {
    run_.free(run_.allocate(72, {kTemporary, "op_temp", ""}));
    run_.module("elsewhere", [&] {
      for (const Layer& layer : layers_) {
        run_.op(
            "aten::linear", [] {}, STRATA_OP_FORWARD, layer.autograd_sequence);
      }
    });
  }

  void backward() {
    run_.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      std::uint64_t seed = 0;
      run_.op("aten::ones_like", [&] {
        run_.op("aten::empty_like", [&] { seed = run_.allocate(4, {kGradient, "gradient", ""}); });
      });
      std::uint64_t flowing = 0;
      node(
          "LogSoftmaxBackward0", -1,
          [&] {
            flowing = run_.allocate(kFlowingBytes, {kAutogradDetail, "flowing", ""});
            run_.free(run_.allocate(8, {kAutogradDetail, "flowing", ""}));
          },
          [&] {
            release(saved_probabilities_);
            release(saved_between_);
            run_.free(probabilities_);
            run_.free(between_);
            run_.free(seed);
          });
      for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer)
        flowing = backward_module(*layer, flowing);
      run_.free(flowing);
      release(saved_input_);
      run_.free(loss_);
    });
    for (const Layer& layer : layers_) {
      run_.tensor(STRATA_TENSOR_GRADIENT, layer.path + ".weight", layer.gradient, layer.weight);
    }
  }

  // The engine's work on one node: `body` inside it, `after` once its saved tensors are released.
  void node(std::string_view name, std::int64_t autograd_sequence, const RunBuilder::Body& body,
            const RunBuilder::Body& after) {
    run_.op(std::string(kEvaluate) + std::string(name), [&] {
      run_.op(name, body, STRATA_OP_BACKWARD, autograd_sequence);
      after();
    });
  }

  std::uint64_t backward_module(Layer& layer, std::uint64_t flowing) {
    if (!options_.backward_ranges) return backward_layer(layer, flowing);
    std::uint64_t next = 0;
    run_.module(
        layer.path, [&] { next = backward_layer(layer, flowing); }, STRATA_MODULE_BACKWARD);
    return next;
  }

  std::uint64_t backward_layer(Layer& layer, std::uint64_t flowing) {
    std::uint64_t next = 0, arriving = 0;
    const bool first = layer.gradient == 0;
    if (options_.checkpointing) {
      run_.op("CheckpointBackward", [&] {
        run_.phase(STRATA_PHASE_FORWARD, "recompute", [&] {
          run_.module(
              layer.path,
              [&] {
                forward_layer(layer, {kActivation, "recompute", layer.path});
              },
              STRATA_MODULE_RECOMPUTE);
        });
      });
    }
    node(
        "AddmmBackward0", layer.autograd_sequence,
        [&] {
          run_.op("aten::mm", [&] {
            next = run_.allocate(kFlowingBytes, {kAutogradDetail, "flowing", layer.path});
            run_.free(run_.allocate(80, {kTemporary, "workspace", layer.path}));
          });
          run_.op("aten::mm", [&] {
            arriving = run_.allocate(kParameterBytes,
                                     {kGradient, first ? "gradient" : "accumulate_temp", layer.path});
          });
        },
        [&] {
          release(layer.saved);
          release(layer.saved_weight);
          run_.free(layer.activation);
          run_.free(flowing);
        });
    node(
        "torch::autograd::AccumulateGrad", -1,
        [&] {
          if (first) {
            layer.gradient = arriving;
          } else {
            run_.op("aten::add_", [] {});
            run_.free(arriving);
          }
        },
        [] {});
    return next;
  }

  void step_optimizer() {
    run_.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
      for (Layer& layer : layers_) {
        if (layer.average == 0) {
          run_.op("aten::zeros_like", [&] {
            layer.average = run_.allocate(kParameterBytes, {kOptimizerState, "state", layer.path});
          });
        }
        std::uint64_t root = 0;
        run_.op("aten::sqrt", [&] {
          root = run_.allocate(kParameterBytes, {kTemporary, "optimizer_temp", ""});
        });
        run_.op("aten::div", [&] {
          run_.free(run_.allocate(kParameterBytes, {kTemporary, "optimizer_temp", ""}));
        });
        run_.free(root);
      }
    });
    for (const Layer& layer : layers_) {
      run_.tensor(STRATA_TENSOR_OPTIMIZER_STATE, "exp_avg", layer.average, layer.weight);
    }
  }

  // What an allocator's own count would be after each event.
  static void add_reports(Recording& run) {
    std::map<std::uint64_t, std::uint64_t> sizes;
    std::uint64_t allocated_bytes = 0;
    run.cross_checked = true;
    for (const MemoryRow& row : run.memory) {
      const bool allocates = row.action == STRATA_MEMORY_ALLOCATE;
      const std::uint64_t bytes = allocates ? row.bytes : sizes.at(row.address);
      if (allocates) {
        sizes[row.address] = bytes;
        allocated_bytes += bytes;
      } else {
        sizes.erase(row.address);
        allocated_bytes -= bytes;
      }
      const auto change = static_cast<std::int64_t>(bytes);
      run.reports.push_back(
          {row.sequence, row.thread, row.device, row.address, allocates ? change : -change, allocated_bytes});
    }
  }

  TrainingOptions options_;
  RunBuilder run_;
  std::vector<Layer> layers_;
  std::uint64_t rope_ = 0, residue_ = 0, logits_ = 0, probabilities_ = 0, loss_ = 0, between_ = 0;
  std::uint64_t saved_input_ = 0, saved_probabilities_ = 0, saved_between_ = 0;
  std::int64_t autograd_sequence_ = 0;
};

}  // namespace

TrainingRun make_training_run(const TrainingOptions& options) {
  return Trainer(options).run();
}

}  // namespace strata::analysis::testing
