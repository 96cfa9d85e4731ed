#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions that a page takes for one allocation more, from the facts to the written file: callgrind's count of the irregular run
# with operators' times, which is the dearest, for two lengths so that what happens once cancels. The number is kept in
# bench/instructions.json, which tests/bench/test_instructions.py compares with it.
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
