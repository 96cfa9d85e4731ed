// SPDX-License-Identifier: Apache-2.0
// Checks whether a run could record devices: requests a CUPTI subscription, like the source `cupti`, and
// releases it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "host/cli/doctor/check.hpp"

namespace strata::cli {
namespace {

// CUPTI's functions that are called, by their documented C signatures; 0 is CUPTI_SUCCESS.
using GetVersion = int (*)(std::uint32_t* version);
using Callback = void (*)(void* data, int domain, std::uint32_t function, const void* parameters);
using Subscribe = int (*)(void** subscriber, Callback callback, void* data);
using Unsubscribe = int (*)(void* subscriber);

constexpr int kBusy = 39;  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
constexpr std::uint32_t kMajor = 13;
constexpr std::uint32_t kFirstShared = 130300;

template <typename Function>
Function cupti_function(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

void ignore_callback(void*, int, std::uint32_t, const void*) {}

std::string file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

// For an attempted subscription.
Finding verdict_of(int result, std::uint32_t version, const std::string& described) {
  if (result == 0) {
    return {
        .name = "CUPTI",
        .detail = fmt::format("{}: can record what devices do, {}", described,
                              version >= kFirstShared ? "together with other tools if the driver allows it"
                                                      : "but only if no other tool uses CUPTI")};
  }
  if (result == kBusy) {
    return {.name = "CUPTI",
            .verdict = Verdict::kWarning,
            .detail = fmt::format(
                "{}: another tool uses it{}", described,
                std::getenv("NSYS_PROFILING_SESSION_ID") == nullptr ? "" : ", Nsight Systems (nsys)"),
            .remedy =
                "start without that tool to record what devices do; `cupti.on_busy` sets what a run does "
                "otherwise"};
  }
  return {.name = "CUPTI",
          .verdict = Verdict::kMissing,
          .detail = fmt::format("{}: there is no device to record (CUPTI returns {})", described, result),
          .remedy = "none needed: a dry GPU with a clock is recorded (--dry h100-80gb --clock modelled)"};
}

}  // namespace

Finding check_cupti() {
  constexpr const char* kName = "libcupti.so.13";  // torch's copy, if the trainer is loaded
  void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {.name = "CUPTI",
            .verdict = Verdict::kMissing,
            .detail = fmt::format("{} is neither loaded nor found", kName),
            .remedy = "install CUDA 13, or a torch that is built for it"};
  }
  const auto get_version = cupti_function<GetVersion>(library, "cuptiGetVersion");
  const auto subscribe = cupti_function<Subscribe>(library, "cuptiSubscribe");
  const auto unsubscribe = cupti_function<Unsubscribe>(library, "cuptiUnsubscribe");
  std::uint32_t version = 0;
  if (get_version == nullptr || subscribe == nullptr || unsubscribe == nullptr ||
      get_version(&version) != 0 || version / 10000 != kMajor) {
    return {.name = "CUPTI",
            .verdict = Verdict::kMissing,
            .detail = fmt::format("{} is not from CUDA 13 (version {})", kName, version),
            .remedy = "`cupti` needs the one from CUDA 13"};
  }
  const std::string described = fmt::format("{}.{}, {}", version / 10000, version % 10000 / 100,
                                            file_of(reinterpret_cast<const void*>(get_version)));
  void* subscriber = nullptr;
  const int result = subscribe(&subscriber, &ignore_callback, nullptr);
  if (result == 0) unsubscribe(subscriber);
  return verdict_of(result, version, described);
}

}  // namespace strata::cli
