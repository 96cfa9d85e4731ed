// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/store_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/runtime/clock.hpp"
#include "host/runtime/store/store_schema.hpp"

namespace strata {
namespace {

// A reader may hold the file for a moment; so may another process that recovers it.
constexpr int kBusyTimeoutMs = 1000;

constexpr std::uint64_t kPageBytes = 4096;

// The name of the staged rows, as a database attached to the store's.
constexpr const char* kStage = "stage";

void distrust(SqliteConnection& connection) {
  constexpr std::pair<int, int> kSettings[] = {{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                               {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                               {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                               {SQLITE_DBCONFIG_DEFENSIVE, 1}};
  for (const auto& [setting, value] : kSettings) sqlite3_db_config(connection.get(), setting, value, nullptr);
}

SqliteConnection open_connection(const std::filesystem::path& file, StoreOrigin origin) {
  SqliteConnection connection(file);
  if (origin == StoreOrigin::kAnybody) distrust(connection);
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
    columns += fmt::format("{}\"{}\"{}", columns.empty() ? "" : ", ", column.name, sql_type(column.type));
  }
  return fmt::format("CREATE TABLE IF NOT EXISTS \"{}\" ({})", table.name, columns);
}

}  // namespace

struct StoreDatabase::Statements {
  explicit Statements(SqliteConnection& connection)
      : begin(connection, "BEGIN IMMEDIATE"),
        commit(connection, "COMMIT"),
        text(connection, "INSERT OR IGNORE INTO string VALUES (?, ?)"),
        fact(connection, "INSERT OR REPLACE INTO meta VALUES (?, ?)"),
        gap(connection, "INSERT OR IGNORE INTO gap VALUES (?, ?, ?, ?, ?)"),
        dropped(connection,
                "INSERT INTO gap VALUES (?, ?, ?, ?, ?) ON CONFLICT(table_name, thread, begin_ns) "
                "DO UPDATE SET rows = rows + excluded.rows, end_ns = excluded.end_ns"),
        drained(connection, "SELECT drained_bytes FROM spool WHERE file = ?"),
        set_drained(connection, "INSERT OR REPLACE INTO spool VALUES (?, ?)") {}
  SqliteStatement begin;
  SqliteStatement commit;
  SqliteStatement text;
  SqliteStatement fact;
  SqliteStatement gap;
  SqliteStatement dropped;  // of a full store: one gap for each table and thread
  SqliteStatement drained;
  SqliteStatement set_drained;
};

StoreDatabase::StoreDatabase(const std::filesystem::path& file, StoreOrigin origin)
    : connection_(open_connection(file, origin)), statements_(std::make_unique<Statements>(connection_)) {}

StoreDatabase::~StoreDatabase() = default;

void StoreDatabase::begin() {
  if (!staged_rows_.is_empty()) connection_.show(kStage, staged_rows_.finish());
  statements_->begin.run();
}

void StoreDatabase::commit() {
  statements_->commit.run();
}

void StoreDatabase::rollback() noexcept {
  clear_stage();
  for (auto& [key, drop] : drops_) drop.rows = 0;  // they are found again
  // Some errors roll back by themselves; there is then nothing left to do.
  if (sqlite3_get_autocommit(connection_.get()) == 0) {
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void StoreDatabase::prepare_thinning(std::uint64_t log_bytes) {
  connection_.execute(
      fmt::format("PRAGMA wal_autocheckpoint = {}; PRAGMA journal_size_limit = {}; "
                  "PRAGMA cache_size = -16384",
                  std::max<std::uint64_t>(log_bytes / kPageBytes, 64), log_bytes));
  thinner_ = std::make_unique<StoreThinner>(connection_);
}

// Without steps and phases the rest means little, and they are few.
bool StoreDatabase::may_be_dropped(const Table& table) {
  return table.plugin != "host" || table.name == "host_tensor" || table.name.starts_with("host_module_");
}

std::uint64_t StoreDatabase::define_drops() {
  std::uint64_t all = 0;
  for (auto& [key, drop] : drops_) {
    if (drop.rows == 0) continue;
    SqliteStatement& add = statements_->dropped;
    add.bind(1, tables_[key.first]->table.name).bind(2, std::int64_t{key.second});
    add.bind(3, static_cast<std::int64_t>(drop.rows)).bind(4, drop.begin_ns).bind(5, monotonic_ns()).run();
    all += std::exchange(drop.rows, 0);
  }
  return all;
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
  if (thinner_) thinner_->add_table(table);
  tables_.at(definition.handle) = std::make_unique<OpenTable>(definition);
}

void StoreDatabase::define_one(const TextDefinition& definition) {
  statements_->text.bind(1, std::int64_t{definition.id}).bind(2, definition.text).run();
}

void StoreDatabase::define_one(const Fact& fact) {
  set_meta(fact.key, fact.value);
}

void StoreDatabase::expect_defined(const Gap& gap) const {
  if (gap.table > kMaximumTables || tables_[gap.table] == nullptr) {
    throw SpoolError(fmt::format("a gap of table {}, which is not defined", gap.table));
  }
}

void StoreDatabase::define_one(const Gap& gap) {
  expect_defined(gap);
  statements_->gap.bind(1, tables_[gap.table]->table.name).bind(2, std::int64_t{gap.thread});
  statements_->gap.bind(3, static_cast<std::int64_t>(gap.rows))
      .bind(4, gap.begin_ns)
      .bind(5, gap.end_ns)
      .run();
}

StoreDatabase::OpenTable::OpenTable(const TableDefinition& definition)
    : table(definition.table), staged(fmt::format("t{}", definition.handle), table) {}

std::uint64_t StoreDatabase::stage_rows(SpoolReader& reader, std::uint64_t maximum_rows,
                                        std::uint32_t thread) {
  std::uint64_t rows = 0;
  while (rows < maximum_rows) {
    SpoolReader ahead = reader;
    const auto record = ahead.next();
    if (record && record->table == kGapRecord) {
      if (record->payload.size() != sizeof(Gap)) throw SpoolError("a gap record with a wrong size");
      Gap gap;
      std::memcpy(&gap, record->payload.data(), sizeof gap);
      expect_defined(gap);
      staged_gaps_.push_back(gap);
    } else if (record) {
      if (!stage_record(*record, reader.position(), thread)) {
        is_stage_full_ = true;
        break;
      }
      ++rows;
    }
    reader = ahead;
    if (!record) break;
  }
  return rows;
}

// False when there is no room for it.
bool StoreDatabase::stage_record(const SpoolRecord& record, std::uint64_t position, std::uint32_t thread) {
  OpenTable* open = record.table <= kMaximumTables ? tables_[record.table].get() : nullptr;
  if (open == nullptr || open->table.row_bytes != record.payload.size()) {
    throw SpoolError(fmt::format("the record at position {} ({} bytes) is not a row of table {}", position,
                                 record.payload.size(), record.table));
  }
  if (!is_dropping_ || !may_be_dropped(open->table)) {
    return staged_rows_.add(open->staged, record.payload.data());
  }
  Drop& drop = drops_[{record.table, thread}];
  if (drop.begin_ns == 0) drop.begin_ns = monotonic_ns();
  ++drop.rows;
  return true;
}

void StoreDatabase::insert_rows() {
  for (const auto& open : tables_) {
    if (open == nullptr || !open->staged.has_rows()) continue;
    SqliteStatement(connection_, fmt::format("INSERT INTO main.\"{}\" SELECT * FROM {}.{}", open->table.name,
                                             kStage, open->staged.name()))
        .run();
  }
  for (const Gap& gap : staged_gaps_) define_one(gap);
  clear_stage();
}

void StoreDatabase::clear_stage() noexcept {
  staged_rows_.clear();
  staged_gaps_.clear();
  is_stage_full_ = false;
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

// Each reader of a file in WAL mode would create two more files next to it.
void StoreDatabase::leave_one_file() {
  try {
    connection_.execute("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
  } catch (const SqliteError&) {
    // Somebody reads it now: then it stays as it is.
  }
}

void StoreDatabase::close() {
  thinner_.reset();
  for (auto& table : tables_) table.reset();
  statements_.reset();
  connection_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  leave_one_file();
  connection_.close();
}

}  // namespace strata
