# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts in this folder: callgrind's count inside one function of a benchmark, for two lengths, so that
# one-time costs cancel. The first argument of these scripts is the build folder.
shopt -s inherit_errexit # a failed count ends the script instead of counting as 0

program="${1:-"$(dirname "$0")/../build/release"}/${folder:-bench}/$benchmark"
[[ -x $program ]] || { echo "no $program: run ./dev bench, or build the target $benchmark" >&2; exit 2; }
command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 2; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# counted FUNCTION WORD...: instructions inside FUNCTION while the program runs with these words.
counted() {
  valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" --collect-atstart=no --toggle-collect="$1" \
    "$program" "${@:2}" 2> "$scratch/log" >&2 || { cat "$scratch/log" >&2; exit 1; }
  sed -n 's/^.*Collected : \([0-9]*\).*$/\1/p' "$scratch/log"
}

# a_round FUNCTION OPTION WORD...: instructions of one more round; OPTION gives the number of rounds.
a_round() {
  local few=1000 many=5000 of_few of_many
  of_few=$(counted "$1" "$2" $few "${@:3}")
  of_many=$(counted "$1" "$2" $many "${@:3}")
  ((of_many > of_few)) || { echo "$program runs through no $1" >&2; exit 1; }
  echo $(((of_many - of_few) / (many - few)))
}
