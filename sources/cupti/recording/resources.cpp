// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/resources.hpp"

#include <unistd.h>

#include <ctime>
#include <utility>

namespace strata::cupti {
namespace {

// Beyond this number, kernels of graphs have the operator of their launch, and modules are not reported.
constexpr std::size_t kMostNodes = std::size_t{1} << 18;
constexpr std::size_t kMostModules = std::size_t{1} << 16;

struct Entered {
  std::uint64_t opening;
  Origin origin;
};
// Innermost last. An earlier recording may have left entries whose end was not reported.
thread_local std::vector<Entered> entered;

std::int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

void Resources::open(const Functions& functions) {
  const std::scoped_lock lock(mutex_);
  questions_ = {functions.cuptiGetContextId, functions.cuptiGetGraphNodeId, ++openings_};
  opening_ = openings_;
}

void Resources::close() {
  const std::scoped_lock lock(mutex_);
  questions_ = {};
  opening_ = 0;
  modules_.clear();
  nodes_.clear();
}

Resources::Questions Resources::questions() const {
  const std::scoped_lock lock(mutex_);
  return questions_;
}

void Resources::hear(CUpti_CallbackId event, const CUpti_ResourceData& data) noexcept {
  try {
    if (event == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
      hear_module(data);
    } else if ((event == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED ||
                event == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) &&
               data.resourceDescriptor != nullptr) {
      hear_node(event, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
    }
  } catch (...) {
    // Out of memory: not recorded. Exceptions must not pass through CUPTI.
  }
}

void Resources::hear_module(const CUpti_ResourceData& data) {
  const Questions ask = questions();
  if (ask.opening == 0) return;
  const auto* const module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  LoadedModule loaded{.monotonic_ns = monotonic_ns(),
                      .bytes = module == nullptr ? 0 : module->cubinSize,
                      .thread = static_cast<std::uint32_t>(gettid())};
  if (ask.context == nullptr || ask.context(data.context, &loaded.context) != CUPTI_SUCCESS)
    loaded.context = 0;
  const std::scoped_lock lock(mutex_);
  if (questions_.opening == ask.opening && modules_.size() < kMostModules) modules_.push_back(loaded);
}

void Resources::hear_node(CUpti_CallbackId event, const CUpti_GraphData& graph) {
  const Questions ask = questions();
  std::uint64_t node = 0;
  if (ask.opening == 0 || ask.node == nullptr || ask.node(graph.node, &node) != CUPTI_SUCCESS) return;
  std::optional<Origin> origin;
  if (event == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
    if (!entered.empty() && entered.back().opening == ask.opening) origin = entered.back().origin;
  } else {
    std::uint64_t original = 0;
    if (ask.node(graph.originalNode, &original) == CUPTI_SUCCESS) origin = origin_of(original);
  }
  if (!origin) return;
  const std::scoped_lock lock(mutex_);
  if (questions_.opening == ask.opening && nodes_.size() < kMostNodes) nodes_[node] = *origin;
}

void Resources::push(const Origin& origin) {
  entered.push_back({opening_.load(std::memory_order_relaxed), origin});
}

void Resources::pop() noexcept {
  if (!entered.empty()) entered.pop_back();
}

std::vector<LoadedModule> Resources::take_modules() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(modules_, {});
}

std::optional<Origin> Resources::origin_of(std::uint64_t node) const {
  const std::scoped_lock lock(mutex_);
  const auto known = nodes_.find(node);
  return known == nodes_.end() ? std::nullopt : std::optional(known->second);
}

Resources& process_resources() {
  static Resources& only = *new Resources;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

}  // namespace strata::cupti
