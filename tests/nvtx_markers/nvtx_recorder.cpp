// SPDX-License-Identifier: Apache-2.0
// An NVTX tool that writes every call, one JSON object per line, into the file named by
// STRATA_TEST_NVTX_FILE. A process starts it with NVTX_INJECTION64_PATH; each shared object that contains
// NVTX initialises it again. STRATA_TEST_NVTX_EXTENSIONS=none turns it into a tool without extensions;
// `schemas`, into one that registers payload schemas and accepts no payloads.
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;

struct Text {
  std::string text;
};

struct Schema {
  std::vector<std::string> fields;  // 8 bytes each
};

std::atomic<std::uint64_t> next_id{1};
std::mutex mutex;
std::map<std::uint64_t, Schema> schemas;
std::map<std::uint64_t, std::string> counters;

// Opened for each line: a test may remove the file between two lines.
void write_line(Json line) {
  const char* const path = std::getenv("STRATA_TEST_NVTX_FILE");
  if (path == nullptr) return;
  line["thread"] = gettid();
  const std::string text = line.dump() + '\n';
  const std::lock_guard lock(mutex);
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  close(file);
}

// Handles live as long as the process, as in real tools.
template <typename Handle>
Handle new_handle(const std::string& text) {
  static auto* const texts = new std::deque<Text>;
  const std::lock_guard lock(mutex);
  return reinterpret_cast<Handle>(&texts->emplace_back(Text{text}));
}

template <typename Handle>
std::string text_of(Handle handle) {
  return handle == nullptr ? std::string() : reinterpret_cast<const Text*>(handle)->text;
}

Json described(const char* event, nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  Json line{{"event", event}, {"domain", text_of(domain)}};
  const bool registered = attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  line["registered"] = registered;
  line["message"] =
      registered ? text_of(attributes->message.registered) : std::string(attributes->message.ascii);
  line["category"] = attributes->category;
  if (attributes->colorType == NVTX_COLOR_ARGB) line["colour"] = attributes->color;
  if (attributes->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64)
    line["payload"] = attributes->payload.ullValue;
  return line;
}

nvtxDomainHandle_t domain_create(const char* name) {
  write_line({{"event", "domain_create"}, {"domain", name}});
  return new_handle<nvtxDomainHandle_t>(name);
}

void domain_destroy(nvtxDomainHandle_t domain) {
  write_line({{"event", "domain_destroy"}, {"domain", text_of(domain)}});
}

nvtxStringHandle_t register_string(nvtxDomainHandle_t domain, const char* text) {
  write_line({{"event", "string"}, {"domain", text_of(domain)}, {"message", text}});
  return new_handle<nvtxStringHandle_t>(text);
}

void name_category(nvtxDomainHandle_t domain, std::uint32_t category, const char* name) {
  write_line({{"event", "category"}, {"domain", text_of(domain)}, {"category", category}, {"message", name}});
}

void name_thread(std::uint32_t thread, const char* name) {
  write_line({{"event", "thread_name"}, {"named", thread}, {"message", name}});
}

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  write_line(described("push", domain, attributes));
  return NVTX_NO_PUSH_POP_TRACKING;  // tools may return this
}

int pop(nvtxDomainHandle_t domain) {
  write_line({{"event", "pop"}, {"domain", text_of(domain)}});
  return NVTX_NO_PUSH_POP_TRACKING;
}

nvtxRangeId_t start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  const nvtxRangeId_t id = next_id++;
  Json line = described("start", domain, attributes);
  line["id"] = id;
  write_line(line);
  return id;
}

void end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  write_line({{"event", "end"}, {"domain", text_of(domain)}, {"id", id}});
}

void mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  write_line(described("mark", domain, attributes));
}

std::uint64_t register_schema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* attributes) {
  const std::uint64_t id = next_id++;
  Schema schema;
  for (std::size_t i = 0; i < attributes->numEntries; ++i)
    schema.fields.emplace_back(attributes->entries[i].name);
  write_line({{"event", "schema"},
              {"domain", text_of(domain)},
              {"message", attributes->name},
              {"bytes", attributes->payloadStaticSize},
              {"fields", schema.fields}});
  const std::lock_guard lock(mutex);
  schemas[id] = schema;
  return id;
}

int pop_with_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payload, std::size_t count) {
  Json line{{"event", "pop"}, {"domain", text_of(domain)}, {"payloads", count}};
  std::vector<std::string> fields;
  {
    const std::lock_guard lock(mutex);
    fields = schemas.at(payload->schemaId).fields;
  }
  if (payload->size != fields.size() * sizeof(std::uint64_t)) std::abort();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(payload->payload) + i * sizeof value, sizeof value);
    line["end"][fields[i]] = value;
  }
  write_line(line);
  return NVTX_NO_PUSH_POP_TRACKING;
}

