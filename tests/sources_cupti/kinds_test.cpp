// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/kinds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sources/cupti/records/launch_functions.hpp"
#include "sources/cupti/records/record_names.hpp"

namespace strata::cupti {
namespace {

bool asks_for(const std::vector<CUpti_ActivityKind>& kinds, CUpti_ActivityKind kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

TEST(CuptiKinds, AreReadFromWords) {
  const Kinds kinds = parse_kinds(" kernel, copy,", false);
  EXPECT_TRUE(kinds.kernel && kinds.copy);
  EXPECT_FALSE(kinds.api || kinds.set || kinds.jit);
  try {
    parse_kinds("kernel,kernels", false);
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "kinds: 'kernels' is not one of kernel, copy, set, api, driver, synchronize, overhead, memory, "
              "memory_pool, module, jit");
  }
}

TEST(CuptiKinds, AGraphIsToldWholeOrByItsNodesNeverBoth) {
  const auto whole = activity_kinds(parse_kinds(kDefaultKinds, false), false);
  const auto nodes = activity_kinds(parse_kinds(kDefaultKinds, true), false);
  EXPECT_TRUE(asks_for(whole, CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
  EXPECT_FALSE(asks_for(nodes, CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
  EXPECT_TRUE(asks_for(nodes, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

TEST(CuptiKinds, OfTheDryGpuOnlyWhatItHas) {
  const auto dry = activity_kinds(parse_kinds(kDefaultKinds, false), true);
  EXPECT_TRUE(asks_for(dry, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_TRUE(asks_for(dry, CUPTI_ACTIVITY_KIND_DRIVER));
  EXPECT_FALSE(asks_for(dry, CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API));
}

TEST(CuptiKinds, LaunchesAreFoundWhoeverMakesThem) {
  const auto kinds = activity_kinds(parse_kinds("kernel,api", false), false);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API})
    EXPECT_TRUE(asks_for(kinds, kind)) << kind_name(kind);
  EXPECT_FALSE(asks_for(activity_kinds(parse_kinds("kernel", false), false), CUPTI_ACTIVITY_KIND_DRIVER));
}

TEST(CuptiKinds, ModulesAreNoKindToAskFor) {
  EXPECT_FALSE(
      asks_for(activity_kinds(parse_kinds(kDefaultKinds, false), false), CUPTI_ACTIVITY_KIND_MODULE));
}

TEST(CuptiKinds, OfTheDriverIsToldWhatLibrariesCall) {
  for (const char* name : {"cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cuGraphLaunch", "cuMemcpyDtoDAsync_v2",
                           "cuMemsetD8Async", "cuModuleLoadData", "cuLibraryLoadData", "cuMemMap"})
    EXPECT_TRUE(is_called_past_runtime(name)) << name;
  for (const char* name :
       {"cuCtxGetCurrent", "cuKernelGetAttribute", "cuModuleGetFunction", "cuGetProcAddress_v2"})
    EXPECT_FALSE(is_called_past_runtime(name)) << name;
}

TEST(CuptiKinds, LaunchesAreKnown) {
  EXPECT_TRUE(launches(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
  EXPECT_TRUE(launches(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx));
  EXPECT_FALSE(launches(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020));
  // The same number means another function in the other API.
  EXPECT_FALSE(launches(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
}

TEST(CuptiNames, LoseTheVersionThatTheRuntimeGaveThem) {
  EXPECT_EQ(without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cudaMalloc"), "cudaMalloc");
  EXPECT_EQ(without_version("cudaMalloc_v"), "cudaMalloc_v");
  EXPECT_EQ(without_version("cudaMalloc_vx"), "cudaMalloc_vx");
}

}  // namespace
}  // namespace strata::cupti
