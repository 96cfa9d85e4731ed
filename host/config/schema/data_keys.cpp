// SPDX-License-Identifier: Apache-2.0
// The training data: the keys of `data`.
#include "host/config/schema/bound_types.hpp"
#include "host/config/schema/schema_parts.hpp"

namespace strata::config {
namespace {

constexpr std::int64_t kDataMillion = 1'000'000;

// The conditions of several keys.
struct OnlyOfData {
  Condition text{.key = "data.source", .values = {"text"}};
  Condition files{.key = "data.source", .values = {"text", "images", "batch"}};
  Condition ordered{.key = "data.source", .values = {"text", "images"}};
};

}  // namespace

std::vector<Key> data_keys() {
  using namespace bound;
  using C = RunConfig;
  using D = DataConfig;
  const OnlyOfData only;
  return {
      {.path = "data.source",
       .type = choice<&C::data, &D::source>({"synthetic", "text", "hash", "images", "batch"}),
       .default_text = "synthetic",
       .help = "synthetic: random tokens or pixels. text: tokens from files. hash: tokens from the hash that "
               "model.init: hash uses. images: binary PPM files, in one folder per class. batch: one batch "
               "of tokens written by torch.save, repeated."},
      {.path = "data.path",
       .type = path_list<&C::data, &D::path>(),
       .default_text = "[]",
       .help = "Files, folders or patterns (*, ?, [a-z], ** for any folders; ~ and ${VARIABLE}), relative to "
               "the file that names them, or to the current folder if given on the command line. Required if "
               "the source reads files.",
       .only_when = only.files},
      {.path = "data.tokens",
       .type = choice<&C::data, &D::tokens>({"bytes", "uint16"}),
       .default_text = "bytes",
       .help = "Format of the files: text with one token per byte, or tokens as little-endian uint16.",
       .only_when = only.text},
      {.path = "data.max_bytes",
       .type = bytes<&C::data, &D::max_bytes>(0, INT64_MAX),
       .default_text = "0",
       .help = "Read at most this much of the files; 0: all.",
       .only_when = only.text},
      {.path = "data.order",
       .type = choice<&C::data, &D::order>({"random", "sequential"}),
       .default_text = "random",
       .help = "random: sequences begin anywhere in the text, images are drawn from all. sequential: in "
               "order, then again from the first.",
       .only_when = only.ordered},
      {.path = "data.batch_size",
       .type = integer<&C::data, &D::batch_size>(1, kDataMillion),
       .default_text = "4",
       .help = "Sequences or images in one micro-batch."},
      {.path = "data.workers",
       .type = integer<&C::data, &D::workers>(0, 256),
       .default_text = "0",
       .help = "Threads that read micro-batches in advance; 0: the training thread reads each one when "
               "needed. The data does not depend on it."},
      {.path = "data.prefetch",
       .type = integer<&C::data, &D::prefetch>(1, 10'000),
       .default_text = "2",
       .help =
           "Number of micro-batches that all workers together read in advance; no effect without workers."},
      {.path = "data.pin_memory",
       .type = flag<&C::data, &D::pin_memory>(),
       .default_text = "false",
       .help = "Keep micro-batches in pinned host memory, so that a CUDA device copies them while the host "
               "continues."},
  };
}

}  // namespace strata::config
