#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The instructions of one mark of strata/trainer.h in a program that runs without Strata: callgrind's count inside
# bench/trainer_marks, for two lengths so that one-time costs cancel. The number is stored in bench/instructions.json,
# and tests/bench/test_instructions.py compares it with a new count.
#
#     bench/mark_instructions.sh [build folder]
set -euo pipefail

benchmark=bench_trainer_marks
source "$(dirname "$0")/count_instructions.sh"

three=$(a_round 'three_marks()' --loop)
echo "step + phase + module: $three instructions with the call around them: $(((three + 2) / 3)) a mark"
