// SPDX-License-Identifier: Apache-2.0
// What the names and arguments of PyTorch's kernels show; the names are those of torch 2.11.
#include "dry_gpu/clock/kernel_estimate.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/dry_gpu/clock_profile.hpp"

namespace strata::dry_gpu {
namespace {

using Kind = KernelShape::Kind;

struct Named {
  const char* name;
  Kind kind;
  std::uint32_t tensors, element_bytes, count_bytes;
};

constexpr Named kNamed[] = {
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
     Kind::kElementwise, 3, 4, 4},
    {"_ZN2at6native29vectorized_elementwise_kernelILi2ENS0_10AbsFunctorIbEESt5arrayIPcLm2EEEEviT0_T1_",
     Kind::kElementwise, 2, 1, 4},
    {"_ZN2at6native27unrolled_elementwise_kernelINS0_10AbsFunctorIN3c108BFloat16EEESt5arrayIPcLm2EELi4E23"
     "TrivialOffsetCalculatorILi1EjESA_NS0_6memory12LoadWithCastILi1EEENSB_13StoreWithCastILi1EEEEEviT_T0_T2_"
     "T3_"
     "T4_T5_",
     Kind::kElementwise, 2, 2, 4},
    {"_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16flip_kernel_implINS0_"
     "10OpaqueTypeILi16EEEEEvRNS_"
     "14TensorIteratorEEUliE_EEvlT1_",
     Kind::kElementwise, 2, 4, 8},
    {"_ZN2at6native46_GLOBAL__N__1df100ae_13_AmpKernels_cu_3810c27325multi_tensor_apply_kernelINS1_18"
     "TensorListMetadataILi1EEENS1_14UnaryOpFunctorIN3c104HalfELi1ELi1ELi0EEEJZZZNS0_47_amp_foreach_non_"
     "finite_"
     "check_and_unscale_cuda_ENS6_8ArrayRefINS_6TensorEEERSA_RKSA_ENKUlvE_clEvENKUlvE1_clEvEUlfE_EEEvT_T0_"
     "DpT1_",
     Kind::kForeach, 1, 2, 4},
    {"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIbNS0_9MinMaxOpsIbbiEEjbLi4ELi4EEEEEvT1_",
     Kind::kOther, 0, 4, 4},
    // Not ATen's: its first argument may be anything.
    {"_ZN7trainer29vectorized_elementwise_kernelILi4EfEEvPT0_", Kind::kOther, 0, 4, 4},
};

TEST(KernelShape, IsReadFromMangledNames) {
  for (const Named& named : kNamed) {
    const KernelShape shape = kernel_shape(named.name);
    EXPECT_EQ(shape.kind, named.kind) << named.name;
    EXPECT_EQ(shape.tensors, named.tensors) << named.name;
    EXPECT_EQ(shape.element_bytes, named.element_bytes) << named.name;
    EXPECT_EQ(shape.count_bytes, named.count_bytes) << named.name;
  }
}

class KernelEstimate : public testing::Test {
 protected:
  std::int64_t ns(const KernelShape& shape, const dim3& grid, void* first, Model model) const {
    void* arguments[] = {first};
    const Estimate estimate = kernel_estimate(roofline_, shape, grid, {128, 1, 1}, arguments);
    EXPECT_EQ(estimate.model, model);
    return estimate.ns;
  }

  const MachineProfile profile_ = parse_profile(kClockProfile);
  const Roofline roofline_{profile_.device, profile_.clock};
};

TEST_F(KernelEstimate, MovesWhatItsNameAndItsCountSay) {
  int count = 1'000'000;
  // 12 bytes per element, 500 per nanosecond.
  EXPECT_EQ(ns(kernel_shape(kNamed[0].name), {1, 1, 1}, &count, Model::kElementwise), 1000 + 24'000);
  std::int64_t long_count = 500'000;
  EXPECT_EQ(ns(kernel_shape(kNamed[3].name), {1, 1, 1}, &long_count, Model::kElementwise), 1000 + 8'000);
  EXPECT_EQ(ns(kernel_shape(kNamed[5].name), {1000, 1, 1}, &count, Model::kGrid), 1000 + 4096);
}

// A list with one address per tensor has room for 110 tensors and 320 chunks; here three chunks of two
// tensors.
TEST_F(KernelEstimate, AddsUpTheChunksOfAForeachKernel) {
  std::vector<std::byte> list(110 * 8 + 110 * 8 + 320 + 320 * 4 + 4);
  const auto put = [&](std::size_t place, auto value) { std::memcpy(&list[place], &value, sizeof value); };
  put(880, std::int64_t{65536 + 14464});
  put(888, std::int64_t{20'000});
  put(1760, std::uint8_t{0});
  put(1761, std::uint8_t{0});
  put(1762, std::uint8_t{1});
  put(2080, std::int32_t{0});
  put(2084, std::int32_t{1});
  put(2088, std::int32_t{0});
  const KernelShape shape = kernel_shape(kNamed[4].name);
  EXPECT_EQ(ns(shape, {3, 1, 1}, list.data(), Model::kForeach), 1000 + 400) << "100,000 elements of 2 bytes";
  put(2084, std::int32_t{2});
  EXPECT_EQ(ns(shape, {3, 1, 1}, list.data(), Model::kForeach), 1000 + 786)
      << "no such chunk: three whole ones, at most";
}

TEST(Roofline, RunsInTheNextWiderModeWhereADeviceHasNone) {
  const MachineProfile profile = parse_profile(kClockProfile);
  const Roofline roofline(profile.device, profile.clock);
  const auto ns = [&](Arithmetic arithmetic) {
    return roofline.product({1000, 1000, 1000, 1, arithmetic, 2, 2, 2}).ns;
  };
  EXPECT_EQ(ns(Arithmetic::kBf16), 1000 + 20'000);
  EXPECT_EQ(ns(Arithmetic::kTf32), 1000 + 40'000);
  EXPECT_EQ(ns(Arithmetic::kFp16), 1000 + 400'000) << "it has no FP16";
  EXPECT_EQ(ns(Arithmetic::kFp64), 1000 + 800'000);
  EXPECT_EQ(roofline.copy(1'000'000, Route::kWithinDevice).ns, 1000 + 4000) << "read and written";
  EXPECT_EQ(roofline.copy(1'000'000, Route::kHost).ns, 1000 + 100'000);
  EXPECT_EQ(roofline.copy(1'000'000, Route::kPeer).ns, 1000 + 10'000);
}

}  // namespace
}  // namespace strata::dry_gpu
