# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: progress messages, and the stamps of finished steps.

say() { printf 'dev: %s\n' "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# Shows the last line of LOG until it is killed or ./dev ends: in place on a terminal, otherwise once a minute.
watch_log() {
  local line never seconds=60
  [[ -t 2 ]] && seconds=1
  exec {never}<> <(:) # reading from it waits without a sleep process, which would outlive this one
  while read -r -t "$seconds" -u "$never" || kill -0 $$ 2>/dev/null; do
    line=$(tail -n 1 "$1" | tr -d '\r' | cut -c 1-$((${COLUMNS:-80} - 8)))
    if [[ -t 2 ]]; then printf '\r\e[Kdev:   %s' "$line" >&2; else say "  $line"; fi
  done
}

# logged NAME COMMAND...: runs it quietly; its output goes to build/logs/NAME.log, whose end is shown on failure.
logged() {
  local log=build/logs/$1.log start=$SECONDS status=0 watcher
  shift
  mkdir -p build/logs
  say "${log##*/}: $*"
  : >"$log"
  watch_log "$log" &
  watcher=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$watcher"
  wait "$watcher" 2>/dev/null || true
  if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
  if ((status != 0)); then
    tail -n 80 "$log" >&2
    die "failed after $((SECONDS - start)) s: $* (the whole log: $log)"
  fi
  say "done in $((SECONDS - start)) s"
}

digest() { sha256sum | cut -d ' ' -f 1; }

# stamped STAMP DIGEST: whether the stamp was written for this DIGEST.
stamped() { [[ -f $1 && $(<"$1") == "$2" ]]; }

stamp() {
  mkdir -p "$(dirname "$1")"
  echo "$2" >"$1"
}
