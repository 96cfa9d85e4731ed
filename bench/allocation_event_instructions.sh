#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions that one allocation event adds: callgrind's count inside the loop of bench/allocation_event, traced less
# untraced, for two lengths so that what happens once cancels. The number is kept in bench/instructions.json, which
# tests/bench/test_instructions.py compares with it.
#
#     bench/allocation_event_instructions.sh [build folder]
set -euo pipefail

build=${1:-"$(dirname "$0")/../build/release"}
program="$build/bench/bench_allocation_event"
[[ -x $program ]] || { echo "no $program: run ./dev bench, or build the target bench_allocation_event" >&2; exit 2; }
command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 2; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

instructions() { # pairs, traced|untraced
  valgrind --tool=callgrind --callgrind-out-file="$scratch/$2.$1" --collect-atstart=no \
    --toggle-collect='*allocate_and_free*' "$program" --pairs "$1" "$2" 2> "$scratch/log" >&2 ||
    { cat "$scratch/log" >&2; exit 1; }
  sed -n 's/^.*Collected : \([0-9]*\).*$/\1/p' "$scratch/log"
}

few=1000 many=5000
a_pair() { echo $((($(instructions $many "$1") - $(instructions $few "$1")) / (many - few))); }

untraced=$(a_pair untraced)
traced=$(a_pair traced)
echo "allocate + free: $untraced instructions untraced, $traced traced: $(((traced - untraced) / 2)) an event"
