// SPDX-License-Identifier: Apache-2.0
// A router of experts marks which tokens go to which expert: it scatters ones into zeros, at places that are
// unknown on a dry GPU. How many ones there are is known all the same. This object follows such masks through
// copies and assumes that their ones are spread evenly. Other routers compare the places of the largest
// values (topk, argmax) with each expert: each place is assumed to be chosen equally often.
#pragma once

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace strata::torch_source {

// All functions may be called by any thread.
class Masks {
 public:
  struct Content {
    double share = 0.0;        // of the elements, which is one; the others are zero
    std::int64_t classes = 0;  // not 0: it is no mask, but choices: whole numbers below this one
  };
  // What an operator does to masks and choices, known when it begins.
  struct Change {
    std::optional<Content> content;                // of its result; empty: unknown
    std::vector<const c10::StorageImpl*> written;  // by it
    at::Tensor target;                             // its result; undefined: a new tensor
    std::size_t output = 0;                        // which of the new ones
  };
  Change begin(const at::RecordFunction& function);
  void end(const at::RecordFunction& function, const Change& change);

  // The expected number of ones in `tensor`, all or part of a mask; empty: it is none.
  std::optional<std::int64_t> ones_in(const at::Tensor& tensor);

 private:
  std::optional<Content> content_of(const at::Tensor& tensor);
  std::optional<Content> content_of_result(const at::RecordFunction& function);

  struct Entry {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    Content content;
  };
  std::mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, Entry> followed_;
};

}  // namespace strata::torch_source
