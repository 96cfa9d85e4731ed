// SPDX-License-Identifier: Apache-2.0
// Builds the source of torch's events for a release that did not come with Strata, with the machine's
// compiler.
#pragma once

#include <filesystem>

#include "host/cli/torch_build/torch_install.hpp"

namespace strata::cli {

// Into built_sources_folder(), unless it is there already from these very sources and this torch (then no
// compiler is needed). Says on standard error what it does; of several processes one builds, and the others
// wait. Returns the file. Throws UsageError, with the remedy, where there is no compiler, no sources, or the
// build fails.
std::filesystem::path build_torch_source(const TorchInstall& torch);

}  // namespace strata::cli
