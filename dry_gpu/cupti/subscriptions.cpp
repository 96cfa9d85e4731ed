// SPDX-License-Identifier: Apache-2.0
// The one subscriber that CUPTI has, its version, and the names of its results.
//
// A subscriber is called back when a context or a node of a graph is made. Callbacks around the calls of the
// runtime and the driver are refused: they would need each function's parameters.
#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "dry_gpu/cupti/call.hpp"
#include "dry_gpu/cupti/call_names.hpp"
#include "dry_gpu/device/graph_nodes.hpp"
#include "dry_gpu/device/machine.hpp"

using namespace strata::dry_gpu;

struct CUpti_Subscriber_st {
  std::mutex mutex;
  CUpti_CallbackFunc callback = nullptr;  // null: no subscriber
  void* data = nullptr;
  std::string name;  // which it gave; empty: none
  bool wants_contexts = false, wants_nodes = false, wants_clones = false;
};

namespace {

CUpti_Subscriber_st& only_subscriber() {
  static CUpti_Subscriber_st& only = *new CUpti_Subscriber_st;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

void announce_context(CUctx_st& context) {
  CUpti_Subscriber_st& subscriber = only_subscriber();
  CUpti_CallbackFunc callback = nullptr;
  void* data = nullptr;
  {
    const std::scoped_lock lock(subscriber.mutex);
    if (!subscriber.wants_contexts) return;
    callback = subscriber.callback;
    data = subscriber.data;
  }
  CUpti_ResourceData resource{};
  resource.context = &context;
  if (callback != nullptr)
    callback(data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &resource);
}

void announce_node(CUgraphNode_st& node, CUgraphNode_st* original) {
  CUpti_Subscriber_st& subscriber = only_subscriber();
  CUpti_CallbackFunc callback = nullptr;
  void* data = nullptr;
  {
    const std::scoped_lock lock(subscriber.mutex);
    if (!(original == nullptr ? subscriber.wants_nodes : subscriber.wants_clones)) return;
    callback = subscriber.callback;
    data = subscriber.data;
  }
  CUpti_GraphData graph{};
  graph.node = &node;
  graph.originalNode = original;
  graph.nodeType = static_cast<CUgraphNodeType>(node.type);
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &graph;
  if (callback != nullptr)
    callback(
        data, CUPTI_CB_DOMAIN_RESOURCE,
        original == nullptr ? CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED : CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
        &resource);
}

// CUPTI's form of the name: "CUPTI for Strata". Empty for a subscriber without a name.
void name_holder(const CUpti_Subscriber_st& holder, const CUpti_SubscriberParams* params) {
  if (params == nullptr || params->oldSubscriberName == nullptr || params->oldSubscriberSize == 0) return;
  const std::string name = holder.name.empty() ? "" : "CUPTI for " + holder.name;
  std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", name.c_str());
}

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data,
                      const CUpti_SubscriberParams* params) {
  if (handle == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  CUpti_Subscriber_st& subscriber = only_subscriber();
  const std::scoped_lock lock(subscriber.mutex);
  if (subscriber.callback != nullptr) {
    name_holder(subscriber, params);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  subscriber.callback = callback;
  subscriber.data = data;
  subscriber.name = params == nullptr || params->subscriberName == nullptr ? "" : params->subscriberName;
  *handle = &subscriber;
  return CUPTI_SUCCESS;
}

}  // namespace

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data) {
  static Refused function{"cuptiSubscribe"};
  return call_cupti(function, [&](Activities&) { return subscribe(handle, callback, data, nullptr); });
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data,
                              CUpti_SubscriberParams* params) {
  static Refused function{"cuptiSubscribe_v2"};
  return call_cupti(function, [&](Activities&) {
    if (params != nullptr && params->structSize < sizeof *params) return CUPTI_ERROR_INVALID_PARAMETER;
    return subscribe(handle, callback, data, params);
  });
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
  static Refused function{"cuptiUnsubscribe"};
  return call_cupti(function, [&](Activities&) {
    if (handle != &only_subscriber()) return CUPTI_ERROR_INVALID_PARAMETER;
    const std::scoped_lock lock(handle->mutex);
    handle->callback = nullptr;
    handle->data = nullptr;
    handle->name.clear();
    handle->wants_contexts = handle->wants_nodes = handle->wants_clones = false;
    node_listener.store(nullptr);
    return CUPTI_SUCCESS;
  });
}

// A device's context is never destroyed here, so its end is never reported.
CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle handle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId callback) {
  static Refused function{"cuptiEnableCallback"};
  return call_cupti(function, [&](Activities&) {
    if (handle != &only_subscriber()) return CUPTI_ERROR_INVALID_PARAMETER;
    const bool is_made = callback == CUPTI_CBID_RESOURCE_CONTEXT_CREATED;
    const bool is_ended = callback == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING;
    const bool is_node = callback == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED;
    const bool is_clone = callback == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED;
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || (!is_made && !is_ended && !is_node && !is_clone)) {
      refuse(function);
      return CUPTI_ERROR_NOT_SUPPORTED;
    }
    if (is_ended) return CUPTI_SUCCESS;
    const std::scoped_lock lock(handle->mutex);
    if (is_node || is_clone) {
      (is_node ? handle->wants_nodes : handle->wants_clones) = enable != 0;
      node_listener.store(handle->wants_nodes || handle->wants_clones ? &announce_node : nullptr);
      return CUPTI_SUCCESS;
    }
    handle->wants_contexts = enable != 0;
    set_context_listener(&announce_context);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* number) {
  static Refused function{"cuptiGetGraphNodeId"};
  return call_cupti(function, [&](Activities&) {
    if (node == nullptr || number == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *number = node->number;
    return CUPTI_SUCCESS;
  });
}

// These three also work without a modelled clock: a profiler uses them to explain the errors of the others.
CUptiResult cuptiGetVersion(std::uint32_t* version) {
  if (version == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t function, const char** name) {
  if (name == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = call_name(domain, function);
  return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

// The results that these functions return.
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  static constexpr std::array kTexts = {
      std::pair{CUPTI_SUCCESS, "CUPTI_SUCCESS"},
      std::pair{CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER"},
      std::pair{CUPTI_ERROR_OUT_OF_MEMORY, "CUPTI_ERROR_OUT_OF_MEMORY"},
      std::pair{CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT"},
      std::pair{CUPTI_ERROR_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
      std::pair{CUPTI_ERROR_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY"},
      std::pair{CUPTI_ERROR_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND"},
      std::pair{CUPTI_ERROR_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED"},
      std::pair{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
                "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
  };
  if (text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const auto found = std::ranges::find(kTexts, result, [](const auto& each) { return each.first; });
  *text = found == kTexts.end() ? "CUPTI_ERROR_UNKNOWN" : found->second;
  return CUPTI_SUCCESS;
}
