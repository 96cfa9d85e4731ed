# SPDX-License-Identifier: Apache-2.0
"""Debian's Slurm on one node with two fake GPUs, run as ordinary processes of the user who runs the
tests."""

import os
import pathlib
import pwd
import signal
import socket
import subprocess
import time

PACKAGES = "slurm-wlm-basic-plugins slurm-client slurmd slurmctld munge libmunge2 libhwloc15 liblua5.1-0".split()
FETCH = pathlib.Path(__file__).parent / "fetch_debs"


class CannotStart(Exception):
    """The reason why Slurm cannot start here."""


def unpacked(name, packages):
    result = subprocess.run([FETCH, name, *packages], capture_output=True, text=True, timeout=800)
    if result.returncode != 0:
        raise CannotStart(result.stderr.strip().splitlines()[-1])
    return pathlib.Path(result.stdout.strip())


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """A Slurm controller, a node and munge, all in one folder. `environment` is for its users."""

    def __init__(self, folder, max_array_size=1001):
        self.folder, self.processes = folder, []
        root = unpacked("slurm", PACKAGES)
        self.programs = folder / "programs"
        self.programs.mkdir(parents=True)
        # The daemons check the name they are called by, and Debian's alternatives provide that
        # name.
        for daemon in ("slurmctld", "slurmd", "slurmstepd"):
            (self.programs / daemon).symlink_to(root / f"usr/sbin/{daemon}-wlm")
        libraries = root / "usr/lib/x86_64-linux-gnu"
        self.environment = {
            **os.environ,
            "SLURM_CONF": str(folder / "slurm.conf"),
            "LD_LIBRARY_PATH": f"{libraries}:{libraries}/slurm-wlm",
            "PATH": f"{root}/usr/bin:{os.environ['PATH']}",
        }
        for name in ("state", "spool", "munge"):
            (folder / name).mkdir()
        (folder / "munge").chmod(0o755)  # munge's clients can see the socket
        # Existing devices with names that end in a number.
        (folder / "gpu0").symlink_to("/dev/null")
        (folder / "gpu1").symlink_to("/dev/zero")
        (folder / "cgroup.conf").touch()
        (folder / "gres.conf").write_text(f"NodeName=node1 Name=gpu File={folder}/gpu[0-1]\n")
        (folder / "slurm.conf").write_text(self.configuration(libraries / "slurm-wlm", max_array_size))
        key = folder / "munge/key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o400)
        try:
            self.begin("munged", [
                root / "usr/sbin/munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge/socket",
                f"--pid-file={folder}/munge/pid", f"--log-file={folder}/munge/log", f"--seed-file={folder}/munge/seed",
            ])
            self.wait_until("munge", lambda: (folder / "munge/socket").exists())
            self.begin("slurmctld", [self.programs / "slurmctld", "-D", "-c"])
            self.begin("slurmd", [self.programs / "slurmd", "-D", "-N", "node1", "-d", self.programs / "slurmstepd"])
            self.wait_until("the node", lambda: self.call("sinfo", "-h", "-o", "%T").strip() == "idle")
        except BaseException:
            self.stop()
            raise

    def configuration(self, plugins, max_array_size):
        user, host = pwd.getpwuid(os.getuid()).pw_name, socket.gethostname().split(".")[0]
        return f"""\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/socket,cred_expire=5
CredType=cred/munge
PluginDir={plugins}
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,requeue_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
GresTypes=gpu
MaxArraySize={max_array_size}
KillWait=20
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 Gres=gpu:2
PartitionName=tests Nodes=node1 Default=YES MaxTime=INFINITE State=UP
"""

    def begin(self, name, words):
        with open(self.folder / f"{name}.txt", "wb") as said:
            self.processes.append((name, subprocess.Popen(list(map(str, words)), env=self.environment, stdout=said, stderr=said)))

    def call(self, *words):
        result = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60)
        return result.stdout + result.stderr

    def wait_until(self, what, holds, seconds=40):
        end = time.monotonic() + seconds
        while not holds():
            dead = [name for name, process in self.processes if process.poll() is not None]
            if dead or time.monotonic() > end:
                said = (self.folder / f"{dead[0]}.txt").read_text()[-400:] if dead else self.call("sinfo")
                raise CannotStart(f"{what} does not come up: {said}")
            time.sleep(0.1)

    def stop(self):
        if len(self.processes) == 3:
            self.call("scancel", "--me")
            time.sleep(0.5)
        for _, process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for _, process in reversed(self.processes):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
