# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: benchmarks.

bench() {
  logged build-bench cmake --build --preset release --target benchmarks --parallel "$(jobs_at_once)"
  local failed=()
  budget() {
    say "$*"
    "$@" || failed+=("$1")
  }
  budget bench/event_cost.py
  budget build/release/bench/bench_store_append
  budget bench/quickstart_cost.py
  budget build/release/bench/bench_all_plugins
  budget build/release/bin/strata exec --dry h100-80gb --plugins none -- build/release/bench/bench_training_loop
  budget build/release/bin/strata exec --dry h100-80gb --plugins none -- build/release/bench/bench_recorders
  budget bench/drop_in_cost.py --max-ratio 1.25 # a time limit that holds on shared machines
  budget bench/long_run.py
  budget bench/long_runs.py
  if command -v valgrind >/dev/null; then
    budget bench/allocation_event_instructions.sh
    budget bench/op_event_instructions.sh
    budget bench/mark_instructions.sh
    budget bench/large_page_instructions.sh
    budget bench/drop_in_cost.py --instructions
    budget bench/store_write_cost.py
    budget bench/analysis_cost.py
    budget bench/quickstart_cost.py --instructions
    budget bench/quickstart_cost.py --instructions --max-added 0.02 \
      --plugins allocator_tracer,cupti_timeline,nvtx_markers,warmup_analyzer
  else
    say "without valgrind no instructions are counted: apt-get install valgrind"
  fi
  budget bench_page
  ((${#failed[@]} == 0)) || die "over its budget, or failed: ${failed[*]}"
}

# Third-party profilers, in a separate folder: nothing else needs them.
set_up_peers() {
  local requirements=third_party/requirements-bench.txt folder=.cache/peers wanted
  wanted=$(cat "$requirements_file" "$requirements" | digest)
  stamped "$folder/stamp" "$wanted" && return
  rm -rf "$folder"
  logged requirements-bench \
    .venv/bin/python -m pip install --no-compile --no-deps --target "$folder" --requirement "$requirements"
  stamp "$folder/stamp" "$wanted"
}

# bench_page [TABLE...] [OPTION...]: writes docs/benchmarks.md.
bench_page() {
  set_up_workloads
  set_up_peers
  command -v nsys >/dev/null || (logged fetch-nsys tests/peers/nsys/fetch_nsys) || true # without it, its row says so
  build release bench_store_write # counts the instructions of a row
  .venv/bin/python bench/page "$@"
}
