#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions that one allocation event adds: callgrind's count inside the loop of bench/allocation_event, traced less
# untraced, for two lengths so that what happens once cancels. The number is kept in bench/instructions.json, which
# tests/bench/test_instructions.py compares with it.
#
#     bench/allocation_event_instructions.sh [build folder]
set -euo pipefail

benchmark=bench_allocation_event
source "$(dirname "$0")/count_instructions.sh"

untraced=$(a_round '*allocate_and_free*' --pairs untraced)
traced=$(a_round '*allocate_and_free*' --pairs traced)
echo "allocate + free: $untraced instructions untraced, $traced traced: $(((traced - untraced) / 2)) an event"
