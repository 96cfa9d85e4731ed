// SPDX-License-Identifier: Apache-2.0
// What it is trained on: the keys of `data`.
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
       .help =
           "synthetic: random tokens, or pixels. text: of files. hash: tokens of the hash that model.init: "
           "hash takes. images: binary PPM files, each in the folder that its class is called after. "
           "batch: one batch of tokens that torch.save wrote, again and again."},
      {.path = "data.path",
       .type = path_list<&C::data, &D::path>(),
       .default_text = "[]",
       .help =
           "Files, folders or patterns (*, ?, [a-z], ** for any folders; ~ and ${VARIABLE}), relative to the "
           "file that says so, or to the current folder on the command line. Required where the source reads "
           "files.",
       .only_when = only.files},
      {.path = "data.tokens",
       .type = choice<&C::data, &D::tokens>({"bytes", "uint16"}),
       .default_text = "bytes",
       .help = "What the files hold: text, one token a byte, or tokens as little-endian uint16.",
       .only_when = only.text},
      {.path = "data.max_bytes",
       .type = bytes<&C::data, &D::max_bytes>(0, INT64_MAX),
       .default_text = "0",
       .help = "Read at most that much of the files; 0: all.",
       .only_when = only.text},
      {.path = "data.order",
       .type = choice<&C::data, &D::order>({"random", "sequential"}),
       .default_text = "random",
       .help =
           "random: sequences begin anywhere in the text, images are drawn from all. sequential: one after "
           "the other, and again from the first.",
       .only_when = only.ordered},
      {.path = "data.batch_size",
       .type = integer<&C::data, &D::batch_size>(1, kDataMillion),
       .default_text = "4",
       .help = "Sequences, or images, of one micro-batch."},
      {.path = "data.workers",
       .type = integer<&C::data, &D::workers>(0, 256),
       .default_text = "0",
       .help = "Threads that read micro-batches ahead of the training; 0: its own thread reads each when it "
               "is needed. What is trained on is the same."},
      {.path = "data.prefetch",
       .type = integer<&C::data, &D::prefetch>(1, 10'000),
       .default_text = "2",
       .help = "Micro-batches that the workers, all together, are ahead at most; without workers none is."},
      {.path = "data.pin_memory",
       .type = flag<&C::data, &D::pin_memory>(),
       .default_text = "false",
       .help = "Keep micro-batches on the host in pinned memory, from which a CUDA device copies them while "
               "the host goes on."},
  };
}

}  // namespace strata::config
