// SPDX-License-Identifier: Apache-2.0
// How much memory a recurrent network asks for. cuDNN documents no size, and recurrences cannot be asked
// without a device: these formulas are fitted to what torch.nn.LSTM, GRU and RNN asked an H200 for (cuDNN 9,
// standard algorithm, 2 layers, tests/data/card-h200/workspaces.jsonl; decision 034). Every measured size
// comes out to the byte. What only one measured value stands for is named beside it.
#pragma once

#include <cstdint>

#include "dry_gpu/cudnn/rnn.hpp"

namespace strata::dry_gpu::fitted {

// In bytes, for sequences of `data.longest` steps. Both grow with each size of the network and of the data.
std::uint64_t rnn_workspace_bytes(const cudnnRNNStruct& network, const cudnnRNNDataStruct& data);

// What the forward pass keeps for the backward pass, in training.
std::uint64_t rnn_reserve_bytes(const cudnnRNNStruct& network, const cudnnRNNDataStruct& data);

}  // namespace strata::dry_gpu::fitted
