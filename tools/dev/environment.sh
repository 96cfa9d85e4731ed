# SPDX-License-Identifier: Apache-2.0
# Of ./dev: the virtual environment, with LibTorch.

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

# All headers of torch get one date. GCC's `#pragma once` takes files of equal size and date for copies of one another
# and compares them; of two copies in torch it so reads one or both, by the second in which pip wrote them. ccache's
# key is the text that comes of it: with one date, what one checkout has compiled is found by the next.
date_headers() {
  find .venv/lib/python3*/site-packages/torch/include .venv/lib/python3*/site-packages/nvidia -name '*.h*' -type f \
    -exec touch --date=@1000000000 {} +
}

# The checkout's own Python has the package of its release build, behind all else on its path, as an editable
# installation would have it.
link_package() {
  local package=$PWD/build/release/lib/strata/python link
  for link in .venv/lib/python3*/site-packages/; do
    link+=strata_of_this_checkout.pth
    if [[ ! -f $link || $(<"$link") != "$package" ]]; then
      # A file of its own: a .venv that was copied as hard links shares the old one.
      echo "$package" >"$link.new"
      mv "$link.new" "$link"
    fi
  done
}

# compile_packages PYTHON: all of its packages to bytecode, on all cores, which pip does on one. Else each of the
# tests' processes compiles what it imports, where PYTHONDONTWRITEBYTECODE is set: torch in 1.3 s, Dynamo in 2 more.
# What was written for other Pythons does not compile, and is left.
compile_packages() {
  local site
  site=$("$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  say "bytecode of $site"
  "$1" -m compileall -q -j "$(nproc)" "$site" >/dev/null 2>&1 || true
}

# What only tests need: models and optimizers of others, to train on the dry GPU and to compare with.
set_up_workloads() {
  local requirements=third_party/requirements-workloads.txt wanted
  wanted=$(cat "$requirements_file" "$requirements" | digest)
  stamped .venv/workloads.stamp "$wanted" && return
  logged requirements-workloads \
    .venv/bin/python -m pip install --no-compile --no-deps --requirement "$requirements"
  compile_packages .venv/bin/python
  stamp .venv/workloads.stamp "$wanted"
}

# pip from what Python brings, else from the wheel in Debian's python3-pip-whl, unpacked or installed.
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
