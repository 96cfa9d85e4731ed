#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Part of action.yml: compares the run "$OUT/new" with $BUDGET and with its base, and writes to $GITHUB_STEP_SUMMARY.
# Exits with 4 if a check fails.
set -euo pipefail

new=$OUT/new base=
if [[ -n $BASE_RUN ]]; then base=$BASE_RUN; elif [[ -n $BASE_COMMAND ]]; then base=$OUT/base; fi
if [[ ! -f $new/summary.json ]]; then
  echo "::error title=Memory budget::nothing was recorded: the command allocated no memory with torch"
  exit 1
fi
device=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["device"])' "$new/summary.json")
if [[ -n $DRY && $device != cuda* ]]; then
  echo "::error title=Memory budget::the command allocated nothing on the dry $DRY, only on $device"
  exit 1
fi
peak_bytes=$("$STRATA" report "$new" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["peak"]["allocated_bytes"])')
peak_mib=$(((peak_bytes + 524288) / 1048576))
{
  echo "peak-mib=$peak_mib"
  echo "report=$new/report.html"
} >>"$GITHUB_OUTPUT"

failed=0 text=$(mktemp)
trap 'rm -f "$text"' EXIT
{
  echo "## Memory"
  echo
  echo "Peak: $peak_mib MiB"
  echo
} >>"$GITHUB_STEP_SUMMARY"

# judged WHAT COMMAND...: exit code 4 is a failed check; any other code except 0 means that the check could not run.
judged() {
  local what=$1 code=0
  shift
  "$@" >"$text" || code=$?
  if ((code == 4)); then
    failed=1
    echo "::error title=Memory budget::$what"
  elif ((code != 0)); then
    exit "$code"
  fi
}

if [[ -n $BUDGET ]]; then
  judged "the run needs more than the budget of $BUDGET" "$STRATA" report "$new" --budget "$BUDGET"
  {
    echo '```text'
    cat "$text"
    echo '```'
    echo
  } >>"$GITHUB_STEP_SUMMARY"
fi

if [[ -n $base ]]; then
  gates=()
  while IFS= read -r gate; do
    if [[ -n ${gate// /} ]]; then gates+=(--fail-if "$gate"); fi
  done <<<"$FAIL_IF"
  judged "the run needs more than its base allows" "$STRATA" diff "$base" "$new" --markdown "${gates[@]}"
  cat "$text" >>"$GITHUB_STEP_SUMMARY"
elif [[ -n ${FAIL_IF//[[:space:]]/} ]]; then
  echo "::error title=Memory budget::fail-if compares with a base: give base-command or base-run"
  exit 2
fi

((failed == 0)) || exit 4
