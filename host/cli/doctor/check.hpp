// SPDX-License-Identifier: Apache-2.0
// What `strata doctor` looks at. Nothing here changes the machine, and nothing throws: what cannot be found
// out is a finding too.
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
  std::string remedy = {};  // what to do; empty when nothing needs to be done
  bool needed = false;      // without it no run can start
};

using Findings = std::vector<Finding>;

// The trainer, LibTorch behind it, plugins and sources.
Findings check_libraries();
// Cores, instruction sets, memory, limits of the process.
Findings check_machine();
// Where runs are written: `folder` or, while it does not exist, the folder that it would be made in.
Findings check_storage(const std::filesystem::path& folder);
// Whether a run could record what devices do.
Finding check_cupti();
// Driver, devices, CUPTI, Nsight Systems.
Findings check_gpu();
// Whether a tool listens to NVTX, and what the plugin nvtx_markers could tell it.
Findings check_nvtx();
// What the plugin warmup_analyzer will be able to see.
Findings check_warm_up();

}  // namespace strata::cli
