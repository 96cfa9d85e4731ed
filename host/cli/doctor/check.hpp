// SPDX-License-Identifier: Apache-2.0
// The checks of `strata doctor`. Nothing here changes the machine, and nothing throws: a failed check is also
// a finding.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::cli {

enum class Verdict { kOk, kWarning, kMissing };

// "ok", "warning", "missing".
const char* to_string(Verdict verdict);

struct Finding {
  std::string name;  // "torch", "free disk space"
  Verdict verdict = Verdict::kOk;
  std::string detail = {};  // what was found
  std::string remedy = {};  // what to do; empty if nothing
  bool needed = false;      // runs cannot start without it
};

using Findings = std::vector<Finding>;

// The trainer, its LibTorch, plugins and sources.
Findings check_libraries();
// Cores, instruction sets, memory, limits of the process.
Findings check_machine();
// The place where runs are written: `folder`, or its existing parent.
Findings check_storage(const std::filesystem::path& folder);
// Whether a run could record device activities.
Finding check_cupti();
// Driver, devices, CUPTI, Nsight Systems.
Findings check_gpu();
// Whether a tool listens to NVTX, and which data the plugin nvtx_markers can provide.
Findings check_nvtx();
// The data that the plugin warmup_analyzer can observe.
Findings check_warm_up();

}  // namespace strata::cli