std::uint64_t register_counter(nvtxDomainHandle_t domain, const nvtxCounterAttr_t* counter) {
  const std::uint64_t id = next_id++;
  const auto* const semantics = reinterpret_cast<const nvtxSemanticsCounter_t*>(counter->semantics);
  write_line({{"event", "counter"},
              {"domain", text_of(domain)},
              {"message", counter->name},
              {"type", counter->schemaId},
              {"unit", semantics->unit}});
  const std::lock_guard lock(mutex);
  counters[id] = counter->name;
  return id;
}

void sample_counter(nvtxDomainHandle_t domain, std::uint64_t counter, std::int64_t value) {
  std::string name;
  {
    const std::lock_guard lock(mutex);
    name = counters.at(counter);
  }
  write_line({{"event", "sample"}, {"domain", text_of(domain)}, {"message", name}, {"value", value}});
}

nvtxMemHeapHandle_t register_heap(nvtxDomainHandle_t, const nvtxMemHeapDesc_t* heap) {
  const auto* const range = static_cast<const nvtxMemVirtualRangeDesc_t*>(heap->typeSpecificDesc);
  write_line({{"event", "heap"},
              {"usage", heap->usage},
              {"address", reinterpret_cast<std::uintptr_t>(range->ptr)},
              {"bytes", range->size}});
  return new_handle<nvtxMemHeapHandle_t>(std::to_string(reinterpret_cast<std::uintptr_t>(range->ptr)));
}

void unregister_heap(nvtxDomainHandle_t, nvtxMemHeapHandle_t heap) {
  write_line({{"event", "heap_end"}, {"address", std::stoull(text_of(heap))}});
}

void register_regions(nvtxDomainHandle_t, const nvtxMemRegionsRegisterBatch_t* batch) {
  const auto* const range = static_cast<const nvtxMemVirtualRangeDesc_t*>(batch->regionDescElements);
  write_line({{"event", "region"},
              {"heap", std::stoull(text_of(batch->heap))},
              {"address", reinterpret_cast<std::uintptr_t>(range->ptr)},
              {"bytes", range->size}});
}

void unregister_regions(nvtxDomainHandle_t, const nvtxMemRegionsUnregisterBatch_t* batch) {
  write_line(
      {{"event", "region_end"}, {"address", reinterpret_cast<std::uintptr_t>(batch->refElements->pointer)}});
}

template <typename Function>
void set(NvtxFunctionTable table, unsigned int slot, Function function) {
  *table[slot] = reinterpret_cast<NvtxFunctionPointer>(function);
}

std::string_view extensions() {
  const char* const wanted = std::getenv("STRATA_TEST_NVTX_EXTENSIONS");
  return wanted == nullptr ? "all" : wanted;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVTX looks for these names
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0)
    return 0;
  set(table, NVTX_CBID_CORE_NameOsThreadA, &name_thread);
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  set(table, NVTX_CBID_CORE2_DomainCreateA, &domain_create);
  set(table, NVTX_CBID_CORE2_DomainDestroy, &domain_destroy);
  set(table, NVTX_CBID_CORE2_DomainRegisterStringA, &register_string);
  set(table, NVTX_CBID_CORE2_DomainNameCategoryA, &name_category);
  set(table, NVTX_CBID_CORE2_DomainRangePushEx, &push);
  set(table, NVTX_CBID_CORE2_DomainRangePop, &pop);
  set(table, NVTX_CBID_CORE2_DomainRangeStartEx, &start);
  set(table, NVTX_CBID_CORE2_DomainRangeEnd, &end);
  set(table, NVTX_CBID_CORE2_DomainMarkEx, &mark);
  write_line({{"event", "init"}});
  return 1;
}

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t* module) {
  const std::string_view known = extensions();
  if (known == "none") return 0;
  std::intptr_t* const slots = module->segments[0].functionSlots;
  const auto fill = [slots](unsigned int slot, auto function) {
    slots[slot] = reinterpret_cast<std::intptr_t>(function);
  };
  switch (module->moduleId) {
    case NVTX_EXT_PAYLOAD_MODULEID:
      fill(NVTX3EXT_CBID_nvtxPayloadSchemaRegister, &register_schema);
      if (known != "schemas") fill(NVTX3EXT_CBID_nvtxRangePopPayload, &pop_with_payload);
      break;
    case NVTX_EXT_COUNTERS_MODULEID:
      fill(NVTX3EXT_CBID_nvtxCounterRegister, &register_counter);
      fill(NVTX3EXT_CBID_nvtxCounterSampleInt64, &sample_counter);
      break;
    case NVTX_EXT_MODULEID_MEM:
      fill(NVTX3EXT_CBID_nvtxMemHeapRegister, &register_heap);
      fill(NVTX3EXT_CBID_nvtxMemHeapUnregister, &unregister_heap);
      fill(NVTX3EXT_CBID_nvtxMemRegionsRegister, &register_regions);
      fill(NVTX3EXT_CBID_nvtxMemRegionsUnregister, &unregister_regions);
      break;
    default:
      return 0;
  }
  write_line({{"event", "init_extension"}, {"module", module->moduleId}});
  return 1;
}
// NOLINTEND(readability-identifier-naming)
