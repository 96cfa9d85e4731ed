// SPDX-License-Identifier: Apache-2.0
#include "tests/counter_examples/recorded_program.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "host/analysis/analyse.hpp"
#include "host/trainer/tensor_report.hpp"

namespace strata::test {
namespace {

SessionOptions options_of(const std::filesystem::path& folder, bool saved_tensors) {
  SessionOptions options;
  options.name = "counter-example";
  options.directory = folder;
  options.sources = {{.name = "torch",
                      .options = {{"saved_tensors", saved_tensors ? "true" : "false", "here"}},
                      .place = "here"}};
  options.plugins = {{.name = "allocator_tracer", .options = {}, .place = "here"}};
  options.strict = true;
  return options;
}

}  // namespace

RecordedProgram::RecordedProgram(bool saved_tensors) : session_(options_of(folder_.path(), saved_tensors)) {
  session_.begin_run();
  session_.ready();
}

void RecordedProgram::step(const Body& body) {
  const Step step(session_, steps_++, 1);
  body();
}

void RecordedProgram::phase(PhaseKind kind, const Body& body) {
  const Phase phase(session_, kind, "phase");
  body();
}

void RecordedProgram::owns(TensorRole role, std::string_view name, const at::Tensor& tensor,
                           const at::Tensor& owner) {
  trainer::report_tensor(session_, role, name, tensor, owner);
}

at::Tensor RecordedProgram::batch() {
  at::Tensor input;
  phase(PhaseKind::kData, [&] { input = at::randn({4, 16}); });
  owns(TensorRole::kInput, "input", input);
  return input;
}

void RecordedProgram::backward(const at::Tensor& loss) {
  phase(PhaseKind::kBackward, [&] { loss.backward(); });
}

const analysis::Facts& RecordedProgram::facts() {
  if (ended_) return facts_;
  ended_ = true;
  session_.end_run(RunEnd::kDone);
  facts_ = analysis::analyse(folder_.path());
  constexpr auto kUnknown = static_cast<std::size_t>(analysis::Category::kUnknown);
  for (const analysis::Point& point : facts_.points) {
    EXPECT_EQ(point.bytes[kUnknown], 0u) << "at event " << point.sequence;
  }
  return facts_;
}

KindBytes RecordedProgram::kinds_of_step(std::int64_t step) {
  const analysis::StepFact& bounds = facts().steps.at(static_cast<std::size_t>(step));
  KindBytes kinds;
  for (const analysis::Block& block : facts_.blocks) {
    if (bounds.begin_sequence <= block.birth_sequence && block.birth_sequence < bounds.end_sequence)
      kinds[std::string(to_string(block.kind))] += block.bytes;
  }
  return kinds;
}

}  // namespace strata::test
