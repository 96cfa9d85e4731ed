# SPDX-License-Identifier: Apache-2.0
"""What `strata fit` and `strata advise` do within a program that they try.

`at_start` is put first in PYTHONPATH: Python runs its sitecustomize.py before the program, which calls `begin` once torch is imported.

Environment:
    STRATA_TRIAL_STEPS    the program is ended after so many steps of each of its optimizers
    STRATA_TRIAL_CHANGES  names of the changes to make, one a line; none: the program as it is, and what each change needs is noted
    STRATA_TRIAL_FACTS    file with the notes of a trial of the program as it is
    STRATA_TRIAL_NOTES    folder for the notes of each process, <pid>.json; not set: none are taken, and nothing is changed
    STRATA_TRIAL_SERVER   socket of a server of trials (server.py), which this process becomes
"""

from __future__ import annotations

import os

from . import steps


def begin() -> None:
    """Torch has been imported, and nothing of the program has used it."""
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
