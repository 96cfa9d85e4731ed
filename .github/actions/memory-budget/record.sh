#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Part of action.yml: record.sh new|base records $COMMAND into "$OUT/new" or "$OUT/base". If the command fails, for
# example for lack of memory, the job's summary reports it with the run's report.
set -euo pipefail

code=0
"$STRATA" exec ${DRY:+--dry "$DRY"} --out "$OUT/$1" -- bash -euo pipefail -c "$COMMAND" || code=$?
((code == 0)) && exit 0
echo "::error title=Memory budget::the command of '$1' ended with $code"
{
  echo "## Memory"
  echo
  echo "The command of \`$1\` ended with $code."
  if [[ -f $OUT/$1/summary.json ]]; then
    echo
    echo '```text'
    "$STRATA" report "$OUT/$1" || true
    echo '```'
  fi
} >>"$GITHUB_STEP_SUMMARY"
exit "$code"
