// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/ranks/rank_group.hpp"

#include <ATen/ATen.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "host/trainer/ranks/nccl_entry.hpp"
#include "host/trainer/torch_folder.hpp"

namespace strata::trainer {
namespace {

constexpr const char* kConfigurationKey = "strata/configuration";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As torch.distributed's env://. torchrun's agent may serve the store itself; it uses separate keys for each
// attempt to start the ranks.
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

// Where ranks find each other before they are connected: a local file if `strata run` started them;
// torchrun's store, by its variables (MASTER_ADDR, MASTER_PORT), if it did; this process's memory for a
// single rank of a dry job. Throws c10::Error if the store of the others is not found.
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

// Throws std::runtime_error, in each rank that differs, when its configuration is not rank 0's.
void require_same_configuration(c10d::Store& store, const RankPlace& place,
                                const std::string& configuration) {
  if (place.rank == 0) {
    store.set(kConfigurationKey, std::vector<std::uint8_t>(configuration.begin(), configuration.end()));
    return;
  }
  const std::vector<std::uint8_t> bytes = store.get(kConfigurationKey);
  const std::string first(bytes.begin(), bytes.end());
  if (first == configuration) return;
  // The message names the line that differs.
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
      fmt::format("rank {} has a different configuration from rank 0: '{}' instead of '{}'; give all "
                  "ranks the same file and overrides",
                  place.rank, our_line, their_line));
}

// Beside the library that this code is in; of a test program, where the build has it.
std::filesystem::path nccl_library() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&nccl_library), &here);
  return std::filesystem::absolute(here.dli_fname).parent_path() / "libstrata_nccl.so";
}

// Collectives among processes on CPUs. Meets the other ranks through `store`, and returns when all are there.
// Throws c10::Error.
c10::intrusive_ptr<c10d::Backend> make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    const RankPlace& place) {
  const auto options = c10d::ProcessGroupGloo::Options::create();
  // Ranks of one machine need no network, and a container may not have an address in one.
  options->devices.push_back(place.launcher == Launcher::kStrata
                                 ? c10d::ProcessGroupGloo::createDeviceForInterface("lo")
                                 : c10d::ProcessGroupGloo::createDefaultDevice());
  options->threads = 2;  // as torch.distributed has it
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place.rank),
                                                     static_cast<int>(place.world_size), options);
}

// Collectives among processes that have a CUDA device each, which is the current one. The ranks meet through
// `store` at the first collective. Throws std::runtime_error when this build has no NCCL, or c10::Error.
c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    const RankPlace& place) {
  const std::filesystem::path path = nccl_library();
  if (!std::filesystem::exists(path)) {
    throw std::runtime_error(
        fmt::format("world_size: ranks on CUDA devices need NCCL, but this build has none ({} is missing); "
                    "build Strata with torch's CUDA wheel, or use device: cpu",
                    path.string()));
  }
  open_beside_torch("libtorch.so", RTLD_LOCAL);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto make = reinterpret_cast<MakeNcclBackend>(dlsym(library, kMakeNcclBackendSymbol));
  if (make == nullptr) throw std::runtime_error(dlerror());
  return make(store, static_cast<int>(place.rank), static_cast<int>(place.world_size));
}

using BackendType = c10d::ProcessGroup::BackendType;

// A dry device's NCCL assumes that the other ranks have the same data as this process. Data sent by rank 0,
// such as the order of its buckets, would be unknown, so each process acts as rank 0.
RankPlace place_on_dry_device(const RankPlace& place) {
  // In a large world every 128th rank would have to publish where it is; here there is only one.
  setenv("TORCH_NCCL_RANKS_PER_ROOT", std::to_string(place.world_size).c_str(), /*overwrite=*/1);
  return {.rank = 0, .world_size = place.world_size};
}

}  // namespace

RankGroup::RankGroup(const config::RunConfig& config, const RankPlace& place)
    : RankGroup(config, config.device.is_dry() ? place_on_dry_device(place) : place,
                !config.device.is_dry()) {}

RankGroup::RankGroup(const config::RunConfig& config, const RankPlace& place, bool others_answer)
    : world_size_(place.world_size), store_(open_rendezvous(place)) {
  const auto store_of = [this](const char* prefix) {
    return c10::make_intrusive<c10d::PrefixStore>(prefix, store_);
  };
  group_ = c10::make_intrusive<c10d::ProcessGroup>(store_of("group"), static_cast<int>(place.rank),
                                                   static_cast<int>(place.world_size));
  if (others_answer) {
    require_same_configuration(*store_, place, config.resolved_yaml);
    cpu_ = make_gloo_backend(store_of("cpu"), place);
    message_ = at::zeros({2}, at::kDouble);
  }
  if (config.device.kind == config::DeviceKind::kCpu) {
    group_->setBackend(c10::kCPU, BackendType::GLOO, cpu_);
    group_->setDefaultBackend(BackendType::GLOO);
  } else {
    cuda_ = make_nccl_backend(store_of("cuda"), place);
    group_->setBackend(c10::kCUDA, BackendType::NCCL, cuda_);
    group_->setDefaultBackend(BackendType::NCCL);
  }
}

RankGroup::~RankGroup() {
  if (!cuda_) return;
  try {
    if (std::uncaught_exceptions() > 0) {
      cuda_->abort();
    } else {
      cuda_->shutdown();
    }
  } catch (const std::exception&) {
    // No other rank is left that would need it.
  }
}

RankGroup::Agreement RankGroup::agree(double loss, bool stops) {
  if (!cpu_) return {loss, stops};
  auto* const numbers = message_.mutable_data_ptr<double>();
  numbers[0] = loss;
  numbers[1] = stops ? 1.0 : 0.0;
  std::vector<at::Tensor> messages{message_};
  cpu_->allreduce(messages)->wait();
  return {numbers[0] / static_cast<double>(world_size_), numbers[1] > 0.0};
}

std::vector<at::Tensor> RankGroup::gather(const at::Tensor& bytes) const {
  if (!cpu_) return {bytes};
  std::vector<std::vector<at::Tensor>> gathered(1);
  for (std::int64_t rank = 0; rank < world_size_; ++rank) gathered[0].push_back(at::empty_like(bytes));
  std::vector<at::Tensor> own{bytes};
  cpu_->allgather(gathered, own)->wait();
  return std::move(gathered[0]);
}

}  // namespace strata::trainer
