# SPDX-License-Identifier: Apache-2.0
"""A root folder with only unpacked Debian packages and nothing of this machine, for programs that
must need nothing else."""

import os
import shutil
import subprocess

import pytest
from installed_strata import run

NOTHING_INSTALLED = ("-o", "Dir::State::status=/dev/null", "-o", "APT::Install-Recommends=0", "-o", "APT::Sandbox::User=")


def depended_on(*packages):
    """Return name=version of each package that apt would install for these names or files on an
    empty machine. Files are left out."""
    if shutil.which("apt-get") is None:
        pytest.skip("no apt-get, which knows what a package depends on")
    told = subprocess.run(["apt-get", "install", "--simulate", *NOTHING_INSTALLED, *packages], capture_output=True, text=True, timeout=120)
    assert "unmet dependencies" not in told.stdout + told.stderr, told.stdout + told.stderr
    if told.returncode != 0:
        pytest.skip(f"apt-get has no lists of packages: {told.stderr.strip()[-200:]}")
    chosen = [line.split() for line in told.stdout.splitlines() if line.startswith("Inst ")]
    return [f"{words[1]}={words[2].strip('(')}" for words in chosen if words[1] != "strata"]


class BareRoot:
    """Call it to run a program inside, which sees nothing of this machine except /dev and mounted
    folders."""

    def __init__(self, folder, *packages):
        (folder / "debs").mkdir()
        chosen = depended_on(*packages)
        assert len(chosen) > 10
        fetched = subprocess.run(["apt-get", "-qq", *NOTHING_INSTALLED, "download", *chosen], cwd=folder / "debs", capture_output=True, text=True, timeout=300)
        if fetched.returncode != 0:
            pytest.skip(f"Debian's archive cannot be reached: {fetched.stderr.strip()[-200:]}")
        self.root = folder / "root"
        files = [package for package in packages if os.path.exists(package)]
        for each in [*(folder / "debs").iterdir(), *files]:
            run("dpkg-deb", "--extract", each, self.root)
        for name in ("proc", "dev", "tmp"):
            (self.root / name).mkdir(exist_ok=True)
        self.mounts = {}  # this machine's folder, by its name inside

    def mount(self, outside, inside):
        """Mount a folder read-only inside. Replaces an earlier mount there."""
        (self.root / inside.lstrip("/")).mkdir(parents=True, exist_ok=True)
        self.mounts[inside] = outside

    def namespaces_work(self, program):
        entered = subprocess.run([*self._words(), program, "--version"], capture_output=True, env={"PATH": os.environ["PATH"]})
        return entered.returncode != 1

    def __call__(self, *words, status=0, **environment):
        return run(*self._words(), *words, status=status, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "USER": "user", **environment})

    def _words(self):
        mounts = ['inner=$PATH && PATH=/usr/sbin:/usr/bin:/sbin:/bin && chroot=$(command -v chroot)']
        mounts += ['mount -t proc proc "$0/proc"', 'mount --rbind /dev "$0/dev"']
        mounts += [f'mount --bind "{outside}" "$0{inside}" && mount -o remount,bind,ro "$0{inside}"' for inside, outside in self.mounts.items()]
        entered = ["/usr/bin/unshare", *(["--map-root-user"] if os.geteuid() else []), "--mount", "--pid", "--fork", "/bin/sh", "-c"]
        return [*entered, " && ".join([*mounts, 'PATH=$inner exec "$chroot" "$0" "$@"']), str(self.root)]
