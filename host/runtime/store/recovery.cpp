// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "host/runtime/file_lock.hpp"
#include "host/runtime/store/spool_reader.hpp"
#include "host/runtime/store/store_database.hpp"
#include "host/runtime/store/store_place.hpp"
#include "strata/runtime/whole_number.hpp"

namespace strata {
namespace {

constexpr const char* kLockFile = ".recovery.lock";
constexpr std::uint64_t kRowsAtOnce = 65536;

// The folders rank<k> by k.
std::set<std::pair<std::uint32_t, std::filesystem::path>> find_ranks(
    const std::filesystem::path& run_directory) {
  std::set<std::pair<std::uint32_t, std::filesystem::path>> ranks;
  if (std::filesystem::is_directory(run_directory)) {
    for (const auto& entry : std::filesystem::directory_iterator(run_directory)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("rank") || !entry.is_directory()) continue;
      if (const auto rank = whole_number(std::string_view(name).substr(4)))
        ranks.emplace(*rank, entry.path());
    }
  }
  if (ranks.empty()) {
    throw std::runtime_error(
        fmt::format("{} is not a run: it has no folder rank0; name the folder that `strata run` printed",
                    run_directory.string()));
  }
  return ranks;
}

// The ids of processes that have a store in the folder, finished or being built elsewhere.
std::set<std::uint32_t> find_processes(const std::filesystem::path& rank_folder) {
  std::set<std::uint32_t> processes;
  for (const auto& entry : std::filesystem::directory_iterator(rank_folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".sqlite" && extension != ".local") continue;
    if (const auto pid = whole_number(entry.path().stem().string())) processes.insert(*pid);
  }
  return processes;
}

// A run is untrusted. The target of a link in it would be changed, created or removed outside of the run.
void expect_no_links(const std::filesystem::path& rank_folder, const StorePlace& place) {
  using std::filesystem::file_type;
  const auto expect = [](const std::filesystem::path& name, file_type type) {
    const std::filesystem::file_status status = std::filesystem::symlink_status(name);
    if (!std::filesystem::exists(status) || status.type() == type) return;
    throw std::runtime_error(fmt::format("{} is a symbolic link, or not a {}; replace it with the run's own",
                                         name.string(), type == file_type::regular ? "file" : "folder"));
  };
  expect(rank_folder, file_type::directory);
  expect(place.spool_folder(), file_type::directory);
  expect(place.database(), file_type::regular);
}

// SQLite deletes the file that a journal names in its last bytes, as the journal of several databases: no
// store is one of several.
void expect_journal_of_one_database(const std::filesystem::path& database) {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const std::string journal = database.string() + "-journal";
  std::array<char, kMagic.size()> last{};
  std::ifstream stream(journal, std::ios::binary);
  if (stream.seekg(-std::streamoff{kMagic.size()}, std::ios::end).read(last.data(), last.size()) &&
      std::string_view(last.data(), last.size()) == kMagic)
    throw std::runtime_error(
        fmt::format("{} does not belong to a run store: it names a file that SQLite would delete", journal));
}

class StoreRecovery {
 public:
  StoreRecovery(const StorePlace& place, RecoveredStore& result)
      : place_(place), result_(result), database_(place.database(), StoreOrigin::kAnybody) {}

  void run() {
    drain_definitions();
    for (const std::filesystem::path& file : spool_files()) {
      try {
        drain_spool(file);
      } catch (const SpoolError& error) {
        problem(file, error.what());
      }
    }
    if (!was_closed()) database_.set_meta("state", "recovered");
    database_.close();
    if (result_.problems.empty()) place_.settle();
  }

 private:
  void problem(const std::filesystem::path& file, std::string_view reason) {
    result_.problems.push_back(fmt::format("{}: {}; it is left in place", file.string(), reason));
  }

