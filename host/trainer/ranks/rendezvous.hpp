// SPDX-License-Identifier: Apache-2.0
// Where ranks find one another before they have a connection.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "host/trainer/entry.hpp"

namespace strata::trainer {

// A file of this machine where `strata run` started the ranks; torchrun's store, by its variables
// (MASTER_ADDR, MASTER_PORT), where it did; this process's memory where there is one rank of a dry world.
// Throws c10::Error when the others' store is not found.
c10::intrusive_ptr<c10d::Store> open_rendezvous(const RankPlace& place);

// Throws std::runtime_error, in each rank that differs, when its configuration is not rank 0's.
void require_same_configuration(c10d::Store& store, const RankPlace& place, const std::string& configuration);

}  // namespace strata::trainer
