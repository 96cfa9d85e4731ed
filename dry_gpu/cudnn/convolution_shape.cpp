// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/convolution_shape.hpp"

#include <cstring>
#include <vector>

namespace strata::dry_gpu {
namespace {

using real_cudnn::ConvolutionShape;

static_assert(real_cudnn::kTileSizeKnob == CUDNN_KNOB_TYPE_TILE_SIZE);
static_assert(real_cudnn::kWorkspaceKnob == CUDNN_KNOB_TYPE_WORKSPACE);
static_assert(real_cudnn::kClusterRowsKnob == CUDNN_KNOB_TYPE_TILE_CGA_M);
static_assert(real_cudnn::kClusterColumnsKnob == CUDNN_KNOB_TYPE_TILE_CGA_N);

struct Tensor {
  ConvolutionShape::Type type{};
  std::vector<std::int64_t> sizes;
};

// Nothing: not even of an image.
std::optional<Tensor> tensor(const BackendContents& operation, cudnnBackendAttributeName_t name) {
  const auto contents = operation.referred(name);
  if (contents == nullptr) return std::nullopt;
  const auto* const type = contents->find(CUDNN_ATTR_TENSOR_DATA_TYPE);
  const auto* const sizes = contents->find(CUDNN_ATTR_TENSOR_DIMENSIONS);
  cudnnDataType_t data_type{};
  if (type == nullptr || sizes == nullptr || type->bytes.size() != sizeof data_type || sizes->count < 3 ||
      sizes->bytes.size() != static_cast<std::size_t>(sizes->count) * sizeof(std::int64_t))
    return std::nullopt;
  std::memcpy(&data_type, type->bytes.data(), sizeof data_type);
  Tensor tensor;
  if (data_type == CUDNN_DATA_FLOAT) tensor.type = ConvolutionShape::Type::kFloat;
  if (data_type == CUDNN_DATA_HALF) tensor.type = ConvolutionShape::Type::kHalf;
  if (data_type == CUDNN_DATA_BFLOAT16) tensor.type = ConvolutionShape::Type::kBfloat16;
  tensor.sizes.resize(static_cast<std::size_t>(sizes->count));
  std::memcpy(tensor.sizes.data(), sizes->bytes.data(), sizes->bytes.size());
  return tensor;
}

// Empty if a size is invalid, or if there are more elements than any device has bytes.
std::optional<std::int64_t> product(const std::vector<std::int64_t>& sizes, std::size_t left_out) {
  std::int64_t product = 1;
  for (std::size_t place = 0; place < sizes.size(); ++place) {
    if (sizes[place] < 1 || sizes[place] > (std::int64_t{1} << 40) / product) return std::nullopt;
    if (place != left_out) product *= sizes[place];
  }
  return product;
}

// Nothing: the graph has another number of operations.
const BackendContents* only_operation(const BackendContents& graph) {
  const auto* const operations = graph.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  return operations == nullptr || operations->descriptors.size() != 1 ? nullptr
                                                                      : operations->descriptors.front().get();
}

}  // namespace

bool is_gradient_of_groups_in_16_bits(const BackendContents& graph) {
  const BackendContents* const operation = only_operation(graph);
  if (operation == nullptr ||
      operation->type != CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR)
    return false;
  const auto x = tensor(*operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
  const auto w = tensor(*operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
  return x && w && x->sizes[1] != w->sizes[1] &&
         (x->type == ConvolutionShape::Type::kHalf || x->type == ConvolutionShape::Type::kBfloat16);
}

std::optional<ConvolutionShape> convolution_shape(const BackendContents& graph) {
  const BackendContents* const only = only_operation(graph);
  if (only == nullptr) return std::nullopt;
  const BackendContents& operation = *only;
  const bool is_forward = operation.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
  if (!is_forward && operation.type != CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR)
    return std::nullopt;
  const auto x = tensor(operation, is_forward ? CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X
                                              : CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
  const auto w = tensor(operation, is_forward ? CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W
                                              : CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
  const auto y = tensor(operation, is_forward ? CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y
                                              : CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
  if (!x || !w || !y || x->type != w->type || x->type != y->type || x->sizes[1] != w->sizes[1] ||
      w->sizes[0] != y->sizes[1])
    return std::nullopt;
  const std::vector<std::int64_t> filter(w->sizes.begin() + 1, w->sizes.end());
  const auto positions = product(filter, 0), results = product(y->sizes, 1);
  if (!positions || !results) return std::nullopt;
  return ConvolutionShape{
      .kind = is_forward ? ConvolutionShape::Kind::kForward : ConvolutionShape::Kind::kFilterGradient,
      .type = x->type,
      .inputs = x->sizes[1],
      .outputs = w->sizes[0],
      .filter_positions = *positions,
      .results = *results};
}

}  // namespace strata::dry_gpu
