# SPDX-License-Identifier: Apache-2.0
"""The part of `strata fit`, `strata advise`, `strata exec --world` and `strata exec --holders` that runs inside the program.

`at_start` is put first in PYTHONPATH: Python runs its sitecustomize.py before the program, which calls `begin` once torch is imported.

Environment:
    STRATA_TRIAL_STEPS    end the program after this many steps of each of its optimizers
    STRATA_TRIAL_CHANGES  names of the changes to make, one per line; none: run the program as it is and note what each change needs
    STRATA_TRIAL_FACTS    file with the notes of a trial of the unchanged program
    STRATA_TRIAL_NOTES    folder for the notes of each process, <pid>.json; not set: no notes, and nothing is changed
    STRATA_TRIAL_SERVER   socket of a server of trials (server.py), which this process becomes
    STRATA_HOLDERS        folder for which Python objects keep tensors (holders.py)
    STRATA_JOB            this process is one rank of a job whose other ranks are absent (job.py)
"""

from __future__ import annotations

import os

from . import steps


def begin() -> None:
    """Torch has been imported, and the program has not used it yet."""
    if os.environ.get("STRATA_JOB"):
        from . import imports, job

        imports.watch()
        job.begin()
    if os.environ.get("STRATA_HOLDERS"):
        from . import holders

        holders.begin(os.environ["STRATA_HOLDERS"])
    if not os.environ.get("STRATA_TRIAL_STEPS"):
        return
    if os.environ.get("STRATA_TRIAL_NOTES") or os.environ.get("STRATA_TRIAL_SERVER"):
        from . import imports, trial

        imports.watch()
        trial.make_replaceable_what_changes_replace()
    if os.environ.get("STRATA_TRIAL_SERVER"):
        from . import server

        server.wait_for_first_use(os.environ["STRATA_TRIAL_SERVER"], _begin_trial)
    else:
        _begin_trial()


def _begin_trial() -> None:
    if os.environ.get("STRATA_TRIAL_NOTES"):
        from . import trial

        trial.begin()
    steps.stop_after(int(os.environ["STRATA_TRIAL_STEPS"]))
