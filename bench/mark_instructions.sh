#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions that one mark of strata/trainer.h takes in a program that runs without Strata: callgrind's count inside
# bench/trainer_marks, for two lengths so that what happens once cancels. The number is kept in bench/instructions.json, which
# tests/bench/test_instructions.py compares with it.
#
#     bench/mark_instructions.sh [build folder]
set -euo pipefail

benchmark=bench_trainer_marks
source "$(dirname "$0")/count_instructions.sh"

three=$(a_round 'three_marks()' --loop)
echo "step + phase + module: $three instructions with the call around them: $(((three + 2) / 3)) a mark"
