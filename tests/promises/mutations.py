# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/promises.md, each broken in one place: the text that is replaced, and the
tests that must then fail.

The file is long because it is one table.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutation:
    name: str
    # How the promise is broken, as a row of the table.
    breaks: str
    file: str
    # Occurs exactly once in the file.
    replaced: str
    by: str
    # "PROGRAM SUITE.TEST" of build/release/tests, or "FILE::TEST" of pytest. Each of them must fail.
    tests: tuple[str, ...]
    # The mutation makes the test hang or take forever, so the test's time limit counts as its
    # failure.
    noticed_by_the_clock: bool = False


# Rows of docs/promises.md, by their first cell, without a mutation, and why.
NOT_BROKEN = {
    "a report of ten million events takes below 2 GiB": "a benchmark holds it, which takes an hour",
    "a signal within a plugin, and memory that is full, end the program as they would without, and what was recorded is there": "there is nothing that handles them, and so nothing to break",
}

MUTATIONS = (
    Mutation(
        "recovery",
        "what a killed process left in its spools is not read",
        "host/runtime/store/recovery.cpp",
        "        drain_spool(file);\n",
        "        static_cast<void>(file);\n",
        (
            "runtime_kill_test KillTest.EveryRowThatWasKeptIsInTheStore",
            "tests/integration/test_signals.py::test_a_killed_run_can_be_reported",
        ),
    ),
    Mutation(
        "drops",
        "rows that a full spool dropped are not counted",
        "host/runtime/store/spool.cpp",
        "  ++gap.rows;\n",
        "  gap.rows = 1;\n",
        ("runtime_store_test FullSpoolTest.DropCountsEveryRowItLoses",),
    ),
    Mutation(
        "block",
        "a full spool loses rows where the program was to wait",
        "host/runtime/store/store.cpp",
        "if (on_full_ == OnFull::kDrop || stalled) {",
        "if (on_full_ == OnFull::kBlock || stalled) {",
        ("runtime_store_test FullSpoolTest.BlockKeepsEveryRowInOrder",),
    ),
    Mutation(
        "full-disk",
        "a run that lost rows to a full disk does not say so",
        "host/runtime/store/store.cpp",
        "  if (rows == 0 && settled_.load()) return {};",
        "  if (rows != 1) return {};",
        ("tests/integration/test_full_disk.py::test_a_run_that_lost_its_rows_fails_and_says_so_last",),
    ),
    Mutation(
        "move",
        "a store is removed from where it was built although it could not be moved",
        "host/runtime/store/store_place.cpp",
        "  std::filesystem::copy_file(database(), arriving, std::filesystem::copy_options::overwrite_existing);\n"
        "  std::filesystem::rename(arriving, final_database());",
        "  std::error_code ignored;\n  std::filesystem::copy_file(database(), arriving, ignored);\n"
        "  std::filesystem::rename(arriving, final_database(), ignored);",
        ("runtime_store_test StorePlaceTest.AMoveThatFailsLosesNothingAndCanBeRepeated",),
    ),
    Mutation(
        "half-export",
        "an export is written into the file that it replaces",
        "host/cli/output_file.cpp",
        '    part_ += fmt::format(".{}.part", getpid());\n    fs::remove(part_, ignored);',
        "    fs::remove(part_, ignored);",
        ("tests/integration/test_export.py::test_the_old_file_stays_until_the_new_one_is_whole",),
    ),
    Mutation(
        "second-run",
        "a run's store replaces an earlier one's",
        "host/runtime/store/store_place.cpp",
        "if (std::filesystem::exists(place.final_database())) {",
        "if (place.pid_.empty()) {",
        ("runtime_store_test StoreTest.DoesNotReplaceAnEarlierRun",),
    ),
    Mutation(
        "exit-code",
        "the program's exit code is replaced by that of the report",
        "host/cli/child_process.cpp",
        "return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);",
        "return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : 0;",
        (
            "tests/integration/test_exec.py::test_passes_exit_codes_through_and_has_its_own",
            "tests/integration/test_full_disk.py::test_a_program_keeps_its_exit_code",
        ),
    ),
    Mutation(
        "output",
        "something is printed in the program's own output",
        "host/drop_in/preload.c",
        "  if (begin != NULL) begin();",
        '  puts("recording");\n  if (begin != NULL) begin();',
        ("tests/integration/test_drop_in.py::test_the_program_prints_what_it_prints_without",),
    ),
    Mutation(
        "failed-plugin",
        "a plugin is called on, however often it failed",
        "host/runtime/events/listener_set.hpp",
        "inline constexpr std::uint64_t kFaultLimit = 8;",
        "inline constexpr std::uint64_t kFaultLimit = 1'000'000'000;",
        ("runtime_session_test Faults.APluginIsSwitchedOffAfterItsFaults",),
    ),
    Mutation(
        "exception",
        "a plugin's exception goes on into the program",
        "host/runtime/events/fan_out.hpp",
        "    } catch (...) {\n      count_fault(listener);\n    }",
        "    } catch (char) {\n      count_fault(listener);\n    }",
        ("runtime_session_test Faults.AnExceptionThatCrossesTheAbiStopsAtTheHost",),
    ),
    Mutation(
        "ignored-signal",
        "a signal that the program was started to ignore ends it",
        "host/cli/training/interrupt.cpp",
        "  if (inherited.sa_handler != SIG_IGN) sigaction",
        "  sigaction",
        ("tests/integration/test_signals.py::test_a_signal_that_was_ignored_stays_ignored",),
    ),
    Mutation(
        "left-by-signal",
        "a program that leaves from a signal's handler has its record closed, in the middle of anything",
        "host/drop_in/preload.c",
        "if (leave != NULL && !may_be_in_a_handler()) leave(status);",
        "(void)may_be_in_a_handler;\n  if (leave != NULL) leave(status);",
        ("tests/integration/test_drop_in_processes.py::test_exit_from_a_signals_handler_leaves_the_record_as_a_kill_does",),
    ),
    Mutation(
        "fork",
        "a forked child goes on recording into its parent's store",
        "host/runtime/process_life.cpp",
        "if (ProcessLife* session = current.exchange(nullptr); session != nullptr) session->forked_child();",
        "current.exchange(nullptr);",
        ("runtime_session_test Fork.TheChildIsToldNothingAndTheParentGoesOn",),
    ),
    Mutation(
        "way-out",
        "a process that exits in the middle of its loop is not closed",
        "host/runtime/process_life.cpp",
        "  std::atexit(at_exit);",
        "  static_cast<void>(at_exit);",
        ("runtime_exit_test *Exit.LeavesAStoreAndAManifestThatSaysSo/*",),
    ),
    Mutation(
        "hot-path",
        "memory is allocated under an allocator's lock",
        "plugins/allocator_tracer/allocator_tracer.cpp",
        "  operators_.need(when.op);\n  events_.append({.sequence = when.sequence,",
        "  operators_.need(when.op);\n  ::operator delete(::operator new(when.sequence % 64 + 1));\n"
        "  events_.append({.sequence = when.sequence,",
        (
            "allocator_tracer_test HotPath.AllocatesNothingOnAnyThread",
            "allocator_tracer_test HotPath.AllocatesNothingInTheHost",
        ),
    ),
    Mutation(
        "ten-thousand-threads",
        "a thread's spool is not used again when it has ended",
        "host/runtime/store/spool_pool.cpp",
        "  const std::lock_guard lock(mutex_);\n  spare_.push_back(spool);",
        "  static_cast<void>(spool);",
        ("runtime_store_test StoreThreadsTest.TenThousandThreadsShareAFewFiles",),
    ),
    Mutation(
        "thinned-peak",
        "the step of the highest moment is thinned as the others are",
        "host/runtime/store/store_thinner.cpp",
        "  for (const auto& [device, highest] : highest_) zones.insert(highest.second);\n",
        "",
        ("runtime_store_test *StoreThinningTest.KeptStepsAndPeaksAreThoseOfTheWholeStore/*",),
    ),
    Mutation(
        "folded-steps",
        "steps that are thinned stay for ever, however many they are",
        "host/runtime/store/store_thinner.cpp",
        "    is_left = (is_heavy && fold()) || advance() || (used > most_bytes && fold());\n",
        "    static_cast<void>(is_heavy), static_cast<void>(most_bytes);\n    is_left = advance();\n",
        ("runtime_store_test ManyStepsTest.GoThoughABlockOfEachLivesOnForLong",),
    ),
    Mutation(
        "full-store",
        "a store that has no room left goes on growing",
        "host/runtime/store/writer_thread.cpp",
        "  database_.drop_rows(is_full);\n",
        "  database_.drop_rows(false);\n",
        ("runtime_store_test FullStoreTest.CountsWhatItHasNoRoomForAndNamesTheRemedy",),
    ),
    Mutation(
        "remedy",
        "a store that has no room left does not say so",
        "host/runtime/store/writer_thread.cpp",
        "  if (is_full)\n    problems_.add(",
        "  if (is_full && !size_.is_limited())\n    problems_.add(",
        ("runtime_store_test FullStoreTest.CountsWhatItHasNoRoomForAndNamesTheRemedy",),
    ),
    Mutation(
        "ring",
        "a spool takes more than its ring holds",
        "host/runtime/store/spool.cpp",
        "  const std::uint64_t room = capacity - used;\n",
        "  const std::uint64_t room = capacity - used / 2;\n",
        ("runtime_store_test SpoolTest.TakesExactlyWhatTheRingHolds",),
    ),
    Mutation(
        "hostile-store",
        "a store's values are taken for what their columns are to hold",
        "host/analysis/reading/store_file.cpp",
        '  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) refuse(column, "an integer");\n',
        "",
        ("analysis_test HostileStore.WrongTypes",),
    ),
    Mutation(
        "page-escapes",
        "a name on the page may end the element that it is in",
        "host/report/page_data/page_data.cpp",
        "    if (character == '<')",
        "    if (character == '\\0')",
        ("tests/browser/test_page.py::test_nothing_of_a_hostile_name_is_executed_or_loaded",),
    ),
    Mutation(
        "terminal-escapes",
        "a name's control characters reach the terminal",
        "host/report/text.cpp",
        "character.valid && !is_in(kWithoutColumn, character.code_point)",
        "character.valid || is_in(kWithoutColumn, character.code_point)",
        ("report_test Printable.ReplacesWhatMovesTheCursorOrTurnsTheText",),
    ),
    Mutation(
        "working-directory",
        "a plugin is looked for in relative folders",
        "host/runtime/plugins/search_path.cpp",
        "if (!is_relative(folder)) folders",
        "if (!folder.empty()) folders",
        ("tests/integration/test_security.py::test_a_plugin_is_not_looked_for_in_the_working_directory",),
    ),
    Mutation(
        "setuid",
        "a mark opens what the environment names in a setuid program",
        "plugin_api/include/strata/trainer.h",
        "getauxval(AT_SECURE) == 0 ? getenv(STRATA_ATTACH_VARIABLE) : 0",
        "getauxval(AT_SECURE) < 2 ? getenv(STRATA_ATTACH_VARIABLE) : 0",
        ("tests/integration/test_security.py::test_a_program_with_rights_of_its_own_opens_nothing_from_the_environment",),
    ),
    Mutation(
        "insecure-variable",
        "a variable is asked for without looking at the program's rights",
        "host/runtime/log.cpp",
        "secure_getenv(",
        "std::getenv(",
        ("tests/build/test_environment.py::test_variables_are_asked_for_securely",),
    ),
    Mutation(
        "private-files",
        "files of a run may be read by all",
        "host/runtime/private_file.cpp",
        "O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600",
        "O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644",
        (
            "tests/integration/test_security.py::test_a_run_is_its_users_alone",
            "tests/integration/test_security.py::test_a_killed_runs_files_are_its_users_alone",
        ),
    ),
    Mutation(
        "links",
        "a report is written through a link that lies in the run's folder",
        "host/cli/run_directory.cpp",
        '  ::unlink(part.c_str());\n  std::FILE* const out = std::fopen(part.c_str(), "wxe");',
        '  std::FILE* const out = std::fopen(part.c_str(), "we");',
        ("tests/integration/test_security.py::test_nothing_is_written_through_a_link_in_a_run_that_somebody_sent",),
    ),
    Mutation(
        "foreign-folder",
        "a run that somebody sent names a folder, which is taken for its own and removed",
        "host/runtime/store/store_place.cpp",
        "if (!(std::ifstream(place.home_file()) >> home) || home != identity_of(rank_folder)) return std::nullopt;",
        "static_cast<void>(home);",
        ("runtime_store_test StorePlaceTest.DoesNotFollowANoteToAFolderThatKnowsNothingOfIt",),
    ),
    Mutation(
        "artifact-names",
        "an artifact's name may leave the run's folder",
        "host/runtime/recording/artifact.cpp",
        "if (name.empty() || name.front() == '.' || name.find_first_of(std::string_view(\"/\\0\", 2)) != name.npos) {",
        "if (name.empty()) {",
        ("runtime_store_test ArtifactTest.RefusesNamesThatLeaveTheFolder",),
    ),
    Mutation(
        "network",
        "a command opens a socket of a network",
        "host/cli/run_directory.cpp",
        "#include <sys/stat.h>\n",
        "#include <sys/socket.h>\n#include <sys/stat.h>\n"
        "[[maybe_unused]] static const int opened = ::socket(AF_INET, SOCK_DGRAM, 0);\n",
        ("tests/integration/test_no_network.py::test_a_command_opens_none",),
    ),
    Mutation(
        "page-network",
        "a page loads something",
        "host/report/page/page.html",
        "<title>Strata</title>\n",
        '<title>Strata</title>\n<link rel="stylesheet" href="https://example.org/page.css">\n',
        ("tests/browser/test_page.py::test_opens_without_network_and_without_an_error",),
    ),
    Mutation(
        "cannot-start",
        "a plugin that cannot start ends the run",
        "host/runtime/session/session_implementation.cpp",
        "  if (!options_.strict || failures.empty()) return;\n",
        "  if (failures.empty()) return;\n",
        ("runtime_session_test *CannotStart.IsDisabledWithItsReasonAndTheOthersGoOn/*",),
    ),
    Mutation(
        "throws-at-the-end",
        "what a plugin throws in deinit ends the program",
        "host/runtime/plugins/plugin_instance.cpp",
        '    report_fault("deinit threw an exception across the ABI");\n',
        "    std::terminate();\n",
        ("runtime_session_test *ThrowsAtTheEnd.IsSaidAndTheOthersAreDestroyed/deinit",),
    ),
    Mutation(
        "hang",
        "a plugin that does not return from an event is not named",
        "host/runtime/events/hang_watch.cpp",
        "    seen.told = true;\n    tell(*thread, seen, now_ns, false);\n",
        "    seen.told = true;\n",
        (
            "runtime_session_test HangWatchTest.NamesThePluginAndTheThreadOnce",
            "tests/integration/test_faults.py::test_a_plugin_that_hangs_is_named",
        ),
    ),
    Mutation(
        "hang-outside",
        "a plugin that does not return from init, create, destroy or deinit is not named",
        "host/runtime/events/hang_watch.cpp",
        "  call_->told = true;\n  report(call_->id, call_->function, call_->thread, now_ns - call_->since_ns, false);\n",
        "  call_->told = true;\n",
        (
            "runtime_session_test HangWatchTest.NamesAPluginThatIsBeingMadeOrDestroyed",
            "tests/integration/test_faults.py::test_a_plugin_that_hangs_as_it_starts_is_named",
            "tests/integration/test_faults.py::test_a_plugin_that_hangs_as_it_ends_is_named",
        ),
    ),
    Mutation(
        "destroyed-inside",
        "a plugin is destroyed while a thread is inside of it",
        "host/runtime/session/session_implementation.cpp",
        "    if (settled && !exiting) destroy_plugins();\n",
        "    if (!exiting) destroy_plugins();\n",
        ("runtime_session_test Threads.APluginThatAThreadIsInsideOfIsNotDestroyed",),
    ),
    Mutation(
        "other-abi",
        "a plugin that was built for another ABI is taken",
        "host/runtime/plugins/plugin_file.cpp",
        "  if (entry.abi_major != STRATA_ABI_MAJOR) {\n",
        "  if (entry.abi_major == 0) {\n",
        (
            "runtime_session_test Loading.AnotherMajorIsRefusedWithBothNumbers",
            "tests/integration/test_faults.py::test_a_plugin_that_is_none_is_refused_before_the_program_starts",
        ),
    ),
    Mutation(
        "lying-rows",
        "a plugin's word for the size of its rows is taken",
        "host/runtime/store/table.cpp",
        "if (table.row_bytes == 0 || table.row_bytes > kMaximumRowBytes) {",
        "if (table.row_bytes == 0) {",
        (
            "runtime_store_test StoreTest.RefusesWhatTheStoreCannotHold",
            "tests/integration/test_faults.py::test_a_plugin_that_lies_leaves_the_program_alone",
        ),
    ),
    Mutation(
        "last-thread",
        "a program waits for a thread of the store",
        "host/runtime/store/writer_thread.cpp",
        "    if (do_each_second() && is_last_thread()) return;\n",
        "    do_each_second();\n",
        ("runtime_exit_test *Exit.LeavesAStoreAndAManifestThatSaysSo/main_thread_ends",),
    ),
    Mutation(
        "thread-states",
        "what the runtime knows of a thread is kept when it has ended",
        "host/runtime/events/thread_state.cpp",
        "    if (state->ops.depth == 0 && state->modules.depth == 0) return state;\n",
        "",
        ("allocator_tracer_test HotPath.TenThousandThreadsLeaveTheirRowsAndNothingElse",),
    ),
    Mutation(
        "half-transaction",
        "rows are in the store although it does not know yet that they were read",
        "host/runtime/store/store_database.cpp",
        "  statements_->begin.run();\n}\n\nvoid StoreDatabase::commit() {\n  statements_->commit.run();\n}\n",
        "}\n\nvoid StoreDatabase::commit() {}\n",
        ("tests/integration/test_faults_around.py::test_a_signal_while_rows_are_written",),
    ),
    Mutation(
        "removed-folder",
        "a run whose folder was removed ends as if it were there",
        "host/cli/training/training_process.cpp",
        "  if (std::string removal = RunDirectory::removal_of(directory); !removal.empty()) lost_ = std::move(removal);\n",
        "",
        ("tests/integration/test_faults_around.py::test_the_folder_of_a_run_of_ours_is_removed",),
    ),
    Mutation(
        "wall-clock",
        "durations are those of a clock that may be set",
        "host/runtime/clock.cpp",
        "  return read_ns(CLOCK_MONOTONIC);\n",
        "  return read_ns(CLOCK_REALTIME);\n",
        ("tests/integration/test_faults_around.py::test_the_clock_is_set",),
    ),
    Mutation(
        "alias-bomb",
        "a list of a configuration is unfolded, aliases and all",
        "host/config/reading/node.cpp",
        '  if (node.IsSequence()) return "a list";\n',
        '  if (node.IsSequence()) {\n    for (const auto& each : node) static_cast<void>(describe(each));\n    return "a list";\n  }\n',
        ("tests/integration/test_refusals.py::test_an_alias_bomb_is_not_unfolded",),
        noticed_by_the_clock=True,
    ),
    Mutation(
        "csv",
        "a quote within a name ends its cell",
        "host/export/text.cpp",
        "    if (character == '\"') quoted += '\"';\n",
        "",
        ("export_test Csv.HoldsNoFormula", "export_test Text.IsMadeValidAndNothingElse"),
    ),
    Mutation(
        "formula",
        "a name in a CSV is a formula",
        "host/export/text.cpp",
        "    valid.insert(0, 1, '\\'');\n",
        "    valid.insert(0, 0, '\\'');\n",
        ("export_test Csv.HoldsNoFormula", "tests/integration/test_export.py::test_any_name_comes_through"),
    ),
    Mutation(
        "pickle",
        "an exported pickle names a function",
        "host/export/snapshot/pickle.cpp",
        "  opcode('\\x02');\n",
        "  opcode('\\x02');\n  out_.append(\"cos\\ngetcwd\\n0\");\n",
        ("tests/integration/test_export_memory_viz.py::test_the_snapshot_is_a_pickle_that_memory_viz_can_read",),
    ),
    Mutation(
        "grid-again",
        "a grid that goes on runs cells again that were done",
        "host/grid/begin.cpp",
        "    if (std::ranges::find(again, state.status) == again.end()) continue;\n",
        "    static_cast<void>(again);\n",
        ("tests/integration/test_grid_faults.py::test_kills_at_random_moments",),
    ),
)
