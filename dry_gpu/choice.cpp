// The library's own functions.
#include <cstdio>
#include <exception>

#pragma GCC visibility push(default)
#include "strata/dry_gpu.h"
#pragma GCC visibility pop

#include "dry_gpu/device/account.hpp"
#include "dry_gpu/device/machine.hpp"
#include "dry_gpu/device/messages.hpp"
#include "dry_gpu/device/refusals.hpp"

using namespace strata::dry_gpu;

int strata_dry_gpu_choose(const char* profile, char* problem, std::size_t problem_bytes) {
  try {
    choose(parse_profile(profile));
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(problem, problem_bytes, "%s", error.what());
    return -1;
  }
}

void strata_dry_gpu_send_messages_to(void (*sink)(const char* message)) {
  send_messages_to(sink);
}

strata_dry_gpu_counts strata_dry_gpu_count() {
  const Counts& counts = account().counts;
  return {counts.launches.total(), counts.library_calls.total(), counts.unknown_reads.total(),
          counts.unknown_bytes.total(), counts.unknown_times.total()};
}

void strata_dry_gpu_visit_refused(void (*visit)(void* context, const char* function, std::uint64_t calls),
                                  void* context) {
  for (const Refused* function : refused()) visit(context, function->name, function->calls.load());
}
