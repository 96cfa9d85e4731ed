#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Of action.yml: record.sh new|base records $COMMAND into "$OUT/new" or "$OUT/base". Where the command fails, as for want of memory, the
# job's summary says so with the run's report.
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
