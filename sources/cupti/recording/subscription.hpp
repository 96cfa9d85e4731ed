// SPDX-License-Identifier: Apache-2.0
// The process's one subscription to CUPTI, and the functions that need it.
//
// Exclusive: before CUDA 13.3, or if the driver demands it, CUPTI has one subscriber, who owns its Activity
// API. Shared: CUPTI distinguishes subscribers, and each of our calls names ours. The two kinds of calls must
// not be mixed in one process, so both are behind the same methods here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sources/cupti/api/library.hpp"
#include "sources/cupti/api/subscriber_functions.hpp"

namespace strata::cupti {

enum class Regime : std::uint32_t { kNone = 0, kAlone = 1, kShared = 2, kBusy = 3, kUnavailable = 4 };

class Subscription {
 public:
  // `shared`: empty if the subscription is exclusive.
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
  // For single functions, after their whole kind was enabled or disabled. Empty if CUPTI cannot do that.
  std::optional<CUptiResult> enable_runtime(CUpti_CallbackId function, bool is_enabled) const;
  std::optional<CUptiResult> enable_driver(CUpti_CallbackId function, bool is_enabled) const;
  // Callbacks about modules and graphs, handled by `process_resources()` (resources.hpp). Empty if CUPTI has
  // no callbacks.
  std::optional<CUptiResult> enable_resource(CUpti_CallbackId event, bool is_enabled) const;
  CUptiResult set_flag(CUpti_ActivityAttribute attribute, bool value) const;
  // [any] On the calling thread.
  CUptiResult push(std::uint64_t id) const;
  CUptiResult pop() const;
  // Number of records without a buffer since the last call.
  std::uint64_t take_dropped() const;
  // On CUPTI's clock. Empty if it does not report the time.
  std::optional<std::uint64_t> timestamp_ns() const;
  // [any] Like cuptiActivityGetNextRecord.
  CUptiResult next_record(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record) const;

 private:
  const Functions& functions_;
  CUpti_SubscriberHandle handle_;
  std::optional<SubscriberFunctions> shared_;
};

struct SubscribeAnswer {
  std::unique_ptr<Subscription> subscription;  // null: not available
  CUptiResult result = CUPTI_SUCCESS;
  std::string holder = {};  // who has it, according to CUPTI; empty: unknown
};

// `library` outlives the subscription. `may_share`: try the shared kind first, if available.
SubscribeAnswer subscribe(const Library& library, bool may_share);

}  // namespace strata::cupti
