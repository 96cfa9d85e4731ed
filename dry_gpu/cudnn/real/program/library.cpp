// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/program/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace strata::dry_gpu::real_cudnn {
namespace {

constexpr std::size_t kLeastVersion = 90800;  // the first that works without a device
constexpr std::size_t kMostGraphs = 1024;     // that are kept: beyond, the next question makes them again

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("it has no ") + name);
}

std::string version_text(std::size_t version) {
  return std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

// Notes of an engine, which are enumerations.
std::vector<std::int32_t> notes_of(const Descriptor& engine, cudnnBackendAttributeName_t name,
                                   cudnnBackendAttributeType_t type) {
  std::array<std::int32_t, 64> notes{};
  const std::int64_t count = engine.read(name, type, notes.size(), notes.data());
  return {notes.begin(), notes.begin() + count};
}

// The knob choices of a configuration, in descriptors created by the caller: cuDNN reports their number only
// to a caller with space for them. Empty if it does not report them.
Knobs knobs_of(const Functions& functions, const Descriptor& configuration) {
  std::vector<std::unique_ptr<Descriptor>> choices;
  std::array<cudnnBackendDescriptor_t, kMostKnobs> filled{};
  Knobs knobs;
  try {
    for (cudnnBackendDescriptor_t& place : filled) {
      choices.push_back(std::make_unique<Descriptor>(functions, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
      place = choices.back()->get();
    }
    const std::int64_t count = configuration.read(
        CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, filled.size(), filled.data());
    choices.resize(static_cast<std::size_t>(count));
    for (const auto& choice : choices) {
      Knob knob;
      choice->read(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &knob.type);
      choice->read(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &knob.value);
      knobs.push_back(knob);
    }
  } catch (const std::runtime_error&) {
    return {};
  }
  return knobs;
}

}  // namespace

Descriptor::Descriptor(const Functions& functions, cudnnBackendDescriptorType_t type)
    : functions_(functions) {
  check(functions_.create(type, &descriptor_));
}

void Descriptor::check(cudnnStatus_t status) const {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> text{};
  functions_.last_error(text.data(), text.size() - 1);
  throw std::runtime_error("status " + std::to_string(status) + ": " + text.data());
}

void Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                     const void* elements) {
  check(functions_.set(descriptor_, name, type, count, elements));
}

void Descriptor::refer(cudnnBackendAttributeName_t name, const Descriptor& other) {
  const cudnnBackendDescriptor_t referred = other.get();
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &referred);
}

void Descriptor::finalize() {
  check(functions_.finalize(descriptor_));
}

std::int64_t Descriptor::count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const {
  std::int64_t count = 0;
  check(functions_.get(descriptor_, name, type, 0, &count, nullptr));
  return count;
}

std::int64_t Descriptor::read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                              std::int64_t room, void* elements) const {
  std::int64_t count = 0;
  check(functions_.get(descriptor_, name, type, room, &count, elements));
  return std::min(count, room);
}

// Its own symbols take precedence: the dry GPU, whose cuBLASLt it uses in this process, has functions with
// the same names.
Library::Library(const std::string& file, const std::string& device) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) throw std::runtime_error(dlerror());
  find(library, "cudnnGetVersion", functions_.version);
  if (const std::size_t version = functions_.version(); version < kLeastVersion)
    throw std::runtime_error(file + " is version " + version_text(version) +
                             ", and works without a device from 9.8 on");
  find(library, "cudnnGetLastErrorString", functions_.last_error);
  find(library, "cudnnBackendCreateDescriptor", functions_.create);
  find(library, "cudnnBackendDestroyDescriptor", functions_.destroy);
  find(library, "cudnnBackendSetAttribute", functions_.set);
  find(library, "cudnnBackendGetAttribute", functions_.get);
  find(library, "cudnnBackendFinalize", functions_.finalize);
  device_ = std::make_unique<Descriptor>(functions_, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  device_->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
               static_cast<std::int64_t>(device.size()), device.data());
  device_->finalize();
}

Library::Graph Library::make(std::int32_t mode, const std::string& text) {
  const std::optional<Description> description = parse_description(text);
  if (!description) throw std::runtime_error("it is not a graph");
  Graph graph;
  for (const DescribedDescriptor& described : *description) {
    auto descriptor =
        std::make_unique<Descriptor>(functions_, static_cast<cudnnBackendDescriptorType_t>(described.type));
    for (const DescribedAttribute& attribute : described.attributes) {
      const auto name = static_cast<cudnnBackendAttributeName_t>(attribute.name);
      const auto type = static_cast<cudnnBackendAttributeType_t>(attribute.type);
      if ((type == CUDNN_TYPE_BACKEND_DESCRIPTOR) == attribute.descriptors.empty() ||
          type == CUDNN_TYPE_VOID_PTR || type == CUDNN_TYPE_HANDLE)
        throw std::runtime_error("it is not a graph");
      std::vector<cudnnBackendDescriptor_t> referred;
      for (const std::size_t place : attribute.descriptors)
        referred.push_back(graph.descriptors[place]->get());
      descriptor->set(name, type, attribute.count,
                      referred.empty() ? static_cast<const void*>(attribute.bytes.data()) : referred.data());
    }
    descriptor->finalize();
    graph.descriptors.push_back(std::move(descriptor));
  }
  Descriptor heuristics(functions_, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  const auto asked = static_cast<cudnnBackendHeurMode_t>(mode);
  heuristics.refer(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, *graph.descriptors.back());
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &asked);
  heuristics.refer(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *device_);
  heuristics.finalize();
  std::vector<cudnnBackendDescriptor_t> filled;
  for (std::int64_t left = heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR);
       left > 0; --left) {
    graph.configurations.push_back(
        std::make_unique<Descriptor>(functions_, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    filled.push_back(graph.configurations.back()->get());
  }
  if (!filled.empty()) {
    const std::int64_t count = heuristics.read(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                               static_cast<std::int64_t>(filled.size()), filled.data());
    graph.configurations.resize(static_cast<std::size_t>(count));
  }
  return graph;
}

Library::Graph& Library::graph(std::int32_t mode, const std::string& text) {
  const auto key = std::make_pair(mode, text);
  if (const auto known = graphs_.find(key); known != graphs_.end()) return known->second;
  if (graphs_.size() >= kMostGraphs) graphs_.clear();
  return graphs_.emplace(key, make(mode, text)).first->second;
}

Configuration Library::describe(const Descriptor& configuration) {
  Descriptor engine(functions_, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t filled = engine.get();
  configuration.read(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &filled);
  Configuration described;
  engine.read(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &described.engine);
  described.numerical_notes = notes_of(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
  described.behavior_notes = notes_of(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE);
  described.knobs = knobs_of(functions_, configuration);
  return described;
}

Configurations Library::configurations(std::int32_t mode, const std::string& text) {
  Configurations configurations;
  for (const auto& configuration : graph(mode, text).configurations)
    configurations.push_back(describe(*configuration));
  return configurations;
}

Plan Library::plan(std::int32_t mode, std::size_t place, const std::string& text) {
  Graph& asked = graph(mode, text);
  if (place >= asked.configurations.size()) throw std::runtime_error("no such configuration");
  try {
    Descriptor plan(functions_, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.refer(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *asked.configurations[place]);
    plan.refer(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *device_);
    plan.finalize();
    Plan made{.works = true};
    plan.read(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &made.workspace_bytes);
    return made;
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace strata::dry_gpu::real_cudnn
