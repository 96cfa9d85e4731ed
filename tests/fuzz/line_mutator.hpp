// SPDX-License-Identifier: Apache-2.0
// Mutations of inputs made of lines of a small language: random bytes would rarely produce another valid
// line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t max_out_size,
                                                 unsigned int seed);

namespace strata::fuzz {

using Random = std::mt19937;

// Adds a line made by `new_line`, repeats, moves or removes some, or changes a number. `data` is as libFuzzer
// passes it; returns the new size, at most `max_size`.
std::size_t mutate_lines(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed,
                         const std::function<std::string(Random&)>& new_line);

// A number for mutations: small, at the limit of a type, or arbitrary.
std::uint64_t odd_number(Random& random);

}  // namespace strata::fuzz
