// SPDX-License-Identifier: Apache-2.0
// The real cuDNN, opened as it is found, with a device's description in a device's place. Only documented
// functions are called, and no driver and no device is needed by any of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
#include <cudnn.h>
#pragma GCC visibility pop

#include "dry_gpu/cudnn/real/configurations.hpp"
#include "dry_gpu/cudnn/real/description.hpp"

namespace strata::dry_gpu::real_cudnn {

struct Functions {
  decltype(&cudnnGetVersion) version;
  decltype(&cudnnGetLastErrorString) last_error;
  decltype(&cudnnBackendCreateDescriptor) create;
  decltype(&cudnnBackendDestroyDescriptor) destroy;
  decltype(&cudnnBackendSetAttribute) set;
  decltype(&cudnnBackendGetAttribute) get;
  decltype(&cudnnBackendFinalize) finalize;
};

// A descriptor of cuDNN's. Every function throws std::runtime_error with what cuDNN says where it refuses.
class Descriptor {
 public:
  Descriptor(const Functions& functions, cudnnBackendDescriptorType_t type);
  ~Descriptor() { functions_.destroy(descriptor_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  cudnnBackendDescriptor_t get() const { return descriptor_; }
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
           const void* elements);
  void refer(cudnnBackendAttributeName_t name, const Descriptor& other);
  void finalize();
  // How many elements the attribute has.
  std::int64_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const;
  // Fills in as many elements as there are, up to `room`; returns how many.
  std::int64_t read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t room,
                    void* elements) const;

 private:
  void check(cudnnStatus_t status) const;

  const Functions& functions_;
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

// One thread at a time.
class Library {
 public:
  // Throws std::runtime_error: it cannot be opened, or does not work without a device.
  Library(const std::string& file, const std::string& device);

  // Throw std::runtime_error: cuDNN has no answer. A graph that was asked for is kept for its plans.
  Configurations configurations(std::int32_t mode, const std::string& graph);
  Plan plan(std::int32_t mode, std::size_t place, const std::string& graph);

 private:
  struct Graph {
    std::vector<std::unique_ptr<Descriptor>> descriptors;  // the last is the graph
    std::vector<std::unique_ptr<Descriptor>> configurations;
  };

  Graph& graph(std::int32_t mode, const std::string& text);
  Graph make(std::int32_t mode, const std::string& text);
  Configuration describe(const Descriptor& configuration);

  Functions functions_{};
  std::unique_ptr<Descriptor> device_;
  std::map<std::pair<std::int32_t, std::string>, Graph> graphs_;
};

}  // namespace strata::dry_gpu::real_cudnn