  std::vector<std::filesystem::path> spool_files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(place_.spool_folder())) {
      if (entry.path().extension() == ".spool") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  bool was_closed() { return database_.meta("state") == "closed"; }

  // Tables always, for their handles; the rest from the point that the process had reached.
  void drain_definitions() {
    const std::filesystem::path file = place_.spool_folder() / kDefinitionFile;
    const std::string name(kDefinitionFile);
    if (!std::filesystem::exists(file)) return;
    try {
      const std::uint64_t drained = database_.drained_bytes(name);
      const DefinitionBatch all = read_definitions(file, 0);
      const DefinitionBatch rest = drained == 0 ? all : read_definitions(file, drained);
      in_transaction([&] {
        for (const Definition& definition : all.definitions) {
          if (std::holds_alternative<TableDefinition>(definition)) database_.define(definition);
        }
        for (const Definition& definition : rest.definitions) {
          if (!std::holds_alternative<TableDefinition>(definition)) database_.define(definition);
        }
        database_.set_drained_bytes(name, rest.end);
      });
      if (!all.problem.empty()) problem(file, all.problem);
    } catch (const SqliteError&) {
      throw;
    } catch (const std::exception& error) {
      problem(file, error.what());
    }
  }

  // Readable rows are kept, even from a damaged file.
  void drain_spool(const std::filesystem::path& file) {
    const SpoolFile spool = read_spool_file(file);
    const std::string name = file.filename().string();
    SpoolReader reader(spool.ring, database_.drained_bytes(name), spool.written);
    std::optional<SpoolError> damage;
    bool is_more = true;
    while (is_more) {
      is_more = false;
      try {
        is_more = database_.stage_rows(reader, kRowsAtOnce) == kRowsAtOnce || database_.is_stage_full();
      } catch (const SpoolError& error) {
        damage = error;
      }
      insert_staged(name, reader.position());
    }
    if (damage) throw *damage;
    define_gaps(spool.open_gaps);
  }

  void insert_staged(const std::string& spool, std::uint64_t position) {
    const std::uint64_t rows = database_.staged_rows();
    in_transaction([&] {
      database_.insert_rows();
      database_.set_drained_bytes(spool, position);
    });
    result_.rows_recovered += rows;
  }

  // One by one: those before a damaged one are kept.
  void define_gaps(const std::vector<Gap>& gaps) {
    for (const Gap& gap : gaps) in_transaction([&] { database_.define(gap); });
  }

  void in_transaction(auto&& work) {
    database_.begin();
    try {
      work();
      database_.commit();
    } catch (...) {
      database_.rollback();
      throw;
    }
  }

  const StorePlace& place_;
  RecoveredStore& result_;
  StoreDatabase database_;
};

RecoveredStore recover_store(const std::filesystem::path& rank_folder, std::uint32_t pid) {
  RecoveredStore result;
  result.store = rank_folder / fmt::format("{}.sqlite", pid);
  try {
    const std::optional<StorePlace> place = StorePlace::find(rank_folder, pid);
    if (!place) {
      result.problems.push_back(
          fmt::format("{}: its rows are in the temporary folder of another machine, named in {}.local; "
                      "recover the run there",
                      result.store.string(), pid));
      return result;
    }
    if (!place->is_unsettled()) return result;
    expect_no_links(rank_folder, *place);
    const FileLock one_at_a_time = FileLock::wait_for(rank_folder / kLockFile);
    if (!place->is_unsettled()) return result;
    if (!std::filesystem::exists(place->spool_folder())) {  // drained, and never moved home
      place->settle();
      return result;
    }
    const std::optional<FileLock> owner = FileLock::take_now(place->owner_file());
    if (!owner) return result;
    expect_journal_of_one_database(place->database());
    StoreRecovery(*place, result).run();
  } catch (const std::exception& error) {
    result.problems.push_back(fmt::format("{}: not recovered: {}", result.store.string(), error.what()));
  }
  return result;
}

}  // namespace

std::vector<RecoveredStore> recover_run(const std::filesystem::path& run_directory) {
  std::vector<RecoveredStore> stores;
  for (const auto& [rank, folder] : find_ranks(run_directory)) {
    for (const std::uint32_t pid : find_processes(folder)) stores.push_back(recover_store(folder, pid));
  }
  return stores;
}

}  // namespace strata
