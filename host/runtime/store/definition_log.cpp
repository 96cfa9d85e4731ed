// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/definition_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace strata {
namespace {

constexpr std::string_view kMagic = "STRDEFS1";
constexpr std::uint32_t kMaximumEntryBytes = std::uint32_t{16} << 20;

struct EntryHeader {
  std::uint32_t kind;   // the index of Definition's alternative
  std::uint32_t bytes;  // of the payload
};

class Encoder {
 public:
  void number(std::uint32_t value) { raw(value); }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }
  template <typename T>
  void raw(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t number() { return raw<std::uint32_t>(); }
  std::string text() { return std::string(take(number())); }
  template <typename T>
  T raw() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  void finish() const {
    if (!bytes_.empty()) throw std::runtime_error("an entry is longer than its content");
  }

 private:
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw std::runtime_error("an entry is shorter than its content");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::string_view bytes_;
};

void encode(Encoder& encoder, const TableDefinition& definition) {
  const Table& table = definition.table;
  encoder.number(definition.handle);
  encoder.text(table.name);
  encoder.text(table.plugin);
  encoder.text(table.help);
  encoder.number(table.row_bytes);
  encoder.number(static_cast<std::uint32_t>(table.columns.size()));
  for (const Column& column : table.columns) {
    encoder.text(column.name);
    encoder.number(column.type);
    encoder.number(column.offset);
    encoder.text(column.unit);
    encoder.text(column.help);
  }
}
void encode(Encoder& encoder, const TextDefinition& definition) {
  encoder.number(definition.id);
  encoder.text(definition.text);
}
void encode(Encoder& encoder, const Fact& fact) {
  encoder.text(fact.key);
  encoder.text(fact.value);
}
void encode(Encoder& encoder, const Gap& gap) {
  encoder.raw(gap);
}

TableDefinition decode_table(Decoder& decoder) {
  TableDefinition definition;
  Table& table = definition.table;
  definition.handle = decoder.number();
  if (definition.handle == 0 || definition.handle > kMaximumTables) {
    throw std::runtime_error(fmt::format("table handle {} is not possible", definition.handle));
  }
  table.name = decoder.text();
  table.plugin = decoder.text();
  table.help = decoder.text();
  table.row_bytes = decoder.number();
  for (std::uint32_t count = decoder.number(); count > 0; --count) {
    Column column;
    column.name = decoder.text();
    column.type = decoder.number();
    column.offset = decoder.number();
    column.unit = decoder.text();
    column.help = decoder.text();
    table.columns.push_back(std::move(column));
  }
  check_table(table);
  return definition;
}

Definition decode(std::uint32_t kind, std::string_view payload) {
  Decoder decoder(payload);
  Definition definition;
  switch (kind) {
    case 0:
      definition = decode_table(decoder);
      break;
    case 1: {
      const std::uint32_t id = decoder.number();
      definition = TextDefinition{id, decoder.text()};
      break;
    }
    case 2: {
      std::string key = decoder.text();
      definition = Fact{std::move(key), decoder.text()};
      break;
    }
    case 3:
      definition = decoder.raw<Gap>();
      break;
    default:
      throw std::runtime_error(fmt::format("entry kind {} is unknown", kind));
  }
  decoder.finish();
  return definition;
}

}  // namespace

DefinitionLog::DefinitionLog(const std::filesystem::path& file)
    : file_(file),
      descriptor_(open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)),
      pending_(kMagic) {
  const int error = descriptor_ < 0 ? errno : write_pending();
  if (error != 0) throw std::system_error(error, std::generic_category(), "create " + file.string());
}

DefinitionLog::~DefinitionLog() {
  close(descriptor_);
}

void DefinitionLog::append(const Definition& definition) {
  Encoder payload;
  std::visit([&payload](const auto& alternative) { encode(payload, alternative); }, definition);
  Encoder header;
  header.raw(EntryHeader{static_cast<std::uint32_t>(definition.index()),
                         static_cast<std::uint32_t>(payload.bytes().size())});
  const std::lock_guard lock(mutex_);
  pending_ += header.bytes();
  pending_ += payload.bytes();
  write_pending();
}

void DefinitionLog::flush() {
  const std::lock_guard lock(mutex_);
  if (const int error = write_pending(); error != 0) {
    throw std::system_error(error, std::generic_category(), "write " + file_.string());
  }
}

int DefinitionLog::write_pending() noexcept {
  while (!pending_.empty()) {
    const ssize_t written = write(descriptor_, pending_.data(), pending_.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    pending_.erase(0, static_cast<std::size_t>(written));
  }
  return 0;
}

DefinitionBatch read_definitions(const std::filesystem::path& file, std::uint64_t from) {
  std::ifstream stream(file, std::ios::binary);
  DefinitionBatch batch;
  batch.end = from;
  if (from == 0) {
    std::string magic(kMagic.size(), '\0');
    stream.read(magic.data(), static_cast<std::streamsize>(magic.size()));
    if (!stream || magic != kMagic) throw std::runtime_error("does not begin with STRDEFS1");
    batch.end = kMagic.size();
  } else {
    stream.seekg(static_cast<std::streamoff>(from));
  }
  if (!stream) throw std::runtime_error("cannot be read");
  EntryHeader header{};
  std::string payload;
  while (stream.read(reinterpret_cast<char*>(&header), sizeof header)) {
    try {
      if (header.bytes > kMaximumEntryBytes) {
        throw std::runtime_error(fmt::format("an entry of {} bytes is not possible", header.bytes));
      }
      payload.resize(header.bytes);
      if (!stream.read(payload.data(), header.bytes)) break;
      batch.definitions.push_back(decode(header.kind, payload));
    } catch (const std::exception& error) {
      batch.problem = fmt::format("at byte {}: {}", batch.end, error.what());
      break;
    }
    batch.end += sizeof header + header.bytes;
  }
  return batch;
}

}  // namespace strata
