#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The instructions that the plugin cupti_timeline adds to one operator, for its begin and end together: callgrind's
# count inside the loop of bench/op_event with the plugin, minus the same with a plugin that does nothing, for two
# lengths so that one-time costs cancel. The number is stored in bench/instructions.json, and
# tests/bench/test_instructions.py compares it with a new count.
#
#     bench/op_event_instructions.sh [build folder]
set -euo pipefail

benchmark=bench_op_event
source "$(dirname "$0")/count_instructions.sh"

heard=$(a_round '*begin_and_end*' --operators heard)
timed=$(a_round '*begin_and_end*' --operators timed)
echo "begin + end: $heard instructions heard, $timed timed: $((timed - heard)) an operator"
