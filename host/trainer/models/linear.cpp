#include "host/trainer/models/linear.hpp"

#include <cmath>

#include "host/trainer/models/truncated_normal.hpp"

namespace strata::trainer {

Linear::Linear(std::int64_t in_features, std::int64_t out_features, at::Device device) {
  const double standard_deviation = std::sqrt(2.0 / static_cast<double>(in_features + out_features));
  weight_ =
      register_parameter("weight", truncated_normal({out_features, in_features}, standard_deviation, device));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  // einsum, as the course writes it, and not at::linear: its weight gradient arrives transposed and is
  // copied, which shows in the memory of backward.
  return at::einsum("...i,oi->...o", {x, weight_});
}

}  // namespace strata::trainer
