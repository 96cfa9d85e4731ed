// SPDX-License-Identifier: Apache-2.0
// Builds the source of torch's events for a release without a shipped one, using the machine's compiler.
#pragma once

#include <filesystem>

#include "host/cli/torch_build/torch_install.hpp"

namespace strata::cli {

// Builds into built_sources_folder(), unless the file already exists for the same sources and torch (then no
// compiler is needed). Prints progress on standard error. Among several processes one builds, and the others
// wait. Returns the file. Throws UsageError, with the remedy, if there is no compiler or no sources, or if
// the build fails.
std::filesystem::path build_torch_source(const TorchInstall& torch);

}  // namespace strata::cli
