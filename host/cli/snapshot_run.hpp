// SPDX-License-Identifier: Apache-2.0
// Turns a snapshot of torch.cuda.memory that was named in place of a run into one.
#pragma once

#include <filesystem>

namespace strata::cli {

// Whether it is a file that may be such a snapshot: a pickle by its first byte or its name.
bool may_be_snapshot(const std::filesystem::path& file);

// The folder <file>.run, beside the file or, if that folder is not writable, in the current one. It is kept,
// so that the next command opens it at once, and made again when the file has changed. Throws UsageError, or
// snapshot::SnapshotError if the file is none.
std::filesystem::path run_of_snapshot(const std::filesystem::path& file);

}  // namespace strata::cli
