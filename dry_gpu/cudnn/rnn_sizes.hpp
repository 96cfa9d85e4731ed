// SPDX-License-Identifier: Apache-2.0
// The memory that a recurrent network requests. cuDNN does not document these sizes, and cannot be asked for
// them without a device. These formulas are fitted to the requests of torch.nn.LSTM, GRU and RNN on an H200
// (cuDNN 9, standard algorithm, 2 layers, tests/data/card-h200/workspaces.jsonl; decision 034). Every
// measured size is reproduced to the byte. Terms supported by only one measurement are marked.
#pragma once

#include <cstdint>

#include "dry_gpu/cudnn/rnn.hpp"

namespace strata::dry_gpu::fitted {

// In bytes, for sequences of `data.longest` steps. Both grow with every size of the network and of the data.
std::uint64_t rnn_workspace_bytes(const cudnnRNNStruct& network, const cudnnRNNDataStruct& data);

// The memory that the forward pass keeps for the backward pass, in training.
std::uint64_t rnn_reserve_bytes(const cudnnRNNStruct& network, const cudnnRNNDataStruct& data);

}  // namespace strata::dry_gpu::fitted
