#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The instructions of a page for each additional allocation, from the facts to the written file: callgrind's count for
# the irregular run with operators' times, the most expensive one, for two lengths so that one-time costs cancel. The
# number is stored in bench/instructions.json, and tests/bench/test_instructions.py compares it with a new count.
#
#     bench/large_page_instructions.sh [build folder]
set -euo pipefail

folder=tests
benchmark=write_large_page
source "$(dirname "$0")/count_instructions.sh"

written() {
  counted 'strata::report::page?abi:cxx11?(*' timed "$1" "$scratch/page.html"
}

few=20000 many=60000
of_few=$(written $few)
of_many=$(written $many)
echo "instructions of a page: $(((of_many - of_few) / (many - few))) an allocation"
