// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/program_environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "host/cli/dry/cuda_program.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/schema/compute_device.hpp"

namespace strata::cli {

namespace fs = std::filesystem;

void put_first(const char* variable, const std::string& first, Variables& variables) {
  const char* const own = std::getenv(variable);
  variables[variable] = own == nullptr || *own == '\0' ? first : first + ":" + own;
}

void add_preloaded(const std::vector<fs::path>& libraries, Variables& variables) {
  std::vector<std::string> names;
  names.reserve(libraries.size());
  for (const fs::path& library : libraries) names.push_back(library.string());
  put_first("LD_PRELOAD", fmt::format("{}", fmt::join(names, ":")), variables);
}

DryChoice dry_choice_for(const std::string& device, const std::string& program) {
  require_dry_gpu();
  DryChoice choice = dry_choice(config::parse_device(device, fs::current_path()));
  if (const std::string reason = why_not_dry(program); !reason.empty()) throw UsageError(reason);
  return choice;
}

void add_dry_gpu(const DryChoice& choice, const fs::path& scratch, Variables& variables,
                 std::vector<fs::path>& preloaded) {
  write_whole_file(scratch / "profile", dry_choice_text(choice));
  variables["STRATA_DRY_GPU"] = (scratch / "profile").string();
  variables["STRATA_DRY_GPU_ACCOUNTS"] = scratch.string();
  // libcuda.so.1 is looked for as a file by those who compile kernels.
  put_first("LD_LIBRARY_PATH", dry_gpu_folder().string(), variables);
  // Libraries that are there already are what torch's own search path would have found.
  std::ranges::copy(dry_gpu_facades(), std::back_inserter(preloaded));
}

}  // namespace strata::cli
