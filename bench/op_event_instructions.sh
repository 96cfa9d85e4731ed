#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions that the plugin cupti_timeline adds to one operator, its begin and its end together: callgrind's count inside the
# loop of bench/op_event with it, less the same with a plugin that does nothing, for two lengths so that what happens once
# cancels. The number is kept in bench/instructions.json, which tests/bench/test_instructions.py compares with it.
#
#     bench/op_event_instructions.sh [build folder]
set -euo pipefail

build=${1:-"$(dirname "$0")/../build/release"}
program="$build/bench/bench_op_event"
[[ -x $program ]] || { echo "no $program: run ./dev bench, or build the target bench_op_event" >&2; exit 2; }
command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 2; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

instructions() { # operators, timed|heard
  valgrind --tool=callgrind --callgrind-out-file="$scratch/$2.$1" --collect-atstart=no \
    --toggle-collect='*begin_and_end*' "$program" --operators "$1" "$2" 2> "$scratch/log" >&2 ||
    { cat "$scratch/log" >&2; exit 1; }
  sed -n 's/^.*Collected : \([0-9]*\).*$/\1/p' "$scratch/log"
}

few=1000 many=5000
an_operator() { echo $((($(instructions $many "$1") - $(instructions $few "$1")) / (many - few))); }

heard=$(an_operator heard)
timed=$(an_operator timed)
echo "begin + end: $heard instructions heard, $timed timed: $((timed - heard)) an operator"
