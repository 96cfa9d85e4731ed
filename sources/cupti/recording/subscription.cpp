// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/subscription.hpp"

#include <array>

#include "sources/cupti/recording/buffers.hpp"
#include "sources/cupti/recording/resources.hpp"

namespace strata::cupti {
namespace {

// Used only by us: Kineto uses the first two.
constexpr CUpti_ExternalCorrelationKind kOurIds = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
constexpr const char* kOurName = "Strata";

// Only for modules and graphs: a callback at each launch would cost the program more than a record.
void CUPTIAPI hear(void*, CUpti_CallbackDomain domain, CUpti_CallbackId event, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && data != nullptr)
    process_resources().hear(event, *static_cast<const CUpti_ResourceData*>(data));
}

void CUPTIAPI request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  process_buffers().request(buffer, bytes, most_records);
}
void CUPTIAPI complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  process_buffers().complete(buffer, valid_bytes);
}
void CUPTIAPI request_shared(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records, void*) {
  process_buffers().request(buffer, bytes, most_records);
}
void CUPTIAPI complete_shared(std::uint8_t* buffer, std::size_t, std::size_t valid_bytes, void*) {
  process_buffers().complete(buffer, valid_bytes);
}

using Name = std::array<char, std::size_t{2} * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN>;

SubscribeAnswer subscribe_by_name(const Library& library, std::optional<SubscriberFunctions> shared) {
  Name holder{};
  SubscriberParams params{.struct_size = shared ? sizeof params : kAloneParamsBytes,
                          .name = kOurName,
                          .holder = holder.data(),
                          .holder_bytes = holder.size(),
                          .allow_multiple_subscribers = shared ? std::uint8_t{1} : std::uint8_t{0},
                          .padding = {}};
  CUpti_SubscriberHandle handle = nullptr;
  const CUptiResult result = library.functions.cuptiSubscribe_v2(
      &handle, &hear, nullptr, static_cast<CUpti_SubscriberParams*>(static_cast<void*>(&params)));
  holder.back() = '\0';
  if (result != CUPTI_SUCCESS) return {.subscription = nullptr, .result = result, .holder = holder.data()};
  return {.subscription = std::make_unique<Subscription>(library.functions, handle, shared), .holder = {}};
}

}  // namespace

Subscription::~Subscription() {
  functions_.cuptiUnsubscribe(handle_);
}

CUptiResult Subscription::register_buffers() const {
  if (shared_) return shared_->cuptiActivityRegisterCallbacks_v2(handle_, &request_shared, &complete_shared);
  return functions_.cuptiActivityRegisterCallbacks(&request, &complete);
}

CUptiResult Subscription::enable(CUpti_ActivityKind kind) const {
  return shared_ ? shared_->cuptiActivityEnable_v2(handle_, kind, nullptr)
                 : functions_.cuptiActivityEnable(kind);
}

CUptiResult Subscription::disable(CUpti_ActivityKind kind) const {
  return shared_ ? shared_->cuptiActivityDisable_v2(handle_, kind, nullptr)
                 : functions_.cuptiActivityDisable(kind);
}

std::optional<CUptiResult> Subscription::enable_runtime(CUpti_CallbackId function, bool is_enabled) const {
  if (shared_) return shared_->cuptiActivityEnableRuntimeApi_v2(handle_, function, is_enabled ? 1 : 0);
  if (functions_.cuptiActivityEnableRuntimeApi == nullptr) return std::nullopt;
  return functions_.cuptiActivityEnableRuntimeApi(function, is_enabled ? 1 : 0);
}

std::optional<CUptiResult> Subscription::enable_driver(CUpti_CallbackId function, bool is_enabled) const {
  if (shared_) return shared_->cuptiActivityEnableDriverApi_v2(handle_, function, is_enabled ? 1 : 0);
  if (functions_.cuptiActivityEnableDriverApi == nullptr) return std::nullopt;
  return functions_.cuptiActivityEnableDriverApi(function, is_enabled ? 1 : 0);
}

std::optional<CUptiResult> Subscription::enable_resource(CUpti_CallbackId event, bool is_enabled) const {
  if (functions_.cuptiEnableCallback == nullptr) return std::nullopt;
  return functions_.cuptiEnableCallback(is_enabled ? 1 : 0, handle_, CUPTI_CB_DOMAIN_RESOURCE, event);
}

CUptiResult Subscription::set_flag(CUpti_ActivityAttribute attribute, bool value) const {
  std::uint8_t flag = value ? 1 : 0;
  std::size_t bytes = sizeof flag;
  return shared_ ? shared_->cuptiActivitySetAttribute_v2(handle_, attribute, &bytes, &flag)
                 : functions_.cuptiActivitySetAttribute(attribute, &bytes, &flag);
}

CUptiResult Subscription::push(std::uint64_t id) const {
  return shared_ ? shared_->cuptiActivityPushExternalCorrelationId_v2(handle_, kOurIds, id)
                 : functions_.cuptiActivityPushExternalCorrelationId(kOurIds, id);
}

CUptiResult Subscription::pop() const {
  return shared_ ? shared_->cuptiActivityPopExternalCorrelationId_v2(handle_, kOurIds, nullptr)
                 : functions_.cuptiActivityPopExternalCorrelationId(kOurIds, nullptr);
}

std::uint64_t Subscription::take_dropped() const {
  std::size_t dropped = 0;
  const CUptiResult result =
      shared_ ? shared_->cuptiActivityGetNumDroppedRecords_v2(handle_, nullptr, 0, &dropped)
              : functions_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  return result == CUPTI_SUCCESS ? dropped : 0;
}

std::optional<std::uint64_t> Subscription::timestamp_ns() const {
  std::uint64_t ns = 0;
  const CUptiResult result =
      shared_ ? shared_->cuptiGetTimestamp_v2(handle_, &ns) : functions_.cuptiGetTimestamp(&ns);
  return result == CUPTI_SUCCESS ? std::optional(ns) : std::nullopt;
}

CUptiResult Subscription::next_record(std::uint8_t* buffer, std::size_t valid_bytes,
                                      CUpti_Activity** record) const {
  return shared_ ? shared_->cuptiActivityGetNextRecord_v2(handle_, buffer, valid_bytes, record)
                 : functions_.cuptiActivityGetNextRecord(buffer, valid_bytes, record);
}

SubscribeAnswer subscribe(const Library& library, bool may_share) {
  if (library.functions.cuptiSubscribe_v2 == nullptr) {
    CUpti_SubscriberHandle handle = nullptr;
    const CUptiResult result = library.functions.cuptiSubscribe(&handle, &hear, nullptr);
    if (result != CUPTI_SUCCESS) return {.subscription = nullptr, .result = result};
    return {.subscription = std::make_unique<Subscription>(library.functions, handle, std::nullopt)};
  }
  // If the driver is older than the library, CUPTI cannot be shared: then request exclusive use.
  if (may_share && library.version >= kFirstSharedVersion) {
    if (const auto shared = find_subscriber_functions(library.handle)) {
      SubscribeAnswer answer = subscribe_by_name(library, shared);
      if (answer.subscription != nullptr) return answer;
    }
  }
  return subscribe_by_name(library, std::nullopt);
}

}  // namespace strata::cupti
