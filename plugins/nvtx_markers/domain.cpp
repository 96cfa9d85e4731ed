// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/domain.hpp"

#include <nvtx3/nvToolsExt.h>
#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#define STRATA_NVTX_PAYLOADS 1
#endif

#include <array>
#include <cstddef>
#include <string>

namespace strata::nvtx_markers {
namespace {

struct CategoryName {
  Category category;
  const char* name;
};
constexpr std::array<CategoryName, 6> kCategories{{{Category::kStep, "step"},
                                                   {Category::kMicroBatch, "micro-batch"},
                                                   {Category::kPhase, "phase"},
                                                   {Category::kLayer, "layer"},
                                                   {Category::kMemory, "memory"},
                                                   {Category::kWindow, "window"}}};

#if STRATA_NVTX_PAYLOADS
nvtxPayloadSchemaEntry_t schema_field(const char* name, const char* description, std::size_t offset) {
  nvtxPayloadSchemaEntry_t entry{};
  entry.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
  entry.name = name;
  entry.description = description;
  entry.offset = offset;
  return entry;
}

// Whether the tool pops ranges whose end has a payload. No function of NVTX returns that, and neither does
// the result of the pop itself: a tool that pops may return the same as no tool. So this reads NVTX's own
// table, which was filled when the schema was registered.
bool pops_with_payload() noexcept {
  return NVTX_EXT_PAYLOAD_VERSIONED_ID(nvtxExtPayloadSlots)[NVTX3EXT_CBID_nvtxRangePopPayload + 1] !=
         NVTX_EXTENSION_DISABLED;
}

// 0 with a tool that does not know the extension, or not the part of it that is used here.
std::uint64_t register_end_payload(nvtxDomainHandle_t domain) {
  const std::array fields{
      schema_field("step", "index from 0", offsetof(EndPayload, step)),
      schema_field("micro_batch", "index within the step", offsetof(EndPayload, micro_batch)),
      schema_field("tokens", "of the step, at its end", offsetof(EndPayload, tokens)),
      schema_field("allocated_bytes", "of the training's device", offsetof(EndPayload, allocated_bytes)),
      schema_field("reserved_bytes", "of the training's device", offsetof(EndPayload, reserved_bytes)),
  };
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  schema.name = "strata position";
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = fields.data();
  schema.numEntries = fields.size();
  schema.payloadStaticSize = sizeof(EndPayload);
  const std::uint64_t id = nvtxPayloadSchemaRegister(domain, &schema);
  return pops_with_payload() ? id : 0;
}
#endif

nvtxEventAttributes_t attributes(const Range& range) noexcept {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.category = static_cast<std::uint32_t>(range.category);
  event.colorType = NVTX_COLOR_ARGB;
  event.color = range.colour;
  if (range.payload) {
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = *range.payload;
  }
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = range.message;
  return event;
}

}  // namespace

Domain::Domain(const char* name) : domain_(nvtxDomainCreateA(name)) {
  if (!attached()) return;
  for (const auto& [category, text] : kCategories) {
    nvtxDomainNameCategoryA(domain_, static_cast<std::uint32_t>(category), text);
  }
#if STRATA_NVTX_PAYLOADS
  schema_ = register_end_payload(domain_);
#endif
}

Domain::~Domain() {
  if (attached()) nvtxDomainDestroy(domain_);
}

nvtxStringHandle_t Domain::string(const char* text) {
  return attached() ? nvtxDomainRegisterStringA(domain_, text) : nullptr;
}

nvtxStringHandle_t Domain::string(const strata_name& name, std::uint32_t variant, const char* suffix) {
  if (!attached()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto [found, added] = strings_.try_emplace(std::uint64_t{name.id} << 2 | variant, nullptr);
  if (added) found->second = nvtxDomainRegisterStringA(domain_, (std::string(name.text) + suffix).c_str());
  return found->second;
}

void Domain::push_to_tools(const Range& range) const noexcept {
  const nvtxEventAttributes_t event = attributes(range);
  nvtxDomainRangePushEx(domain_, &event);
}

void Domain::pop([[maybe_unused]] const EndPayload& end) const noexcept {
#if STRATA_NVTX_PAYLOADS
  if (takes_end_payloads()) {
    const nvtxPayloadData_t payload{schema_, sizeof end, &end};
    nvtxRangePopPayload(domain_, &payload, 1);
    return;
  }
#endif
  pop();
}

nvtxRangeId_t Domain::start(const Range& range) const noexcept {
  if (!attached()) return 0;
  const nvtxEventAttributes_t event = attributes(range);
  return nvtxDomainRangeStartEx(domain_, &event);
}

void Domain::mark(const Range& mark) const noexcept {
  if (!attached()) return;
  const nvtxEventAttributes_t event = attributes(mark);
  nvtxDomainMarkEx(domain_, &event);
}

}  // namespace strata::nvtx_markers
