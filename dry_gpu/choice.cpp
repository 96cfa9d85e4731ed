// SPDX-License-Identifier: Apache-2.0
// The library's own functions.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
#include "strata/dry_gpu.h"
#pragma GCC visibility pop

#include "dry_gpu/device/account/account.hpp"
#include "dry_gpu/device/account/messages.hpp"
#include "dry_gpu/device/machine.hpp"
#include "dry_gpu/device/refusals.hpp"
#include "dry_gpu/device/thread_state.hpp"

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

void strata_dry_gpu_expect_split(int rank, int size) {
  this_thread().expected_split = {.rank = rank, .size = size};
}

void strata_dry_gpu_expect_count(std::uint64_t count, int is_expected) {
  this_thread().expected_count = is_expected != 0 ? std::optional(count) : std::nullopt;
}

int strata_dry_gpu_read_known(const void* address, std::size_t bytes, void* target) {
  Machine* const devices = is_machine_made() ? machine().machine : nullptr;
  if (devices == nullptr || !devices->contents().is_known(address_of(address), bytes)) return 0;
  const std::span<std::byte> place(static_cast<std::byte*>(target), bytes);
  return devices->contents().read(address_of(address), place) == 0 ? 1 : 0;
}

void strata_dry_gpu_keep(void* address, const void* bytes, std::size_t count) {
  Machine* const devices = is_machine_made() ? machine().machine : nullptr;
  if (devices != nullptr)
    devices->contents().keep(address_of(address), {static_cast<const std::byte*>(bytes), count});
}

void strata_dry_gpu_copy_to_children() {
  copy_to_children();
}

void strata_dry_gpu_move_account() {
  move_account();
}

strata_dry_gpu_counts strata_dry_gpu_count() {
  const Counts& counts = account().counts;
  return {
      counts.launches.total(),         counts.library_calls.total(),     counts.unknown_reads.total(),
      counts.unknown_bytes.total(),    counts.unknown_times.total(),     counts.answered_reads.total(),
      counts.assumed_reads.total(),    counts.communicators.total(),     counts.unknown_workspaces.total(),
      counts.asked_workspaces.total(), counts.fitted_workspaces.total(), counts.bounded_workspaces.total()};
}

int strata_dry_gpu_count_modelled(strata_dry_gpu_modelled* by_model) {
  const ModelledSums& sums = account().modelled;
  for (const ModelledSum& sum : sums.by_model) *by_model++ = {sum.works.load(), sum.ns.load()};
  return static_cast<int>(sums.is_modelled.load());
}

void strata_dry_gpu_set_context_parts(strata_dry_gpu_context_part* parts) {
  for (const ContextPartEntry& part : account().context_parts)
    *parts++ = {part.bytes.load(), part.after_calls.load()};
}

void strata_dry_gpu_visit_refused(void (*visit)(void* context, const char* function, std::uint64_t calls),
                                  void* context) {
  for (const Refused* function : refused()) visit(context, function->name, function->calls.load());
}

void strata_dry_gpu_visit_readers(void (*visit)(void* context, const strata_dry_gpu_reader* reader),
                                  void* context) {
  for (const ReaderEntry& entry : account().readers) {
    if (entry.name[0] == '\0') continue;
    strata_dry_gpu_reader reader{};
    std::ranges::copy(entry.name, std::begin(reader.name));
    reader.unknown_reads = entry.unknown_reads.load();
    reader.unknown_bytes = entry.unknown_bytes.load();
    reader.answered_reads = entry.answered_reads.load();
    visit(context, &reader);
  }
}

int strata_dry_gpu_were_sizes_unknown() {
  bool found = false;
  strata_dry_gpu_visit_readers(
      [](void* context, const strata_dry_gpu_reader* reader) {
        const std::string_view name = reader->name;
        const bool hands_on = name == "aten::_local_scalar_dense" || name == "aten::copy_";
        if (name.starts_with("aten::") && !hands_on && reader->unknown_reads > 0)
          *static_cast<bool*>(context) = true;
      },
      &found);
  return found ? 1 : 0;
}
