// SPDX-License-Identifier: Apache-2.0
// How communicators are made. Nobody is waited for: the peers of a rank are not there.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dry_gpu/device/thread_state.hpp"
#include "dry_gpu/nccl/communicator.hpp"

using namespace strata::dry_gpu;

namespace {

constexpr ncclConfig_t kDefault = NCCL_CONFIG_INITIALIZER;

bool is_set(int value) {
  return value != NCCL_CONFIG_UNDEF_INT;
}
bool is_flag(int value) {
  return !is_set(value) || value == 0 || value == 1;
}

// The error that NCCL reports for a configuration; null if there is none. An older program's struct is
// shorter.
const char* problem_of(const ncclConfig_t* given) {
  if (given == nullptr) return nullptr;
  ncclConfig_t config = kDefault;
  config.magic = 0;
  std::memcpy(&config, given, std::min(given->size, sizeof config));
  if (config.magic != kDefault.magic)
    return "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER";
  if (!is_flag(config.blocking)) return "Invalid config blocking attribute value";
  if (is_set(config.cgaClusterSize) && config.cgaClusterSize < 0)
    return "Invalid config cgaClusterSize attribute value";
  if ((is_set(config.minCTAs) && config.minCTAs <= 0) || (is_set(config.maxCTAs) && config.maxCTAs <= 0) ||
      (is_set(config.minCTAs) && is_set(config.maxCTAs) && config.minCTAs > config.maxCTAs))
    return "Invalid config min/max channels attribute value";
  if (!is_flag(config.splitShare)) return "Invalid config splitShare attribute value";
  if (!is_flag(config.collnetEnable)) return "Invalid config collnetEnable attribute value";
  if (!is_flag(config.shrinkShare)) return "Invalid config shrinkShare attribute value";
  return nullptr;
}

bool is_blocking(const ncclConfig_t* config, bool otherwise = true) {
  if (config == nullptr || !is_set(config->blocking)) return otherwise;
  return config->blocking == 1;
}

ncclResult_t make(Machine& machine, ncclComm_t* result, int size, int rank, int device,
                  const ncclConfig_t* config) {
  if (result == nullptr) return fail(ncclInvalidArgument, "CommInitRank : newcomm argument is NULL");
  *result = nullptr;
  if (size < 1 || rank < 0 || rank >= size)
    return fail(ncclInvalidArgument,
                "Invalid rank requested : " + std::to_string(rank) + "/" + std::to_string(size));
  if (const char* const problem = problem_of(config)) return fail(ncclInvalidArgument, problem);
  return create_communicator(machine, device, rank, size, size, is_blocking(config), result);
}

}  // namespace

ncclResult_t ncclGetUniqueId(ncclUniqueId* result) {
  if (result == nullptr) return fail(ncclInvalidArgument, "GetUniqueId : out argument is NULL");
  static std::atomic<unsigned> last = 0;
  *result = {};
  std::snprintf(result->internal, sizeof result->internal, "strata dry gpu %d %u", getpid(), ++last);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* result, int size, ncclUniqueId, int rank,
                                    ncclConfig_t* config) {
  return call_nccl(
      [&](Machine& machine) { return make(machine, result, size, rank, this_thread().device, config); });
}

ncclResult_t ncclCommInitRank(ncclComm_t* result, int size, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(result, size, id, rank, nullptr);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* result, int size, int rank, int ids, ncclUniqueId*,
                                      ncclConfig_t* config) {
  return call_nccl([&](Machine& machine) {
    if (ids <= 0 || ids > size)
      return fail(ncclInvalidArgument, "improper usage of ncclCommInitRank: nId = " + std::to_string(ids) +
                                           ", nranks=" + std::to_string(size));
    return make(machine, result, size, rank, this_thread().device, config);
  });
}

ncclResult_t ncclCommInitAll(ncclComm_t* result, int size, const int* devices) {
  return call_nccl([&](Machine& machine) {
    if (result == nullptr) return fail(ncclInvalidArgument, "CommInitAll : comms argument is NULL");
    if (size < 0)
      return fail(ncclInvalidArgument, "Invalid device count requested : " + std::to_string(size));
    std::set<int> taken;
    for (int rank = 0; rank < size; ++rank) {
      const int device = devices == nullptr ? rank : devices[rank];
      if (!machine.has(device))
        return fail(ncclUnhandledCudaError, "Invalid device " + std::to_string(device));
      if (!taken.insert(device).second)
        return fail(ncclInvalidUsage, "device " + std::to_string(device) + " is listed twice");
    }
    for (int rank = 0; rank < size; ++rank) {
      const int device = devices == nullptr ? rank : devices[rank];
      const ncclResult_t error =
          create_communicator(machine, device, rank, size, size, /*is_blocking=*/true, &result[rank]);
      if (error == ncclSuccess) continue;
      for (int made = 0; made < rank; ++made) {
        end_communicator(machine, *result[made]);
        result[made] = nullptr;
      }
      return error;
    }
    return ncclSuccess;
  });
}

ncclResult_t ncclCommSplit(ncclComm_t parent, int colour, int, ncclComm_t* result, ncclConfig_t* config) {
  return call_with(parent, [&](Machine& machine, ncclComm& of) {
    if (result == nullptr) return fail(ncclInvalidArgument, "ncclCommSplit : newcomm argument is NULL");
    *result = nullptr;
    if (colour == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
    if (const char* const problem = problem_of(config)) return fail(ncclInvalidArgument, problem);
    const ThreadState::Split split = of.size == 1 ? ThreadState::Split{.rank = 0, .size = 1}
                                                  : std::exchange(this_thread().expected_split, {});
    const bool is_known = split.size > 0 && split.size <= of.size_bound && split.rank < split.size;
    return create_communicator(machine, of.device, is_known ? split.rank : -1,
                               is_known ? std::optional<int>(split.size) : std::nullopt,
                               is_known ? split.size : of.size_bound, is_blocking(config, of.is_blocking),
                               result);
  });
}

ncclResult_t ncclCommShrink(ncclComm_t parent, int* excluded, int count, ncclComm_t* result,
                            ncclConfig_t* config, int) {
  return call_with(parent, [&](Machine& machine, ncclComm& of) {
    if (result == nullptr || excluded == nullptr || count <= 0)
      return fail(ncclInvalidArgument,
                  "ncclCommShrink : newcomm or excludeRanksList argument is NULL or empty");
    *result = nullptr;
    if (!of.size)
      return fail(ncclInvalidUsage, "how many ranks chose a split's color is not known on a dry GPU");
    const std::set<int> gone(excluded, excluded + count);
    if (gone.contains(of.rank) || *gone.begin() < 0 || *gone.rbegin() >= *of.size)
      return fail(ncclInvalidArgument,
                  "ncclCommShrink : the calling rank, or none of the communicator's, is excluded");
    if (const char* const problem = problem_of(config)) return fail(ncclInvalidArgument, problem);
    const int size = *of.size - static_cast<int>(gone.size());
    const int rank = of.rank - static_cast<int>(std::distance(gone.begin(), gone.lower_bound(of.rank)));
    return create_communicator(machine, of.device, rank, size, size, is_blocking(config, of.is_blocking),
                               result);
  });
}
