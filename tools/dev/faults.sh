# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: searches for faults that tests do not find: sanitizers, fuzzing, deliberately broken promises.

# sanitize [asan|tsan|valgrind...] [--all|--short]: these, or all three; with --all, also asan's tests of the program;
# with --short, only tsan's tests of the runtime and the plugins.
sanitize() {
  local checkers=() whole=no word
  for word; do
    case $word in
      asan | tsan | valgrind) checkers+=("$word") ;;
      --all) whole=yes ;;
      --short) whole=short ;;
      *) wrong_usage "sanitize takes asan, tsan, valgrind, --all and --short, not '$word'" ;;
    esac
  done
  set_up
  ((${#checkers[@]})) || checkers=(valgrind tsan asan)
  local checker
  for checker in "${checkers[@]}"; do
    "under_$checker" "$whole"
  done
}

under_asan() {
  build asan
  run_ctest asan --label-exclude long
  [[ $1 == yes ]] || return 0
  set_up_workloads
  local left_out
  mapfile -t left_out < <(awk '!/^#/ { print ($1 ~ /::/ ? "--deselect=" : "--ignore=") $1 }' tests/sanitizers/not_under_asan.txt)
  STRATA=$PWD/build/asan/bin/strata_preloading_asan run_pytest 'not long' "${left_out[@]}"
}

# Without torch, then one run that trains: torch is not compiled for this, so further tests would report torch's races.
under_tsan() {
  if [[ $1 == short ]]; then
    local -r threaded=(runtime_store_test runtime_session_test allocator_tracer_test cupti_timeline_test warmup_analyzer_test)
    build tsan "${threaded[@]}" runtime_test_plugins
    # Without the two tests that write many steps: they take six of seven minutes, and start no other threads than the
    # rest.
    GTEST_FILTER='-*StoreThinning*:*ManySteps*' run_ctest tsan --tests-regex "^($(IFS='|' && echo "${threaded[*]}"))$"
    return
  fi
  build tsan
  run_ctest tsan --label-exclude long
  build tsan-torch torch_smoke
  run_ctest tsan-torch --tests-regex "^torch_smoke$"
}

under_valgrind() {
  command -v valgrind >/dev/null || die "valgrind is missing: apt-get install valgrind"
  if grep --quiet --no-messages STRATA_VALGRIND-NOTFOUND build/release/CMakeCache.txt; then # configured without it
    logged configure-release cmake --preset release
  fi
  build release valgrind_tests
  run_ctest release --label-regex valgrind
}

# Whether clang with libFuzzer is installed; the packages of kind `fuzz` contain it.
has_fuzzer() {
  local program='extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
  clang++-14 -x c++ -fsanitize=fuzzer,address,undefined -o /dev/null - <<<"$program" 2>/dev/null
}

# fuzz [TARGET...] [OPTION...]: passed to tests/fuzz/run.py.
fuzz() {
  if ! has_fuzzer; then
    local packages
    mapfile -t packages < <(listed fuzz)
    as_root true || die "clang's libFuzzer is missing; ask an administrator for: apt-get install ${packages[*]}"
    logged apt-install-fuzz as_root apt-get install --yes --no-install-recommends "${packages[@]}"
  fi
  build fuzz fuzz_targets
  .venv/bin/python tests/fuzz/run.py build/fuzz "$@"
}

# promises [NAME...] [OPTION...]: passed to tests/promises/run.py.
promises() {
  build release
  .venv/bin/python tests/promises/run.py "$@"
}

# A few seconds of each target, enough to detect that a target fails to run or that a change breaks it at once. The
# inputs are the same every time, because a test must not fail for a reason older than the change.
fuzz_briefly() {
  if has_fuzzer; then
    fuzz --same --seconds 60 --jobs "$(jobs_at_once)" >&2 || die "fuzzing found what is said above"
  else
    say "SKIPPED: nothing is fuzzed: there is no clang++-14 with libFuzzer; apt-get install what" \
      "$packages_file lists for ./dev fuzz"
  fi
}
