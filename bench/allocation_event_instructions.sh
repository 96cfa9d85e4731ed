#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The instructions that one allocation event adds: callgrind's count inside the loop of bench/allocation_event, traced
# minus untraced, for two lengths so that one-time costs cancel. The number is stored in bench/instructions.json, and
# tests/bench/test_instructions.py compares it with a new count.
#
#     bench/allocation_event_instructions.sh [build folder]
set -euo pipefail

benchmark=bench_allocation_event
source "$(dirname "$0")/count_instructions.sh"

untraced=$(a_round '*allocate_and_free*' --pairs untraced)
traced=$(a_round '*allocate_and_free*' --pairs traced)
echo "allocate + free: $untraced instructions untraced, $traced traced: $(((traced - untraced) / 2)) an event"
