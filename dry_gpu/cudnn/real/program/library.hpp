// SPDX-License-Identifier: Apache-2.0
// The real cuDNN, opened as found, with a description instead of a device. Only documented functions are
// called, none of which needs a driver or a device.
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

// A cuDNN descriptor. If cuDNN refuses, every function throws std::runtime_error with its message.
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
  // The number of elements of the attribute.
  std::int64_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const;
  // Reads the elements, up to `room`; returns how many.
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
  // Throws std::runtime_error if it cannot be opened or does not work without a device.
  Library(const std::string& file, const std::string& device);

  // Throw std::runtime_error if cuDNN has no answer. A requested graph is kept for its plans.
  Configurations configurations(std::int32_t mode, const std::string& graph);
  Plan plan(std::int32_t mode, std::size_t place, const std::string& graph);

 private:
  struct Graph {
    std::vector<std::unique_ptr<Descriptor>> descriptors;  // the last one is the graph
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
