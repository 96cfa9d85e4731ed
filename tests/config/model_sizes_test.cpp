// SPDX-License-Identifier: Apache-2.0
#include "host/config/model_sizes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/config/loading/load.hpp"

namespace strata::test {
namespace {

struct Expected {
  const char* model;
  const char* size;
  std::uint64_t parameters;
  const char* overrides = "";
};

config::ModelConfig sized(const Expected& expected) {
  const std::string size = *expected.size == '\0' ? "" : fmt::format(", size: {}", expected.size);
  const std::string yaml = fmt::format("model: {{name: {}{}{}}}\n", expected.model, size, expected.overrides);
  return config::parse_config(yaml, "t.yaml").model;
}

// Counted from the course's model (CS336, assignments 1 and 2), and from transformers' and torchvision's
// models on the meta device. tests/trainer/models_test.cpp counts the parameters of Strata's models.
constexpr Expected kCounts[] = {
    {"transformer", "small", 128'625'408},
    {"transformer", "medium", 423'183'360},
    {"transformer", "large", 969'411'840},
    {"transformer", "xl-2025", 1'998'235'200},
    {"transformer", "2.7b", 3'406'809'600},
    {"transformer", "10b", 12'832'823'808},
    {"transformer", "small", 120'945'408, ", tied: true"},
    {"transformer", "10b", 12'786'743'808, ", tied: true"},
    {"llama", "9m", 8'995'968},
    {"llama", "20m", 19'548'416},
    {"llama", "35m", 35'197'824},
    {"llama", "40m", 42'392'480},
    {"llama", "60m", 58'073'600},
    {"llama", "71m", 70'578'688},
    {"llama", "100m", 100'117'120},
    {"llama", "130m", 134'105'856},
    {"llama", "250m", 247'370'496},
    {"llama", "350m", 367'969'280},
    {"llama", "1b", 1'339'082'752},
    {"llama", "3b", 2'685'831'680},
    {"llama", "7b", 6'738'415'616},
    {"gpt2", "small", 124'439'808},
    {"gpt2", "medium", 354'823'168},
    {"gpt2", "large", 774'030'080},
    {"gpt2", "xl", 1'557'611'200},
    {"gpt2", "small", 124'475'904, ", vocab: 50304"},
    {"gpt2", "small", 124'373'760, ", vocab: 50304, bias: false"},
    {"qwen", "0.5b", 494'032'768},
    {"qwen", "1.5b", 1'543'714'304},
    {"distilbert", "base", 66'955'010},
    {"resnet18", "", 11'689'512},
    {"resnet50", "", 25'557'032},
};

class ModelSizes : public testing::TestWithParam<Expected> {};

TEST_P(ModelSizes, HaveTheParametersOfTheTables) {
  EXPECT_EQ(config::parameter_count(sized(GetParam())), GetParam().parameters);
}

INSTANTIATE_TEST_SUITE_P(All, ModelSizes, testing::ValuesIn(kCounts));

TEST(ModelSizes, CustomIsNone) {
  EXPECT_EQ(config::find_model_size(config::Architecture::kLlama, "custom"), nullptr);
}

TEST(ModelSizes, AllAreTested) {
  for (const config::ModelSize& size : config::model_sizes()) {
    EXPECT_TRUE(std::ranges::any_of(kCounts, [&](const Expected& expected) {
      const config::ModelConfig model = sized(expected);
      return model.name == size.model && model.size == size.name;
    })) << size.name;
  }
}

}  // namespace
}  // namespace strata::test
