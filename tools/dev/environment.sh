# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: the virtual environment, with LibTorch.

set_up_venv() {
  local wanted
  wanted=$(digest <"$requirements_file")
  stamped .venv/stamp "$wanted" && return
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    die "$(command -v python3) is $(python3 --version), but torch needs Python 3.10 or later: put one first in PATH"
  [[ -x .venv/bin/python ]] || logged venv python3 -m venv --without-pip .venv
  .venv/bin/python -m pip --version >/dev/null 2>&1 || logged pip bootstrap_pip
  say "from PyPI, what $requirements_file lists, LibTorch with it (5 GB: a minute or more)"
  logged requirements .venv/bin/python -m pip install --no-compile --requirement "$requirements_file"
  date_headers
  compile_packages .venv/bin/python
  stamp .venv/stamp "$wanted"
}

# All headers of torch get one date. GCC's `#pragma once` treats files of equal size and date as possible copies and
# compares them; torch has such copies, so GCC reads one or both, depending on the second in which pip wrote them.
# ccache's key is the preprocessed text: with one date, one checkout's compilations are found by the next.
date_headers() {
  find .venv/lib/python3*/site-packages/torch/include .venv/lib/python3*/site-packages/nvidia -name '*.h*' -type f \
    -exec touch --date=@1000000000 {} +
}

# Makes the package of the release build importable in the checkout's own Python, after everything else on its path,
# like an editable installation.
link_package() {
  local package=$PWD/build/release/lib/strata/python link
  for link in .venv/lib/python3*/site-packages/; do
    link+=strata_of_this_checkout.pth
    if [[ ! -f $link || $(<"$link") != "$package" ]]; then
      # A new file: a .venv that was copied as hard links shares the old one.
      echo "$package" >"$link.new"
      mv "$link.new" "$link"
    fi
  done
}

# compile_packages PYTHON: compiles all of its packages to bytecode, on all cores; pip uses one. Otherwise each test
# process with PYTHONDONTWRITEBYTECODE compiles what it imports: torch in 1.3 s, Dynamo in 2 more. Files written for
# other versions of Python do not compile and are skipped.
compile_packages() {
  local site
  site=$("$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  say "bytecode of $site"
  "$1" -m compileall -q -j "$(nproc)" "$site" >/dev/null 2>&1 || true
}

# Packages that only tests need: third-party models and optimizers, to train on the dry GPU and to compare with.
set_up_workloads() {
  local requirements=third_party/requirements-workloads.txt wanted
  wanted=$(cat "$requirements_file" "$requirements" | digest)
  stamped .venv/workloads.stamp "$wanted" && return
  logged requirements-workloads \
    .venv/bin/python -m pip install --no-compile --no-deps --requirement "$requirements"
  compile_packages .venv/bin/python
  stamp .venv/workloads.stamp "$wanted"
}

# pip from Python's own copy, otherwise from the wheel in Debian's python3-pip-whl, unpacked or installed.
bootstrap_pip() {
  .venv/bin/python -m ensurepip --default-pip && return
  local wheel
  for wheel in {"$debs",}/usr/share/python-wheels/pip-*.whl; do
    [[ -f $wheel ]] && .venv/bin/python "$wheel/pip" install "$wheel" && return
  done
  echo "no pip for $(command -v python3): install the package python3-venv"
  return 1
}

set_up() {
  set_up_packages
  set_up_venv
  link_package
  PATH=$PWD/.venv/bin:$PATH
}
