#include "host/config/model_sizes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/config/load.hpp"

namespace strata::test {
namespace {

struct Expected {
  const char* size;
  std::uint64_t parameters;
};

class ModelSizes : public testing::TestWithParam<Expected> {};

// Counted from the course's own model (CS336, assignments 1 and 2).
TEST_P(ModelSizes, HaveTheParametersOfTheCourse) {
  const auto config = config::parse_config(std::string("model: {size: ") + GetParam().size + "}\n", "t.yaml");
  EXPECT_EQ(config::parameter_count(config.model), GetParam().parameters);
}

INSTANTIATE_TEST_SUITE_P(Cs336, ModelSizes,
                         testing::Values(Expected{"small", 128'625'408}, Expected{"medium", 423'183'360},
                                         Expected{"large", 969'411'840}, Expected{"xl-2025", 1'998'235'200},
                                         Expected{"2.7b", 3'406'809'600}, Expected{"10b", 12'832'823'808}));

TEST(ModelSizes, CustomIsNone) {
  EXPECT_EQ(config::find_model_size("custom"), nullptr);
}

TEST(ModelSizes, AllAreTested) {
  EXPECT_EQ(config::model_sizes().size(), 6u);
}

}  // namespace
}  // namespace strata::test
