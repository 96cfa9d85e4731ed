#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions that one mark of strata/trainer.h takes in a program that runs without Strata: callgrind's count inside
# bench/trainer_marks, for two lengths so that what happens once cancels. The number is kept in bench/instructions.json, which
# tests/bench/test_instructions.py compares with it.
#
#     bench/mark_instructions.sh [build folder]
set -euo pipefail

build=${1:-"$(dirname "$0")/../build/release"}
program="$build/bench/bench_trainer_marks"
[[ -x $program ]] || { echo "no $program: run ./dev bench, or build the target bench_trainer_marks" >&2; exit 2; }
command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 2; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

instructions() { # times
  valgrind --tool=callgrind --callgrind-out-file="$scratch/$1" --collect-atstart=no \
    --toggle-collect='three_marks()' "$program" --loop "$1" 2> "$scratch/log" >&2 ||
    { cat "$scratch/log" >&2; exit 1; }
  sed -n 's/^.*Collected : \([0-9]*\).*$/\1/p' "$scratch/log"
}

few=1000 many=5000
three=$((($(instructions $many) - $(instructions $few)) / (many - few)))
echo "step + phase + module: $three instructions with the call around them: $(((three + 2) / 3)) a mark"
