// SPDX-License-Identifier: Apache-2.0
// A dict of tensors, integers, texts, lists and further dicts as one file, in torch.save's form: Python's
// torch.load reads it, with weights_only too.
#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>

#include <filesystem>
#include <string_view>

namespace strata::trainer {

using Dict = c10::impl::GenericDict;  // from text to anything

Dict make_dict();

// Writes beside `file` first, to the disk, and renames: whoever is killed here leaves the file of before, or
// none. A tensor's whole storage is written, once for all tensors that share it; one on a CUDA device is
// copied to the host when its turn comes, and is one of the CPU's in the file. Throws CheckpointError where
// it cannot be written, and leaves nothing of it.
void write_archive(const std::filesystem::path& file, const Dict& contents);

// The tensors' memory is the file's, mapped read-only as long as any of them is there: they take none. Throws
// DataError where it cannot be opened, CheckpointError for any other file than a whole archive of a dict.
Dict read_archive(const std::filesystem::path& file);

}  // namespace strata::trainer
