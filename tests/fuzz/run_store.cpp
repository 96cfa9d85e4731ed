// SPDX-License-Identifier: Apache-2.0
// Damaged or inconsistent run stores. `strata report` and `strata export` process the store completely, or
// reject it by name.
//
// An input is a list of changes to the stores of two ranks, whose runs were played by event_player.hpp:
//
//   set TABLE COLUMN ROW VALUE          of one row, counted from 0, or of all rows: *
//   copy TABLE ROW, delete TABLE ROW    the same
//   drop TABLE, rename TABLE COLUMN
//   byte PLACE VALUE, cut BYTES         in the file, applied last
//   rank N                              following lines change that rank's store
//   device NAME                         the device whose memory is read
//
// VALUE is a number, NULL, a word, or hexadecimal digits: of a text after a t, of a blob after an x.
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/event_player.hpp"
#include "tests/fuzz/line_mutator.hpp"
#include "tests/fuzz/read_run.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::fuzz {
namespace {

constexpr std::size_t kMostChanges = 40;

struct TableShape {
  std::string name;
  std::vector<std::string> columns;
};

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The stores to change, and their tables; made once per process.
class Original {
 public:
  static const Original& of_this_process() {
    static const Original only;
    return only;
  }

  const std::string& store() const { return store_; }
  const std::string& manifest() const { return manifest_; }
  const std::vector<TableShape>& tables() const { return tables_; }

 private:
  Original() {
    const test::TemporaryFolder folder;
    EventPlayer(folder.path(), kScript).play();
    const std::filesystem::path file = folder.path() / "rank0" / (std::to_string(getpid()) + ".sqlite");
    read_shapes(file);
    store_ = content_of(file);
    manifest_ = content_of(folder.path() / "manifest.json");
  }

  void read_shapes(const std::filesystem::path& file) {
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    // A small store is copied and damaged faster; the journal is merged into it.
    sqlite3_exec(database, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM", nullptr, nullptr,
                 nullptr);
    const auto add = [](void* tables, int, char** values, char**) {
      auto& list = *static_cast<std::vector<TableShape>*>(tables);
      if (list.empty() || list.back().name != values[0]) list.push_back({values[0], {}});
      list.back().columns.emplace_back(values[1]);
      return 0;
    };
    sqlite3_exec(database,
                 "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type "
                 "= 'table'",
                 add, &tables_, nullptr);
    sqlite3_close(database);
    expect(tables_.size() > 10, "the run that is changed was recorded");
  }

  static const std::string kScript;
  std::string store_, manifest_;
  std::vector<TableShape> tables_;
};

// One event of each kind that plugins record.
const std::string Original::kScript = [] {
  std::string script = "window 0 1 1\nrun\nmemory 1 4096 1024\ntensor 0 4096 1024 layers.0.weight\nready\n";
  for (int step = 0; step < 3; ++step) {
    script +=
        "step " + std::to_string(step) +
        " 1\nphase 4 forward\nmodule 0 layers.0\nop 0 aten::mm\nmemory 1 8192 512\ngraph 1 1 8192 512\n"
        "activity 5 1000 2000 7 cudaLaunchKernel\nactivity 1 3000 4000 7 gemm\nactivity 9 5 5 0 module\n"
        "end_op 99\nend_module 99\nmemory 1 12288 64\nend_phase 99\n"
        "phase 6 backward\nop 1 MmBackward0 1\nmemory 1 16384 1024\ntensor 3 16384 1024 layers.0.weight "
        "4096\n"
        "graph 2 1 8192 512\nmemory 2 8192\nend_op 99\nend_phase 99\n"
        "phase 9 optimizer\nmemory 1 32768 2048\ntensor 4 32768 2048 exp_avg 4096\nmemory 1 65536 96\n"
        "memory 2 65536\nend_phase 99\nmemory 2 16384\nmemory 2 12288\nmemory 2 32768\n"
        "memory 3 1000000 4096 1\nmemory 1 1000000 512 1\nmemory 6 1000000 0 1\nmemory 2 1000000 0 1\n"
        "memory 7 1000000 0 1\nmemory 5 0 99999 1\nend_step 1\n";
  }
  return script + "end_run 0\n";
}();

// The words of a line; missing ones are empty.
struct Change {
  explicit Change(const std::string& line) {
    std::istringstream stream(line);
    for (std::string& word : words) stream >> word;
  }
  std::array<std::string, 5> words;
};

std::string in_quotes(std::string_view name, char quote) {
  std::string text(1, quote);
  for (const char letter : name) text += letter == quote ? std::string(2, quote) : std::string(1, letter);
  return text + quote;
}

std::string value_of(const std::string& word) {
  const auto is_of = [&](std::string_view letters, std::size_t from) {
    return word.size() > from && word.find_first_not_of(letters, from) == std::string::npos;
  };
  if (word == "NULL" || is_of("-0123456789.e", 0)) return word;
  if (word.size() % 2 == 1 && is_of("0123456789abcdef", 1)) {
    std::string blob = "x" + in_quotes(word.substr(1), '\'');
    if (word.front() == 'x') return blob;
    if (word.front() == 't') return "CAST(" + blob + " AS TEXT)";
  }
  return in_quotes(word, '\'');
}

std::string where(const std::string& table, const std::string& row) {
  if (row == "*") return {};
  // The two tables without a rowid are changed as a whole.
  return " WHERE rowid IN (SELECT rowid FROM " + in_quotes(table, '"') + " LIMIT 1 OFFSET " +
         std::to_string(std::strtoul(row.c_str(), nullptr, 10)) + ")";
}

// Empty if the change does not concern rows.
std::string sql_of(const Change& change) {
  const auto& [word, table, second, third, fourth] = change.words;
  const std::string name = in_quotes(table, '"');
  if (word == "set")
    return "UPDATE " + name + " SET " + in_quotes(second, '"') + " = " + value_of(fourth) +
           where(table, third);
  if (word == "copy") return "INSERT INTO " + name + " SELECT * FROM " + name + where(table, second);
  if (word == "delete") return "DELETE FROM " + name + where(table, second);
  if (word == "drop") return "DROP TABLE " + name;
  if (word == "rename")
    return "ALTER TABLE " + name + " RENAME COLUMN " + in_quotes(second, '"') + " TO renamed";
  return {};
}

void change_bytes(std::string& store, const Change& change) {
  const std::size_t place = std::strtoul(change.words[1].c_str(), nullptr, 10);
  if (change.words[0] == "byte" && !store.empty())
    store[place % store.size()] = static_cast<char>(std::strtoul(change.words[2].c_str(), nullptr, 10));
  if (change.words[0] == "cut") store.resize(place % (store.size() + 1));
}

class ChangedRun {
 public:
  ChangedRun() : stores_{Original::of_this_process().store(), {}} {}

