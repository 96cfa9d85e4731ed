// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/rnn_sizes.hpp"

#include "dry_gpu/cudnn/dropout.hpp"
#include "dry_gpu/cudnn/tensors.hpp"

namespace strata::dry_gpu::fitted {
namespace {

using Size = std::uint64_t;

constexpr Size kMiB = Size{1} << 20;

// Sizes per element of the hidden state, in elements of the network's type.
struct Cell {
  Size gates;
  Size kept;           // of a step and a layer, for the backward pass
  Size states;         // of a layer, in addition to the projected ones: passed from step to step
  Size library_bytes;  // of a direction, whatever its shape: for the products' own library
};

// A GRU keeps the products of input and state of each gate apart. The plain cell was measured once, in half
// precision: its library_bytes may be something else that grows with the shape.
Cell cell_of(cudnnRNNMode_t mode) {
  if (mode == CUDNN_LSTM) return {.gates = 4, .kept = 5, .states = 8, .library_bytes = 16 * kMiB};
  if (mode == CUDNN_GRU) return {.gates = 3, .kept = 6, .states = 13, .library_bytes = 16 * kMiB};
  return {.gates = 1, .kept = 1, .states = 11, .library_bytes = 26 * kMiB};
}

struct Sizes {
  Sizes(const cudnnRNNStruct& network, const cudnnRNNDataStruct& data)
      : layers(static_cast<Size>(network.layers)),
        directions(static_cast<Size>(network.directions())),
        hidden(static_cast<Size>(network.hidden_size)),
        projected(static_cast<Size>(network.projection_size)),
        is_projected(network.projection_size != network.hidden_size),
        drops(network.dropout != nullptr && network.dropout->dropout > 0 && network.layers > 1),
        batch(static_cast<Size>(data.batch)),
        positions(batch * static_cast<Size>(data.longest)),
        element_bytes(bytes_of(network.type)) {}

  Size layers, directions, hidden, projected;
  bool is_projected, drops;
  Size batch, positions;
  Size element_bytes;
};

}  // namespace

std::uint64_t rnn_workspace_bytes(const cudnnRNNStruct& network, const cudnnRNNDataStruct& data) {
  const Cell cell = cell_of(network.cell);
  const Sizes of(network, data);
  // One layer's gates of all steps, and what comes into it and goes out.
  Size of_position = of.directions * (cell.gates + 2) * of.hidden;
  if (of.is_projected) of_position += of.directions * of.projected;
  // Two directions and dropout were measured only together: 3 more, which are taken to be the sum of both
  // directions, and the output after dropout.
  of_position += (of.directions - 1) * of.hidden;
  if (of.drops) of_position += of.directions * of.hidden;
  Size of_sequence = of.layers * of.directions * cell.states * of.hidden;
  if (network.cell == CUDNN_LSTM) of_sequence += of.layers * of.directions * 2 * of.projected;
  of_sequence += (of.directions - 1) * 8 * of.hidden;
  const RnnWeights weights(network);
  const Size matrices = weights.matrix(weights.pseudo_layers(), 0).offset;  // where they end
  return of.directions * cell.library_bytes + 512 +
         of.element_bytes * (matrices + of.positions * of_position + of.batch * of_sequence);
}

std::uint64_t rnn_reserve_bytes(const cudnnRNNStruct& network, const cudnnRNNDataStruct& data) {
  const Sizes of(network, data);
  Size of_layer = cell_of(network.cell).kept * of.hidden;
  if (of.is_projected) of_layer += of.hidden + of.projected;
  const Size between_layers = (of.layers - 1) * of.hidden;
  const Size kept = of.positions * of.directions * (of.layers * of_layer + between_layers);
  // Two bits for each element between layers say whether it was dropped, for any type.
  const Size mask = of.drops ? of.positions * of.directions * between_layers / 4 : 0;
  return of.element_bytes * kept + mask + 256;
}

}  // namespace strata::dry_gpu::fitted
