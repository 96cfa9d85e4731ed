#include "host/runtime/store_database.hpp"

#include <fmt/format.h>

#include <cstring>

#include "host/runtime/store_schema.hpp"

namespace strata {
namespace {

// A reader may hold the file for a moment; so may another process that recovers it.
constexpr int kBusyTimeoutMs = 1000;

SqliteConnection open_connection(const std::filesystem::path& file) {
  SqliteConnection connection(file);
  sqlite3_busy_timeout(connection.get(), kBusyTimeoutMs);
  connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8192;");
  connection.execute("BEGIN IMMEDIATE");
  create_base_tables(connection);
  connection.execute("COMMIT");
  return connection;
}

const char* type_name(std::uint32_t type) {
  switch (type) {
    case STRATA_COLUMN_UINT32:
      return "uint32";
    case STRATA_COLUMN_INT64:
      return "int64";
    case STRATA_COLUMN_UINT64:
      return "uint64";
    case STRATA_COLUMN_REAL:
      return "real";
    default:
      return "string";
  }
}

std::string create_table_sql(const Table& table) {
  std::string columns;
  for (const Column& column : table.columns) {
    columns += fmt::format("{}\"{}\" {}", columns.empty() ? "" : ", ", column.name,
                           column.type == STRATA_COLUMN_REAL ? "REAL" : "INTEGER");
  }
  return fmt::format("CREATE TABLE IF NOT EXISTS \"{}\" ({})", table.name, columns);
}

std::string insert_row_sql(const Table& table) {
  std::string parameters = "?";
  for (std::size_t column = 1; column < table.columns.size(); ++column) parameters += ", ?";
  return fmt::format("INSERT INTO \"{}\" VALUES ({})", table.name, parameters);
}

template <typename T>
T read_field(std::span<const std::byte> row, std::uint32_t offset) {
  T value;
  std::memcpy(&value, row.data() + offset, sizeof value);
  return value;
}

}  // namespace

struct StoreDatabase::Statements {
  explicit Statements(SqliteConnection& connection)
      : text(connection, "INSERT OR IGNORE INTO string VALUES (?, ?)"),
        fact(connection, "INSERT OR REPLACE INTO meta VALUES (?, ?)"),
        gap(connection, "INSERT OR IGNORE INTO gap VALUES (?, ?, ?, ?, ?)"),
        drained(connection, "SELECT drained_bytes FROM spool WHERE file = ?"),
        set_drained(connection, "INSERT OR REPLACE INTO spool VALUES (?, ?)") {}
  SqliteStatement text;
  SqliteStatement fact;
  SqliteStatement gap;
  SqliteStatement drained;
  SqliteStatement set_drained;
};

StoreDatabase::StoreDatabase(const std::filesystem::path& file)
    : connection_(open_connection(file)), statements_(std::make_unique<Statements>(connection_)) {}

StoreDatabase::~StoreDatabase() = default;

void StoreDatabase::begin() {
  connection_.execute("BEGIN IMMEDIATE");
}

void StoreDatabase::commit() {
  connection_.execute("COMMIT");
}

void StoreDatabase::rollback() noexcept {
  // Some errors roll back by themselves; there is then nothing left to do.
  if (sqlite3_get_autocommit(connection_.get()) == 0) {
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void StoreDatabase::define(const Definition& definition) {
  std::visit([this](const auto& alternative) { define_one(alternative); }, definition);
}

void StoreDatabase::define_one(const TableDefinition& definition) {
  const Table& table = definition.table;
  connection_.execute(create_table_sql(table));
  SqliteStatement table_info(connection_, "INSERT OR REPLACE INTO table_info VALUES (?, ?, ?)");
  table_info.bind(1, table.name).bind(2, table.plugin).bind(3, table.help).run();
  SqliteStatement column_info(connection_, "INSERT OR REPLACE INTO column_info VALUES (?, ?, ?, ?, ?, ?)");
  for (std::size_t position = 0; position < table.columns.size(); ++position) {
    const Column& column = table.columns[position];
    column_info.bind(1, table.name).bind(2, static_cast<std::int64_t>(position)).bind(3, column.name);
    column_info.bind(4, std::string_view(type_name(column.type)))
        .bind(5, column.unit)
        .bind(6, column.help)
        .run();
  }
  create_views(connection_);
  tables_.at(definition.handle) =
      std::make_unique<OpenTable>(OpenTable{table, SqliteStatement(connection_, insert_row_sql(table))});
}

void StoreDatabase::define_one(const TextDefinition& definition) {
  statements_->text.bind(1, std::int64_t{definition.id}).bind(2, definition.text).run();
}

void StoreDatabase::define_one(const Fact& fact) {
  set_meta(fact.key, fact.value);
}

void StoreDatabase::define_one(const Gap& gap) {
  if (gap.table > kMaximumTables || tables_[gap.table] == nullptr) {
    throw SpoolError(fmt::format("a gap of table {}, which is not defined", gap.table));
  }
  statements_->gap.bind(1, tables_[gap.table]->table.name).bind(2, std::int64_t{gap.thread});
  statements_->gap.bind(3, static_cast<std::int64_t>(gap.rows))
      .bind(4, gap.begin_ns)
      .bind(5, gap.end_ns)
      .run();
}

void StoreDatabase::insert_row(OpenTable& open, std::span<const std::byte> row) {
  int parameter = 0;
  for (const Column& column : open.table.columns) {
    ++parameter;
    switch (column.type) {
      case STRATA_COLUMN_UINT32:
      case STRATA_COLUMN_STRING:
        open.insert.bind(parameter, std::int64_t{read_field<std::uint32_t>(row, column.offset)});
        break;
      case STRATA_COLUMN_REAL:
        open.insert.bind(parameter, read_field<double>(row, column.offset));
        break;
      default:  // unsigned ones too, bit for bit
        open.insert.bind(parameter, read_field<std::int64_t>(row, column.offset));
        break;
    }
  }
  open.insert.run();
}

std::uint64_t StoreDatabase::insert_rows(SpoolReader& reader, std::uint64_t maximum_rows) {
  std::uint64_t rows = 0;
  while (rows < maximum_rows) {
    SpoolReader ahead = reader;
    const auto record = ahead.next();
    if (record && record->table == kGapRecord) {
      if (record->payload.size() != sizeof(Gap)) throw SpoolError("a gap record of another size");
      define_one(read_field<Gap>(record->payload, 0));
    } else if (record) {
      OpenTable* open = record->table <= kMaximumTables ? tables_[record->table].get() : nullptr;
      if (open == nullptr || open->table.row_bytes != record->payload.size()) {
        throw SpoolError(fmt::format("the record at position {} ({} bytes) is no row of table {}",
                                     reader.position(), record->payload.size(), record->table));
      }
      insert_row(*open, record->payload);
      ++rows;
    }
    reader = ahead;
    if (!record) break;
  }
  return rows;
}

std::uint64_t StoreDatabase::drained_bytes(const std::string& file) {
  std::uint64_t bytes = 0;
  statements_->drained.bind(1, file);
  while (statements_->drained.next()) bytes = static_cast<std::uint64_t>(statements_->drained.integer(0));
  return bytes;
}

void StoreDatabase::set_drained_bytes(const std::string& file, std::uint64_t bytes) {
  statements_->set_drained.bind(1, file).bind(2, static_cast<std::int64_t>(bytes)).run();
}

void StoreDatabase::set_meta(std::string_view key, std::string_view value) {
  statements_->fact.bind(1, key).bind(2, value).run();
}

std::string StoreDatabase::meta(std::string_view key) {
  std::string value;
  SqliteStatement find(connection_, "SELECT value FROM meta WHERE key = ?");
  find.bind(1, key);
  while (find.next()) value = find.text(0);
  return value;
}

void StoreDatabase::close() {
  for (auto& table : tables_) table.reset();
  statements_.reset();
  connection_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  connection_.close();
}

}  // namespace strata
