// SPDX-License-Identifier: Apache-2.0
// The effects of kernels on single numbers, from their names and arguments; the names are those of torch
// 2.11.
#include "dry_gpu/device/kernels/kernel_effect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "dry_gpu/device/kernels/foreach_list.hpp"

namespace strata::dry_gpu {
namespace {

constexpr const char* kFill =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_";
constexpr const char* kAdd =
    "_ZN2at6native29vectorized_elementwise_kernelILi2ENS0_21CUDAFunctorOnSelf_addIlEESt5arrayIPcLm2EEEEviT0_"
    "T1_";
constexpr const char* kMultiply =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BUnaryFunctorIfffNS0_15binary_"
    "internal10MulFunctorIfEEEESt5arrayIPcLm2EEEEviT0_T1_";
constexpr const char* kEquals =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13AUnaryFunctorIllbNS0_51_GLOBAL__N__28ce311f_18_"
    "CompareEQKernel_cu_d8008c9616CompareEqFunctorIlEEEESt5arrayIPcLm2EEEEviT0_T1_";
constexpr const char* kTangent =
    "_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_16tanh_kernel_cudaERNS_"
    "18TensorIteratorBaseEENKUlv0_"
    "clEvENKUlvE0_clEvEUlfE_St5arrayIPcLm2EEEEviT0_T1_";
constexpr const char* kForeachAdd =
    "_ZN2at6native57_GLOBAL__N__e658eeb9_24_ForeachBinaryOpScalar_cu_86b9896c25multi_tensor_apply_"
    "kernelINS1_18TensorListMetadataILi1EEENS1_21BinaryOpScalarFunctorIfLi1ELi1ELi0EEEJSt4plusIfEfEEEvT_T0_"
    "DpT1_";

template <typename Number>
Number number_in(const std::vector<std::byte>& bytes, std::size_t index = 0) {
  Number number{};
  std::memcpy(&number, bytes.data() + index * sizeof number, sizeof number);
  return number;
}

class KernelEffectTest : public testing::Test {
 protected:
  // As PyTorch passes it: elements, the functor, the tensors.
  template <typename Functor>
  std::shared_ptr<const KernelEffect> elementwise(const char* name, int elements, Functor functor) {
    std::array<Address, 2> tensors{target_, source_};
    std::array<void*, 3> arguments{&elements, &functor, tensors.data()};
    return kernel_effect(name, 1, arguments.data(), space_);
  }

  template <typename Number>
  std::vector<std::byte> computed(const KernelEffect& effect, Number of) {
    EXPECT_EQ(effect.results.size(), 1u);
    const auto bytes = std::as_bytes(std::span(&of, 1));
    return compute(*effect.computation, bytes, 1).value();
  }

  AddressSpace space_{1, std::uint64_t{1} << 40};
  Address target_ = space_.span_of(0) + 512, source_ = space_.span_of(0) + 1024;
};

TEST_F(KernelEffectTest, FillsAndComputesWithANumberOfTheHost) {
  const auto fill = elementwise(kFill, 3, 2.5F);
  ASSERT_EQ(fill->results.size(), 1u);
  EXPECT_EQ(fill->written, std::vector{target_});
  EXPECT_EQ(number_in<float>(*compute(*fill->computation, {}, 3), 2), 2.5F);

  struct {
    std::int64_t number = 5, scale = 2;
  } add;
  const auto sum = elementwise(kAdd, 1, add);
  EXPECT_EQ(sum->results.front().source, source_);
  EXPECT_EQ(number_in<std::int64_t>(computed(*sum, std::int64_t{3})), 13);

  struct {
    std::int32_t nothing = 0;
    float number = 0.5F;
  } multiply;
  EXPECT_EQ(number_in<float>(computed(*elementwise(kMultiply, 1, multiply), 3.0F)), 1.5F);

  struct {
    std::int32_t operation = 0;
    std::int64_t number = 3;
  } equals;
  EXPECT_EQ(computed(*elementwise(kEquals, 1, equals), std::int64_t{3}), std::vector{std::byte{1}});
}

TEST_F(KernelEffectTest, WritesToItsFirstTensorWhateverItComputes) {
  const auto effect = elementwise(kTangent, 1, '\0');
  EXPECT_EQ(effect->written, std::vector{target_});
  EXPECT_TRUE(effect->results.empty());
  EXPECT_TRUE(elementwise(kFill, 4096, 1.0F)->results.empty()) << "more elements than are followed";
}

TEST_F(KernelEffectTest, KnowsTheTensorsOfAForeachKernel) {
  struct List {
    std::array<Address, kTensorsOfLaunch[0]> addresses{};
    std::array<std::int64_t, kTensorsOfLaunch[0]> elements{};
    std::array<std::uint8_t, kBlocksOfLaunch> tensor_of_block{};
    std::array<std::int32_t, kBlocksOfLaunch> chunk_of_block{};
    std::int32_t first = 0;
  } list;
  list.addresses.fill(target_ + 4096);  // left from an earlier launch
  list.addresses[0] = target_;
  list.addresses[1] = source_;
  list.elements[0] = list.elements[1] = 1;
  list.tensor_of_block[1] = 1;
  char functor = 0, plus = 0;
  float number = 1;
  std::array<void*, 5> arguments{&list, &functor, &plus, &number, nullptr};
  const auto effect = kernel_effect(kForeachAdd, 2, arguments.data(), space_);
  // After the list, possible addresses count as written too.
  ASSERT_GE(effect->written.size(), 2U);
  EXPECT_EQ((std::vector{effect->written[0], effect->written[1]}), (std::vector{target_, source_}));
  ASSERT_EQ(effect->results.size(), 2u);
  EXPECT_EQ(effect->results[1].target, source_);
  const float two = 2;
  EXPECT_EQ(number_in<float>(*compute(*effect->computation, std::as_bytes(std::span(&two, 1)), 1)), 3);
}

TEST_F(KernelEffectTest, LooksForAddressesInTheArgumentsOfOtherKernels) {
  struct {
    std::array<std::uint64_t, 20> sizes{};
    Address far = 0;
  } layout;
  layout.far = source_;
  Address first = target_;
  std::array<void*, 3> arguments{&first, &layout, nullptr};
  const auto effect = kernel_effect("_ZN7trainer6kernelEPfNS_6LayoutE", 1, arguments.data(), space_);
  EXPECT_NE(std::ranges::find(effect->written, target_), effect->written.end());
  EXPECT_NE(std::ranges::find(effect->perhaps_written, source_), effect->perhaps_written.end());
  EXPECT_EQ(kernel_effect("", 1, nullptr, space_), nullptr) << "it may write anywhere";
  static std::array<void*, 1> elsewhere{};
  EXPECT_EQ(kernel_effect("", 1, elsewhere.data(), space_), nullptr);
}

}  // namespace
}  // namespace strata::dry_gpu
