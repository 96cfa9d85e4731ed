// SPDX-License-Identifier: Apache-2.0
// The one subscription that this process has of CUPTI, and what is called by right of it.
//
// Alone: before CUDA 13.3, or where the driver wants it so, CUPTI has one subscriber, and its Activity API
// belongs to that one. Shared: CUPTI tells subscribers apart, and each of our calls names ours. The two kinds
// of calls must not be mixed in one process, so that both are behind the same methods here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sources/cupti/subscription/library.hpp"
#include "sources/cupti/subscription/subscriber_functions.hpp"

namespace strata::cupti {

enum class Regime : std::uint32_t { kNone = 0, kAlone = 1, kShared = 2, kBusy = 3, kUnavailable = 4 };

class Subscription {
 public:
  // `shared`: nothing where we are alone.
  Subscription(const Functions& functions, CUpti_SubscriberHandle handle,
               std::optional<SubscriberFunctions> shared)
      : functions_(functions), handle_(handle), shared_(shared) {}
  // Unsubscribes.
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  Regime regime() const { return shared_ ? Regime::kShared : Regime::kAlone; }

  // Buffers come from `process_buffers()` (buffers.hpp).
  CUptiResult register_buffers() const;
  CUptiResult enable(CUpti_ActivityKind kind) const;
  CUptiResult disable(CUpti_ActivityKind kind) const;
  // Of single functions, after their whole kind was enabled or not. Nothing where CUPTI cannot do that.
  std::optional<CUptiResult> enable_runtime(CUpti_CallbackId function, bool is_enabled) const;
  std::optional<CUptiResult> enable_driver(CUpti_CallbackId function, bool is_enabled) const;
  // Callbacks about modules and graphs, which `process_resources()` hears (resources.hpp). Nothing where
  // CUPTI has no callbacks.
  std::optional<CUptiResult> enable_resource(CUpti_CallbackId event, bool is_enabled) const;
  CUptiResult set_flag(CUpti_ActivityAttribute attribute, bool value) const;
  // [any] On the calling thread.
  CUptiResult push(std::uint64_t id) const;
  CUptiResult pop() const;
  // Records that found no buffer since the last such question.
  std::uint64_t take_dropped() const;
  // On CUPTI's clock. Nothing: it does not tell.
  std::optional<std::uint64_t> timestamp_ns() const;
  // [any] As cuptiActivityGetNextRecord.
  CUptiResult next_record(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record) const;

 private:
  const Functions& functions_;
  CUpti_SubscriberHandle handle_;
  std::optional<SubscriberFunctions> shared_;
};

struct SubscribeAnswer {
  std::unique_ptr<Subscription> subscription;  // null: not to be had
  CUptiResult result = CUPTI_SUCCESS;
  std::string holder = {};  // who has it, as CUPTI says; empty: it does not
};

// `library` outlives the subscription. `may_share`: try for the shared kind first, where there is one.
SubscribeAnswer subscribe(const Library& library, bool may_share);

}  // namespace strata::cupti
