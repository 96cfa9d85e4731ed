// SPDX-License-Identifier: Apache-2.0
// The accounts of dry processes: of this one, or of all that a command started.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/analysis/facts/dry_fact.hpp"
#include "host/cli/dry_gpu.hpp"

namespace strata::cli {

struct DryAccount {
  struct Refused {
    std::string function;
    std::uint64_t calls = 0;
  };

  struct Reader {
    std::string name;
    std::uint64_t unknown_reads = 0, unknown_bytes = 0, answered_reads = 0;
  };

  // Durations from the modelled clock by kind of work, with the names below.
  struct Modelled {
    std::uint64_t works = 0, ns = 0;
  };
  static constexpr std::array kModels = {"matrix_products", "elementwise", "foreach",
                                         "copies",          "fills",       "other_kernels"};

  std::uint64_t processes = 0;  // those that requested a device
  std::uint64_t kernels_not_run = 0;
  std::uint64_t library_calls_not_computed = 0;
  std::uint64_t unknown_reads = 0, unknown_read_bytes = 0, unknown_times = 0;
  std::uint64_t answered_reads = 0, assumed_reads = 0;
  analysis::WorkspaceCounts workspaces;
  std::uint64_t communicators = 0;
  // Memory that a context took after its creation, in the order of kContextParts. For several processes: of
  // the one that took the most.
  struct TakenPart {
    std::uint64_t bytes = 0, after_calls = 0;
  };
  std::array<TakenPart, kContextParts.size()> context_parts{};
  std::array<Modelled, kModels.size()> modelled{};
  std::vector<Reader> readers;   // by name
  std::vector<Refused> refused;  // by function

  std::uint64_t modelled_ns() const;
};

// The sum of the accounts left by processes in `folder`; unreadable ones are skipped.
DryAccount read_dry_accounts(const std::filesystem::path& folder);

// As in summary.json (docs/summary.md), without whitespace.
std::string dry_json(const DryChoice& choice, const DryAccount& account);

}  // namespace strata::cli
