// SPDX-License-Identifier: Apache-2.0
// A tensor's element type and shape, as registered. Nothing here is derived from bytes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace strata::analysis {

struct TensorForm {
  std::uint32_t dtype = 0, shape = 0;  // indices into Facts::texts: "float32", "4x512"; 0: unknown
  auto operator<=>(const TensorForm&) const = default;
};

inline constexpr std::uint32_t kNoForm = 0;

// Each form once, identified by its index. kNoForm is empty.
class TensorForms {
 public:
  std::uint32_t add(const TensorForm& form) {
    const auto [place, is_new] = index_.try_emplace(form, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(form);
    return place->second;
  }
  const std::vector<TensorForm>& all() const { return all_; }

 private:
  std::vector<TensorForm> all_{{}};
  std::map<TensorForm, std::uint32_t> index_{{TensorForm{}, kNoForm}};
};

}  // namespace strata::analysis
