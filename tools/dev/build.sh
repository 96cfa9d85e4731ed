# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: configures and builds a preset.

# One job per core, limited by memory: compiling a file that includes torch takes up to 2 GiB.
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
  # Unpacked libraries find each other through an inherited run path; DT_RUNPATH is not inherited.
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
