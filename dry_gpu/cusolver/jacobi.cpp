// SPDX-License-Identifier: Apache-2.0
// Settings of Jacobi's method, and results of its computation, which are unknown here.
#include <memory>
#include <span>

#include "dry_gpu/cusolver/call.hpp"
#include "dry_gpu/device/unknown_reads.hpp"
#include "dry_gpu/library_object.hpp"

namespace strata::dry_gpu {

struct JacobiSettings {
  double tolerance = 0;  // 0: the machine's accuracy
  int sweeps = 100;
  bool is_sorted = true;
};

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

namespace {

// Work is done when it is submitted, so there is a number to report: zero.
template <typename Number>
cusolverStatus_t set_unknown(cusolverDnHandle_t handle, const JacobiSettings* settings, Number* number) {
  return call_cusolver(handle, [&](cusolverDnContext&) {
    if (settings == nullptr || number == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *number = 0;
    if (const MachineState state = machine(); state.machine != nullptr)
      read_unknown(*state.machine, std::as_writable_bytes(std::span(number, 1)));
    return CUSOLVER_STATUS_SUCCESS;
  });
}

template <typename Setting>
cusolverStatus_t set(JacobiSettings* settings, Setting JacobiSettings::*setting, Setting value) {
  if (settings == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  settings->*setting = value;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

struct gesvdjInfo : JacobiSettings {};
struct syevjInfo : JacobiSettings {};

// NOLINTBEGIN(bugprone-macro-parentheses): INFO is a type
#define STRATA_JACOBI(NAME, METHOD, INFO)                                                                  \
  cusolverStatus_t cusolverDnCreate##NAME##Info(INFO##_t* result) {                                        \
    if (result == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                                           \
    return give_new<CUSOLVER_STATUS_ALLOC_FAILED, INFO>(result);                                           \
  }                                                                                                        \
  cusolverStatus_t cusolverDnDestroy##NAME##Info(INFO##_t info) {                                          \
    const std::unique_ptr<INFO> owned(info);                                                               \
    return CUSOLVER_STATUS_SUCCESS;                                                                        \
  }                                                                                                        \
  cusolverStatus_t cusolverDnX##METHOD##SetTolerance(INFO##_t info, double tolerance) {                    \
    return set(info, &JacobiSettings::tolerance, tolerance);                                               \
  }                                                                                                        \
  cusolverStatus_t cusolverDnX##METHOD##SetMaxSweeps(INFO##_t info, int sweeps) {                          \
    return set(info, &JacobiSettings::sweeps, sweeps);                                                     \
  }                                                                                                        \
  cusolverStatus_t cusolverDnX##METHOD##SetSortEig(INFO##_t info, int is_sorted) {                         \
    return set(info, &JacobiSettings::is_sorted, is_sorted != 0);                                          \
  }                                                                                                        \
  cusolverStatus_t cusolverDnX##METHOD##GetResidual(cusolverDnHandle_t handle, INFO##_t info,              \
                                                    double* residual) {                                    \
    return set_unknown(handle, info, residual);                                                            \
  }                                                                                                        \
  cusolverStatus_t cusolverDnX##METHOD##GetSweeps(cusolverDnHandle_t handle, INFO##_t info, int* sweeps) { \
    return set_unknown(handle, info, sweeps);                                                              \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_JACOBI(Gesvdj, gesvdj, gesvdjInfo)
STRATA_JACOBI(Syevj, syevj, syevjInfo)
