// SPDX-License-Identifier: Apache-2.0
// write_large_page regular|irregular|timed ALLOCATIONS FILE: the page of a run with about so many
// allocations; timed is the irregular run with 200,000 operators and as many other intervals. Prints
// {"allocations", "events", "bytes", "seconds", "processor_seconds"}: from the facts to the written file.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "host/report/page_data/page.hpp"
#include "tests/report/irregular_run.hpp"
#include "tests/report/simulated_times.hpp"
#include "tests/report/simulated_training.hpp"

namespace {

using strata::analysis::Facts;

constexpr std::uint64_t kAllocationsInStep = 468;  // of the simulated training

Facts facts_of(const std::string& kind, std::uint64_t allocations) {
  if (kind == "timed") {
    Facts facts = strata::report::testing::irregular_run(allocations);
    strata::report::testing::add_times(facts, {.operators = 200'000});
    return facts;
  }
  if (kind == "irregular") return strata::report::testing::irregular_run(allocations);
  if (kind != "regular") throw std::runtime_error(kind + " is neither regular, irregular nor timed");
  const auto steps = static_cast<std::int64_t>(allocations / kAllocationsInStep + 1);
  return strata::report::testing::simulate({.steps = steps, .first_active_step = 10});
}

void write_large_page(const Facts& facts, const std::filesystem::path& html) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processor_begin = std::clock();
  std::ofstream file(html, std::ios::binary);
  file << strata::report::page(facts);
  file.close();
  if (!file) throw std::runtime_error(html.string() + " cannot be written");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const double processor_seconds = static_cast<double>(std::clock() - processor_begin) / CLOCKS_PER_SEC;
  std::printf(
      R"({"allocations": %zu, "events": %zu, "bytes": %ju, "seconds": %.3f, "processor_seconds": %.3f})"
      "\n",
      facts.blocks.size(), facts.points.size(), static_cast<std::uintmax_t>(std::filesystem::file_size(html)),
      seconds.count(), processor_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: write_large_page regular|irregular|timed ALLOCATIONS FILE\n", stderr);
    return 2;
  }
  try {
    write_large_page(facts_of(argv[1], std::strtoull(argv[2], nullptr, 10)), argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_large_page: %s\n", error.what());
    return 1;
  }
  return 0;
}
