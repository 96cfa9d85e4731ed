# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: the tests of a change, ./dev check and ./dev test.

# run_ctest PRESET OPTION...: the C++ tests of one build; lists skipped tests with the reasons.
run_ctest() {
  local preset=$1
  shift
  logged "ctest-$preset" ctest --preset "$preset" --parallel "$(nproc)" --verbose "$@"
  grep -E --after-context=1 ': Skipped$' "build/logs/ctest-$preset.log" >&2 || true
  grep 'tests passed' "build/logs/ctest-$preset.log" >&2 || true
}

# run_pytest MARKS OPTION...: the tests of the program with these marks.
run_pytest() {
  local marks=$1 status=0
  shift
  say "pytest tests -m '$marks' $*"
  # A file's tests run in the same process, because they share slow setup. The times are in build/logs; the slowest are
  # listed.
  mkdir -p build/logs
  .venv/bin/python -m pytest tests --quiet -r fEs -m "$marks" --numprocesses "$(jobs_at_once)" --dist loadfile \
    --durations 20 --junit-xml "build/logs/pytest-${marks// /-}.xml" "$@" >&2 || status=$?
  ((status == 0 || status == 5)) || die "pytest failed" # 5: no test has that mark
}

# Everything that the tests' outcome depends on: the commit, and changes since.
tree_state() {
  {
    git rev-parse HEAD
    git diff HEAD
    git ls-files --others --exclude-standard -z | xargs --null --no-run-if-empty sha256sum
  } | digest
}

check() {
  build release
  format --check
  lint --changed 1 8
  run_ctest release --label-exclude long
  run_pytest 'smoke and not long'
}

test_quick() {
  build release
  run_ctest release --label-exclude long
  run_pytest 'not long'
  stamp build/release/tested.stamp "$(tree_state)"
}

# in_time COMMAND...: runs it, unless the time is over that CI sets for the longer suites.
in_time() {
  if (($(date +%s) < ${STRATA_TESTS_UNTIL:-9999999999})); then
    "$@"
  else
    say "SKIPPED: $*: CI's time is over (STRATA_TESTS_UNTIL)"
  fi
}

test_newest_torch() {
  torch_environment "$newest_torch" || say "SKIPPED: the wheel is not tested with torch $newest_torch: PyPI is not reachable"
  torch_release "$newest_torch"
}

test_all() {
  if stamped build/release/tested.stamp "$(tree_state)"; then
    say "./dev test passed on this very tree: only the longer suites are left"
    build release
  else
    test_quick
  fi
  format --check
  lint --changed
  build release benchmarks # they belong to no other target: this only checks that they compile
  run_ctest release --label-regex long --no-tests=ignore
  in_time fuzz_briefly
  in_time under_tsan short
  in_time test_newest_torch
  run_pytest long # last, because CI may set a deadline for them
}

torch_folder() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/strata/torch/$1"; }

# torch_environment VERSION: an environment with a torch for which Strata was not built. It is outside the checkout,
# because it has 6 GB and outlives clones. Fails if PyPI cannot be reached.
torch_environment() {
  local version=$1 folder
  folder=$(torch_folder "$1")
  [[ -f $folder/stamp ]] && return
  timeout 60 .venv/bin/python -m pip index versions torch >/dev/null 2>&1 || return
  rm -rf "$folder"
  mkdir -p "$folder"
  logged "venv-torch-$version" python3 -m venv --without-pip "$folder"
  # No wheel is kept: they are as large as their content.
  logged "requirements-torch-$version" .venv/bin/python -m pip --python "$folder/bin/python" install \
    --no-cache-dir --no-compile "torch==$version" setuptools numpy pytest
  compile_packages "$folder/bin/python"
  touch "$folder/stamp"
}

# torch_release VERSION [all]: tests the drop-in with such a torch.
torch_release() {
  local version=$1 folder
  folder=$(torch_folder "$1")
  if ! torch_environment "$version"; then
    say "SKIPPED: torch $version is not tested: $folder has none, and PyPI is not reachable"
    return
  fi
  local selection=(-k loop)
  [[ ${2:-} == all ]] && selection=()
  say "strata exec with torch $version"
  "$folder/bin/python" -m pytest tests/integration/test_drop_in.py --quiet -r fEs "${selection[@]}" >&2 ||
    die "the drop-in fails with torch $version"
}
