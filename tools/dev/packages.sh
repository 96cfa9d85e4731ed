# SPDX-License-Identifier: Apache-2.0
# Part of ./dev: Debian packages, installed, or unpacked without root.

# listed KIND: the packages of that kind in debian-packages.txt.
listed() { awk -v kind="$1" '!/^#/ && $2 == kind { print $1 }' "$packages_file"; }

installed() { [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# missing KIND...: those packages of these kinds that are not installed.
missing() {
  local kind package
  for kind in "$@"; do
    for package in $(listed "$kind"); do
      installed "$package" || echo "$package"
    done
  done
}

# Prefix for commands that need root: empty for root, sudo if it works; fails if neither is available.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
    sudo "$@"
  else
    return 1
  fi
}

set_up_packages() {
  command -v dpkg-query >/dev/null ||
    die "this machine has no dpkg: set-up knows Debian 12 and Ubuntu 22.04 or later. Elsewhere, install what" \
      "$packages_file lists, then use CMake itself: cmake --preset release && cmake --build --preset release"
  local wanted stamp_file=.cache/packages.stamp
  wanted=$(cat "$packages_file" /etc/os-release | digest)
  if [[ -z $(missing system unpack) ]] && stamped "$stamp_file" "$wanted"; then return; fi
  if [[ -z $(missing system unpack optional) ]]; then
    stamp "$stamp_file" "$wanted"
  elif as_root true; then
    install_packages
    stamp "$stamp_file" "$wanted"
  else
    set_up_packages_without_root
  fi
}

install_packages() {
  logged apt-update as_root apt-get update
  local packages package
  mapfile -t packages < <(missing system unpack)
  for package in $(missing optional); do
    if [[ -n $(apt-cache madison "$package") ]]; then
      packages+=("$package")
    else
      say "no package $package here: going on without it"
    fi
  done
  logged apt-install as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${packages[@]}"
}

# Libraries are unpacked where CMake finds them; compilers and interpreters must be installed.
set_up_packages_without_root() {
  local packages wanted
  mapfile -t packages < <(missing system)
  if ((${#packages[@]})); then
    say "missing, and neither root nor sudo is here to install: ${packages[*]}"
    mapfile -t packages < <(missing system unpack)
    die "ask an administrator for: apt-get install ${packages[*]}"
  fi
  mapfile -t packages < <(missing unpack)
  ((${#packages[@]})) || return 0 # only optional ones are missing
  wanted=$(digest <<<"${packages[*]}")
  stamped "$debs/stamp" "$wanted" && return
  command -v apt-get >/dev/null || die "missing, and there is no apt-get to get them with: ${packages[*]}"
  logged unpack-packages unpack_packages "${packages[@]}"
  stamp "$debs/stamp" "$wanted"
  rm -f build/*/CMakeCache.txt
}

# unpack_packages PACKAGE...: these and their dependencies, except installed ones, from the machine's own package
# archive, through separate package lists: the system's may be empty, and only root could refresh them.
unpack_packages() {
  local apt=$PWD/.cache/apt
  mkdir -p "$apt"/{lists,archives}/partial "$debs"
  local options=(-o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt" -o APT::Sandbox::User=)
  apt-get "${options[@]}" update || return
  local uris names=()
  uris=$(apt-get "${options[@]}" install --print-uris --yes --no-install-recommends "$@") || return
  mapfile -t names < <(sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" <<<"$uris")
  (cd "$apt/archives" && apt-get "${options[@]}" download "${names[@]}") || return
  local archive
  for archive in "$apt"/archives/*.deb; do
    dpkg-deb --extract "$archive" "$debs" || return
  done
}
