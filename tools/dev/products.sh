# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: products of a build: packages, releases, pages and pictures.

# parity [OPTION...]: compares the dry GPU with this machine's GPU, or with recordings of one.
parity() {
  build release strata_program
  .venv/bin/python tests/gpu/parity.py "$@"
}

# package: the content of `cmake --install`, as a .deb and a tarball.
package() {
  build release strata_program
  logged package cpack --config build/release/CPackConfig.cmake
  printf '%s\n' build/release/packages/*.{deb,tar.gz}
}

# wheel [OPTION...]: one for any Python and any torch from 2.11 on, including the libraries it needs.
wheel() {
  set_up_workloads # includes the tools that build wheels
  build release strata_program
  .venv/bin/python -B tools/wheel "$@"
}

# release [--check]: the files that docs/releasing.md lists.
release() {
  .venv/bin/python -B tools/release --check >&2 || die "this tree is not released: what is said above"
  [[ ${1:-} == --check ]] && return
  set_up_workloads # includes the tools that build wheels
  build release strata_program
  logged release .venv/bin/python -B tools/release
  printf '%s\n' build/release/packages/*
}

# seeds [NUMBER...] [OPTION...]: repeats the measurements of the reference documents.
seeds() {
  build release strata_program
  .venv/bin/python tools/seeds "$@"
}

# pictures [NAME...] [OPTION...]: the pictures of README.md, docs/report.md and docs/guide.
pictures() {
  build release strata_program
  .venv/bin/python tools/pictures "$@"
}

# docs [OPTION...]: the pages as a site.
docs() {
  build release strata_program
  .venv/bin/python tools/site "$@"
}
