// SPDX-License-Identifier: Apache-2.0
// Writes the binary seeds: `fuzz_write_seeds CORPUS-FOLDER` (tests/fuzz/make_corpus.py calls it).
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "host/runtime/store/definition_log.hpp"
#include "sources/cupti/records/records.hpp"
#include "tests/fuzz/crashed_spools.hpp"
#include "tests/runtime/counted_row.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::fuzz {
namespace {

using Bytes = std::string;

void write(const std::filesystem::path& file, const Bytes& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

template <typename T>
Bytes bytes_of(const T& value) {
  return {static_cast<const char*>(static_cast<const void*>(&value)), sizeof value};
}

// In the form that cupti_records.cpp reads: kind, step, length in 8 bytes, content.
template <typename Record>
Bytes record(CUpti_ActivityKind kind, Record value) {
  value.kind = kind;
  const std::size_t eights = (sizeof value + 7) / 8;
  Bytes bytes{static_cast<char>(kind), 0, static_cast<char>(eights)};
  bytes += bytes_of(value);
  bytes.resize(3 + 8 * eights);
  return bytes;
}

template <typename Record>
Record timed(std::uint32_t call) {
  Record record{};
  record.start = 1000;
  record.end = 3000;
  record.correlationId = call;
  return record;
}

void write_records(const std::filesystem::path& folder) {
  CUpti_ActivityExternalCorrelation external{};
  external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
  external.externalId = 2;
  external.correlationId = 41;
  CUpti_ActivityAPI call = timed<CUpti_ActivityAPI>(41);
  call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
  CUpti_ActivityContext3 context{};
  context.contextId = 5;
  CUpti_ActivityModule module{};
  module.contextId = 5;
  CUpti_ActivityMemory4 memory{};
  memory.timestamp = 2000;
  CUpti_ActivityMemoryPool3 pool{};
  pool.timestamp = 2000;
  CUpti_ActivityGraphTrace2 graph = timed<CUpti_ActivityGraphTrace2>(41);
  CUpti_ActivityOverhead3 overhead{};
  overhead.start = 10;
  overhead.end = 20;
  CUpti_ActivityJit2 jit{};
  jit.start = 10;
  jit.end = 20;
  const Bytes settings(1, '\0');
  const Bytes kernel = record(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, timed<CUpti_ActivityKernel10>(41));
  const Bytes launch =
      record(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, external) + record(CUPTI_ACTIVITY_KIND_RUNTIME, call);
  write(folder / "launch-and-kernel", settings + launch + kernel);
  write(folder / "kernel-before-its-launch", settings + kernel + launch);
  write(folder / "copies-and-sets",
        settings + record(CUPTI_ACTIVITY_KIND_MEMCPY, timed<CUpti_ActivityMemcpy6>(41)) +
            record(CUPTI_ACTIVITY_KIND_MEMCPY2, timed<CUpti_ActivityMemcpyPtoP4>(42)) +
            record(CUPTI_ACTIVITY_KIND_MEMSET, timed<CUpti_ActivityMemset4>(43)));
  write(folder / "graph-and-wait",
        settings + record(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, graph) +
            record(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, timed<CUpti_ActivitySynchronization2>(41)));
  write(folder / "what-the-host-did",
        settings + record(CUPTI_ACTIVITY_KIND_CONTEXT, context) + record(CUPTI_ACTIVITY_KIND_MODULE, module) +
            record(CUPTI_ACTIVITY_KIND_MEMORY2, memory) + record(CUPTI_ACTIVITY_KIND_MEMORY_POOL, pool) +
            record(CUPTI_ACTIVITY_KIND_OVERHEAD, overhead) + record(CUPTI_ACTIVITY_KIND_JIT, jit));
}

// As a store with one plugin's table writes them.
Bytes definitions() {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / kDefinitionFile;
  DefinitionLog log(file);
  log.append(TableDefinition{1, copy_table("plugin", counted_table())});
  log.append(TextDefinition{1, "a text"});
  log.append(Fact{"name", "run"});
  log.append(Gap{1, 7, 3, 10, 20});
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Bytes rows(std::uint64_t count, std::uint32_t table) {
  Bytes bytes;
  for (std::uint64_t row = 0; row < count; ++row) {
    bytes += bytes_of(RecordHeader{table, sizeof(CountedRow)}) +
             bytes_of(CountedRow{.count = row, .writer = 1, .thread = 7, .filler = {}});
    bytes.resize(static_cast<std::size_t>((row + 1) * record_bytes(sizeof(CountedRow))));
  }
  return bytes;
}

void write_spools(const std::filesystem::path& folder) {
  const Bytes defined = definitions();
  const auto input = [&](const Bytes& patches, const Bytes& ring) {
    const auto length = static_cast<std::uint16_t>(defined.size());
    return Bytes(1, static_cast<char>(patches.size() / 10)) + patches + bytes_of(length) + defined + ring;
  };
  const auto patch = [](std::size_t offset, std::uint64_t value) {
    return bytes_of(static_cast<std::uint16_t>(offset)) + bytes_of(value);
  };
  write(folder / "three-rows", input("", rows(3, 1)));
  // The first byte is a multiple of kMostPatches + 1: no patch.
  for (const auto& [name, kind] : {std::pair("beside-a-store-with-triggers", kTriggers + 2),
                                   std::pair("beside-a-store-with-a-view", kView + 3)})
    write(folder / name, static_cast<char>(kind) + input("", rows(3, 1)).substr(1));
  write(folder / "rows-of-no-table", input("", rows(1, 1) + rows(1, 9)));
  write(folder / "a-gap-among-rows", input("", rows(1, 1) + bytes_of(RecordHeader{kGapRecord, sizeof(Gap)}) +
                                                   bytes_of(Gap{1, 7, 2, 1, 2})));
  write(folder / "more-written-than-there-is",
        input(patch(offsetof(SpoolHeader, written), std::uint64_t{1} << 50), rows(1, 1)));
  write(folder / "rows-up-to-the-end-of-the-ring",
        input(patch(offsetof(SpoolHeader, written), kMinimumSpoolBytes), rows(2, 1)));
  const Bytes short_row = bytes_of(RecordHeader{1, 8}) + bytes_of(std::uint64_t{5});
  write(folder / "short-rows-up-to-the-end-of-the-ring",
        input(patch(offsetof(SpoolHeader, written), kMinimumSpoolBytes), short_row));
  write(folder / "an-open-gap", input(patch(offsetof(SpoolHeader, gaps) + sizeof(Gap), 1) +
                                          patch(offsetof(SpoolHeader, gaps) + sizeof(Gap) + 8, 5),
                                      rows(1, 1)));
}

}  // namespace
}  // namespace strata::fuzz

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::filesystem::path corpus = arguments[1];
  strata::fuzz::write_records(corpus / "cupti_records");
  strata::fuzz::write_spools(corpus / "crashed_spools");
  return 0;
}
