// SPDX-License-Identifier: Apache-2.0
// A router of experts marks which tokens go to which expert: it scatters ones into zeros, at places that are
// unknown on a dry GPU. How many ones there are is known all the same. This object follows such masks through
// copies and assumes that their ones are spread evenly.
#pragma once

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace strata::torch_source {

// All functions may be called by any thread.
class Masks {
 public:
  // What an operator does to masks, known when it begins.
  struct Change {
    std::optional<double> share;                   // of its result; empty: it is no mask
    std::vector<const c10::StorageImpl*> written;  // by it
    at::Tensor target;                             // its result; undefined: a new tensor
  };
  Change begin(const at::RecordFunction& function);
  void end(const at::RecordFunction& function, const Change& change);

  // The expected number of ones in `tensor`, all or part of a mask; empty: it is none.
  std::optional<std::int64_t> ones_in(const at::Tensor& tensor);

 private:
  // The share of a tensor's elements that are one, the others being zero; empty: unknown.
  std::optional<double> share_of(const at::Tensor& tensor);
  std::optional<double> share_of_result(const at::RecordFunction& function);

  struct Entry {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    double share = 0.0;
  };
  std::mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, Entry> masks_;
};

}  // namespace strata::torch_source
