// SPDX-License-Identifier: Apache-2.0
// Python stacks in a process without an interpreter; tests/python_process has one.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "sources/torch/python/python_stack_log.hpp"
#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

using torch_source::EventPythonStackRow;
using torch_source::PythonStackRow;

TEST(PythonStacks, AreNoneWithoutAnInterpreter) {
  const std::map<std::string, std::string> with_python{{"python_stacks", "true"}};
  TracedRun run(with_python);
  const torch::Tensor a = torch::ones({1024}, torch::requires_grad());
  a.exp().sum().backward();
  EXPECT_FALSE(run.host().memory().empty());
  EXPECT_FALSE(run.host().ops().empty());
  EXPECT_TRUE(run.host().rows<EventPythonStackRow>("event_python_stack").empty());
  EXPECT_TRUE(run.host().rows<PythonStackRow>("python_stack").empty());
}

TEST(PythonStacks, HaveNoTablesUnlessAskedFor) {
  TracedRun run;
  torch::ones({4}).neg();
  EXPECT_THROW(run.host().table("python_stack"), std::exception);
  EXPECT_EQ(run.host().listener<strata_memory_listener>(STRATA_EXT_MEMORY), nullptr);
}

}  // namespace
}  // namespace strata::test
