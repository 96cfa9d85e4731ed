// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/ranks/rendezvous.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace strata::trainer {
namespace {

constexpr const char* kConfigurationKey = "strata/configuration";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As torch.distributed's env://. torchrun's agent may serve the store itself; each of its attempts to start
// the ranks has keys of its own there.
c10::intrusive_ptr<c10d::Store> torchrun_store(const RankPlace& place) {
  const bool agent_serves = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(std::stoi(variable("MASTER_PORT")));
  options.isServer = place.rank == 0 && !agent_serves;
  options.numWorkers = place.world_size;
  auto store = c10::make_intrusive<c10d::TCPStore>(variable("MASTER_ADDR"), options);
  if (!agent_serves) return store;
  const std::string prefix = "/worker/attempt_" + variable("TORCHELASTIC_RESTART_COUNT");
  return c10::make_intrusive<c10d::PrefixStore>(prefix, std::move(store));
}

}  // namespace

c10::intrusive_ptr<c10d::Store> open_rendezvous(const RankPlace& place) {
  switch (place.launcher) {
    case Launcher::kStrata:
      return c10::make_intrusive<c10d::FileStore>(place.rendezvous.string(),
                                                  static_cast<int>(place.world_size));
    case Launcher::kTorchrun:
      return torchrun_store(place);
    case Launcher::kNone:
      break;
  }
  return c10::make_intrusive<c10d::HashStore>();
}

void require_same_configuration(c10d::Store& store, const RankPlace& place,
                                const std::string& configuration) {
  if (place.rank == 0) {
    store.set(kConfigurationKey, std::vector<std::uint8_t>(configuration.begin(), configuration.end()));
    return;
  }
  const std::vector<std::uint8_t> bytes = store.get(kConfigurationKey);
  const std::string first(bytes.begin(), bytes.end());
  if (first == configuration) return;
  // The line that differs says more than that one does.
  std::string_view ours = configuration, theirs = first;
  const auto next_line = [](std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
  };
  std::string_view our_line, their_line;
  while (our_line == their_line && (!ours.empty() || !theirs.empty())) {
    our_line = next_line(ours);
    their_line = next_line(theirs);
  }
  throw std::runtime_error(
      fmt::format("rank {} has a different configuration from rank 0: '{}' instead of '{}'; give all ranks "
                  "the same file and overrides",
                  place.rank, our_line, their_line));
}

}  // namespace strata::trainer
