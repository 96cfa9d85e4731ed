# SPDX-License-Identifier: Apache-2.0
# Of ./dev: configuring and building a preset.

# One job a core, but no more than memory allows: a file that includes torch takes up to 2 GiB.
jobs_at_once() {
  local cores gibibytes
  cores=$(nproc)
  gibibytes=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  local fit=$((gibibytes / 2 > 1 ? gibibytes / 2 : 1))
  echo $((cores < fit ? cores : fit))
}

configure() {
  [[ -f build/$1/build.ninja && -f build/$1/CMakeCache.txt ]] && return
  local options=()
  # Unpacked libraries find each other through a run path that is handed down, which DT_RUNPATH is not.
  if [[ -d $debs/usr ]]; then
    options=("-DCMAKE_PREFIX_PATH=$debs/usr")
    local kind
    for kind in EXE SHARED MODULE; do
      options+=("-DCMAKE_${kind}_LINKER_FLAGS=-Wl,--disable-new-dtags")
    done
  fi
  logged "configure-$1" cmake --preset "$1" "${options[@]}"
}

# build [PRESET [TARGET...]]
build() {
  local preset=${1:-release} targets=("${@:2}")
  ((${#targets[@]})) || targets=(all)
  configure "$preset"
  logged "build-$preset" cmake --build --preset "$preset" --target "${targets[@]}" --parallel "$(jobs_at_once)"
}
