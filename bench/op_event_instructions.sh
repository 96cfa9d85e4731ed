#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions that the plugin cupti_timeline adds to one operator, its begin and its end together: callgrind's count inside the
# loop of bench/op_event with it, less the same with a plugin that does nothing, for two lengths so that what happens once
# cancels. The number is kept in bench/instructions.json, which tests/bench/test_instructions.py compares with it.
#
#     bench/op_event_instructions.sh [build folder]
set -euo pipefail

benchmark=bench_op_event
source "$(dirname "$0")/count_instructions.sh"

heard=$(a_round '*begin_and_end*' --operators heard)
timed=$(a_round '*begin_and_end*' --operators timed)
echo "begin + end: $heard instructions heard, $timed timed: $((timed - heard)) an operator"
