// SPDX-License-Identifier: Apache-2.0
// record_graph_capture FOLDER: records a run whose first step is captured as a CUDA graph; the other steps
// replay it.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "host/trainer/tensor_report.hpp"
#include "strata/runtime/session.hpp"

namespace strata::test {
namespace {

constexpr std::int64_t kRows = 256, kColumns = 1024;

SessionOptions options_for(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  SessionOptions options;
  options.name = "graph capture";
  options.directory = folder;
  options.sources = {{.name = "torch", .options = {}, .place = "here"}};
  options.plugins = {{.name = "allocator_tracer", .options = {}, .place = "here"}};
  options.strict = true;
  return options;
}

class CapturedTraining {
 public:
  explicit CapturedTraining(Session& session) : session_(session) {
    const Phase setup(session_, PhaseKind::kSetup, "setup");
    const at::TensorOptions on_device = at::TensorOptions(at::kCUDA);
    weight_ = at::ones({kRows, kColumns}, on_device).requires_grad_();
    input_ = at::ones({kRows, kColumns}, on_device);
    show(TensorRole::kParameter, "weight", weight_);
    show(TensorRole::kInput, "input", input_);
  }

  void capture() {
    const c10::cuda::CUDAStreamGuard guard(stream_);
    {
      const Phase forward(session_, PhaseKind::kForward, "forward");
      graph_.capture_begin();
      const at::Tensor activations = (input_ * weight_).tanh();  // one freed in the capture, one saved
      row_sums_ = activations.detach().sum(1);
      loss_ = activations.sum();
    }
    show(TensorRole::kLoss, "loss", loss_);
    {
      const Phase backward(session_, PhaseKind::kBackward, "backward");
      loss_.backward();
      graph_.capture_end();
    }
    show(TensorRole::kGradient, "weight", weight_.grad());
  }

  void replay() {
    const Phase forward(session_, PhaseKind::kForward, "replay");
    graph_.replay();
  }

 private:
  void show(TensorRole role, std::string_view name, const at::Tensor& tensor) {
    trainer::report_tensor(session_, role, name, tensor);
  }

  Session& session_;
  c10::cuda::CUDAStream stream_ = c10::cuda::getStreamFromPool();
  at::cuda::CUDAGraph graph_;
  at::Tensor weight_, input_, row_sums_, loss_;
};

void record(const std::filesystem::path& folder) {
  at::globalContext().lazyInitDevice(c10::kCUDA);
  Session session(options_for(folder));
  session.begin_run();
  session.ready();
  {
    CapturedTraining training(session);
    for (std::uint64_t index = 0; index < 3; ++index) {
      const Step step(session, index, 1);
      index == 0 ? training.capture() : training.replay();
    }
    session.end_run(RunEnd::kDone);
  }
}

}  // namespace
}  // namespace strata::test

int main(int count, char** words) {
  try {
    if (count != 2) throw std::invalid_argument("expected FOLDER");
    strata::test::record(words[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record_graph_capture: %s\n", error.what());
    return 1;
  }
}
