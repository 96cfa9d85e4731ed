# SPDX-License-Identifier: Apache-2.0
# Of ./dev: what is made of a build: packages, releases, pages and pictures.

# parity [OPTION...]: the dry GPU beside the card that this machine has, or beside recordings of one.
parity() {
  build release strata_program
  .venv/bin/python tests/gpu/parity.py "$@"
}

# package: what `cmake --install` would install, as a .deb and a tarball.
package() {
  build release strata_program
  logged package cpack --config build/release/CPackConfig.cmake
  printf '%s\n' build/release/packages/*.{deb,tar.gz}
}

# wheel [OPTION...]: one for any Python and any torch from 2.11 on, with the libraries that it needs within.
wheel() {
  set_up_workloads # what wheels are built with is there
  build release strata_program
  .venv/bin/python -B tools/wheel "$@"
}

# release [--check]: what docs/releasing.md says is published.
release() {
  .venv/bin/python -B tools/release --check >&2 || die "this tree is not released: what is said above"
  [[ ${1:-} == --check ]] && return
  set_up_workloads # what wheels are built with is there
  build release strata_program
  logged release .venv/bin/python -B tools/release
  printf '%s\n' build/release/packages/*
}

# seeds [NUMBER...] [OPTION...]: the measurements of the reference documents, made again.
seeds() {
  build release strata_program
  .venv/bin/python tools/seeds "$@"
}

# pictures [NAME...] [OPTION...]: what README.md, docs/report.md and docs/guide show.
pictures() {
  build release strata_program
  .venv/bin/python tools/pictures "$@"
}

# docs [OPTION...]: the pages as a site.
docs() {
  build release strata_program
  .venv/bin/python tools/site "$@"
}
