// SPDX-License-Identifier: Apache-2.0
// A real program with a few tensors, recorded into a run store and read back: the bytes that a step
// allocates, by kind.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "host/analysis/facts/facts.hpp"
#include "strata/runtime/session.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {

using KindBytes = std::map<std::string, std::uint64_t>;

class RecordedProgram {
 public:
  using Body = std::function<void()>;

  // With `saved_tensors` the recording contains what autograd saved; without it lifetimes decide.
  explicit RecordedProgram(bool saved_tensors);

  Session& session() { return session_; }

  void setup(const Body& body) { phase(PhaseKind::kSetup, body); }
  void step(const Body& body);
  void phase(PhaseKind kind, const Body& body);
  void owns(TensorRole role, std::string_view name, const at::Tensor& tensor, const at::Tensor& owner = {});

  // Clears gradients, makes the batch and registers it: 256 bytes of `input`, the same in each example.
  at::Tensor batch();
  // Runs backward, in its phase.
  void backward(const at::Tensor& loss);

  // Ends the run. Fails the test if any byte is Unknown at any event.
  const analysis::Facts& facts();
  // The kinds of all blocks born in that step.
  KindBytes kinds_of_step(std::int64_t step);

 private:
  TemporaryFolder folder_;
  Session session_;
  std::uint64_t steps_ = 0;
  bool ended_ = false;
  analysis::Facts facts_;
};

}  // namespace strata::test
