// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/backend.hpp"

#include <algorithm>
#include <cstring>

#include "dry_gpu/cudnn/attention.hpp"
#include "dry_gpu/device/refusals.hpp"

namespace strata::dry_gpu {

const BackendContents::Attribute* BackendContents::find(cudnnBackendAttributeName_t name) const {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : &found->second;
}

std::shared_ptr<BackendContents> BackendContents::referred(cudnnBackendAttributeName_t name) const {
  const Attribute* const attribute = find(name);
  return attribute == nullptr || attribute->descriptors.empty() ? nullptr : attribute->descriptors.front();
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

namespace {

using Attribute = BackendContents::Attribute;

// Attributes that cuDNN knows and that have no answer here.
Refused unanswered{"cudnnBackendGetAttribute"};

std::shared_ptr<BackendContents> contents_of(cudnnBackendDescriptor_t descriptor) {
  return descriptor == nullptr ? nullptr : static_cast<BackendDescriptor*>(descriptor)->contents;
}

bool is_complete(const BackendContents& contents) {
  const auto is_set = [&](cudnnBackendAttributeName_t name) { return contents.find(name) != nullptr; };
  if (!std::ranges::all_of(required(contents.type), is_set)) return false;
  const auto count_of = [&](cudnnBackendAttributeName_t name) {
    const Attribute* const attribute = contents.find(name);
    return attribute == nullptr ? 0 : attribute->count;
  };
  switch (contents.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return count_of(CUDNN_ATTR_TENSOR_DIMENSIONS) == count_of(CUDNN_ATTR_TENSOR_STRIDES);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return count_of(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS) == count_of(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    default:
      return true;
  }
}

// Copies as many elements as the caller has space for. Descriptors are created by the caller, with the right
// type.
cudnnStatus_t copy(const Attribute& attribute, std::int64_t room, std::int64_t* count, void* elements) {
  const bool is_asked = elements != nullptr;
  const std::int64_t given = is_asked ? std::clamp<std::int64_t>(room, 0, attribute.count) : attribute.count;
  if (is_asked && attribute.type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    for (std::int64_t index = 0; index < given; ++index) {
      auto* const target = static_cast<BackendDescriptor**>(elements)[index];
      const auto& source = attribute.descriptors[static_cast<std::size_t>(index)];
      if (target == nullptr || target->contents->type != source->type) return CUDNN_STATUS_BAD_PARAM;
      target->contents = source;
    }
  } else if (given > 0 && is_asked) {
    std::memcpy(elements, attribute.bytes.data(),
                static_cast<std::size_t>(given) * element_bytes(attribute.type));
  }
  give(count, given);
  return CUDNN_STATUS_SUCCESS;
}

void* workspace_of(const BackendContents& pack) {
  const Attribute* const attribute = pack.find(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  void* workspace = nullptr;
  if (attribute != nullptr) std::memcpy(&workspace, attribute->bytes.data(), sizeof workspace);
  return workspace;
}

cudnnStatus_t compute(cudnnHandle_t handle, const MeasuredPlan& plan) {
  const MeasuredPlan::Execution execution = plan.execute();
  const Workspace workspace = plan.is_fitted() ? Workspace::kFitted : Workspace::kAsked;
  const cudnnStatus_t status =
      compute_nothing(handle, execution.is_compared ? Workspace::kBounded : workspace);
  if (status == CUDNN_STATUS_SUCCESS && execution.added_ns > 0) add_time(handle, execution.added_ns);
  return status;
}

}  // namespace

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* result) {
  return answer([&] {
    if (result == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!can_be_created(type)) return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    auto contents =
        std::make_shared<BackendContents>(BackendContents{.type = type, .is_final = false, .attributes = {}});
    *result = std::make_unique<BackendDescriptor>(BackendDescriptor{std::move(contents)}).release();
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  return destroy(static_cast<BackendDescriptor*>(descriptor));
}

cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t descriptor) {
  return answer([&] {
    const std::shared_ptr<BackendContents> contents = contents_of(descriptor);
    if (contents == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    static_cast<BackendDescriptor*>(descriptor)->contents = std::make_shared<BackendContents>(
        BackendContents{.type = contents->type, .is_final = false, .attributes = {}});
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return answer([&] {
    const std::shared_ptr<BackendContents> contents = contents_of(descriptor);
    if (contents == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (contents->is_final || !is_complete(*contents)) return CUDNN_STATUS_BAD_PARAM;
    if (contents->type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
      contents->live_plans = std::make_shared<LivePlans>();
    if (contents->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && !make_plan(*contents))
      return CUDNN_STATUS_NOT_SUPPORTED;
    contents->is_final = true;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count,
                                       const void* elements) {
  return answer([&] {
    const std::shared_ptr<BackendContents> contents = contents_of(descriptor);
    if (contents == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (contents->is_final || !belongs(name, contents->type) || elements == nullptr || count < 1)
      return CUDNN_STATUS_BAD_PARAM;
    if (element_bytes(type) == 0 || type_of(name).value_or(type) != type)
      return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
    Attribute attribute{.type = type, .count = count, .bytes = {}, .descriptors = {}};
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
      for (std::int64_t index = 0; index < count; ++index) {
        attribute.descriptors.push_back(
            contents_of(static_cast<const cudnnBackendDescriptor_t*>(elements)[index]));
        if (attribute.descriptors.back() == nullptr) return CUDNN_STATUS_BAD_PARAM;
      }
    } else {
      const auto* const first = static_cast<const std::byte*>(elements);
      attribute.bytes.assign(first, first + static_cast<std::size_t>(count) * element_bytes(type));
    }
    contents->attributes.insert_or_assign(name, std::move(attribute));
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                       std::int64_t requested, std::int64_t* count, void* elements) {
  return answer([&] {
    const std::shared_ptr<BackendContents> contents = contents_of(descriptor);
    if (contents == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!contents->is_final) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!belongs(name, contents->type)) return CUDNN_STATUS_BAD_PARAM;
    const Attribute* const kept = contents->find(name);
    const std::optional<Attribute> attribute =
        kept != nullptr ? std::optional(*kept) : answer_of(contents, name);
    if (!attribute) {
      refuse(unanswered);
      return CUDNN_STATUS_NOT_SUPPORTED;
    }
    if (attribute->type != type) return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
    return copy(*attribute, requested, count, elements);
  });
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t variant_pack) {
  return answer([&] {
    const std::shared_ptr<BackendContents> contents = contents_of(plan), pack = contents_of(variant_pack);
    if (handle == nullptr || contents == nullptr || pack == nullptr)
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (contents->type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ||
        pack->type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
      return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
    if (!contents->is_final || !pack->is_final) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    if (workspace_bytes_of(*contents) > 0 && workspace_of(*pack) == nullptr) return CUDNN_STATUS_BAD_PARAM;
    if (contents->measured_plan != nullptr) return compute(handle, *contents->measured_plan);
    const bool is_attention = attention_workspace_bytes(*contents).has_value();
    if (is_attention && !machine().machine->take_part(handle->device, ContextPart::kAttention))
      return CUDNN_STATUS_EXECUTION_FAILED_CUDART;
    return compute_nothing(handle, is_attention ? Workspace::kFitted : Workspace::kUnknown);
  });
}