  void change(const std::string& line) {
    const Change change(line);
    if (change.words[0] == "rank") {
      rank_ = change.words[1] == "1" ? 1 : 0;
      if (stores_[1].empty()) stores_[1] = Original::of_this_process().store();
    } else if (change.words[0] == "device") {
      device_ = change.words[1];
    } else if (const std::string sql = sql_of(change); !sql.empty()) {
      statements_[rank_] += sql + ";";
    } else {
      bytes_[rank_].push_back(change);
    }
  }

  const std::string& device() const { return device_; }

  void write(const test::TemporaryFolder& folder) {
    std::filesystem::remove_all(folder.path() / "rank1");
    folder.write("manifest.json", Original::of_this_process().manifest());
    for (const std::size_t rank : {0u, 1u}) {
      if (stores_[rank].empty()) continue;
      const std::string name = "rank" + std::to_string(rank) + "/" + std::to_string(7 + rank) + ".sqlite";
      const std::filesystem::path file = folder.write(name, stores_[rank]);
      if (rank == 1) folder.write("rank1/manifest.json", Original::of_this_process().manifest());
      run_sql(file, statements_[rank]);
      if (bytes_[rank].empty()) continue;
      std::string content = content_of(file);
      for (const Change& change : bytes_[rank]) change_bytes(content, change);
      folder.write(name, content);
    }
  }

 private:
  // A statement that fails does not prevent the others.
  static void run_sql(const std::filesystem::path& file, const std::string& sql) {
    if (sql.empty()) return;
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    sqlite3_exec(database, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", nullptr, nullptr, nullptr);
    for (std::size_t from = 0; from < sql.size();) {
      const std::size_t end = sql.find(';', from);
      sqlite3_exec(database, sql.substr(from, end - from).c_str(), nullptr, nullptr, nullptr);
      from = end + 1;
    }
    sqlite3_close(database);
  }

  std::size_t rank_ = 0;
  std::array<std::string, 2> stores_, statements_;
  std::array<std::vector<Change>, 2> bytes_;
  std::string device_;
};

std::string new_change(Random& random) {
  const std::vector<TableShape>& tables = Original::of_this_process().tables();
  const TableShape& table = tables[random() % tables.size()];
  const std::string& column = table.columns[random() % table.columns.size()];
  const std::string row = random() % 4 == 0 ? "*" : std::to_string(random() % 20);
  constexpr std::array kValues{
      "NULL",    "-1", "-9223372036854775808",     "1e308", "nan", "text", "x00ff", "t1b5b33316d",
      "t610afe", "0",  "<script>alert(1)</script>"};
  const std::string value = random() % 2 == 0 ? kValues[random() % kValues.size()]
                                              : std::to_string(static_cast<std::int64_t>(odd_number(random)));
  switch (random() % 16) {
    case 0:
      return "copy " + table.name + " " + row;
    case 1:
      return "delete " + table.name + " " + row;
    case 2:
      return random() % 2 == 0 ? "drop " + table.name : "rename " + table.name + " " + column;
    case 3:
      return "byte " + std::to_string(random() % 100'000) + " " + std::to_string(random() % 256);
    case 4:
      return random() % 2 == 0 ? "rank 1"
                               : std::array{"device cuda:0", "device pinned", "rank 0"}[random() % 3];
    default:
      return "set " + table.name + " " + column + " " + row + " " + value;
  }
}

void read(const std::string& changes) {
  static const test::TemporaryFolder folder;
  ChangedRun run;
  std::istringstream lines(changes);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line) && count < kMostChanges; ++count) {
    if (line.find(';') == std::string::npos) run.change(line);
  }
  run.write(folder);
  read_run(folder.path(), run.device());
}

}  // namespace
}  // namespace strata::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  return strata::fuzz::mutate_lines(data, size, max_size, seed, strata::fuzz::new_change);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strata::fuzz::read(strata::fuzz::text_of(data, size));
  return 0;
}
