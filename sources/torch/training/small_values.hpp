// SPDX-License-Identifier: Apache-2.0
// The dry GPU computes nothing, but sizes of tensors follow from small ones: how many tokens go to
// each expert, and with that to each rank. While this object exists, operators on small tensors whose values
// the dry GPU knows are computed on the CPU, too, and it then knows their results.
//
// Only whole numbers are computed, because they are the same on every device. Where nothing is known, an
// operator that counts (histc, bincount) is assumed to find the same number of each.
#pragma once

#include <cstdint>

#include "strata/plugin.hpp"

namespace strata::torch_source {

// Whether one of torch's operators has asked a dry GPU for the size of its result, as nonzero does, and it
// was unknown. May be called by any thread.
bool were_sizes_unknown();

class SmallValues {
 public:
  // [loop-thread] Registers with RecordFunction; operators of all threads are computed. Nothing happens
  // without a dry GPU.
  explicit SmallValues(const Host& host);
  ~SmallValues();
  SmallValues(const SmallValues&) = delete;
  SmallValues& operator=(const SmallValues&) = delete;

 private:
  std::uint64_t handle_ = 0;  // 0: not registered
};

}  // namespace strata::torch_source
