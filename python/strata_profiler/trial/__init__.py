# SPDX-License-Identifier: Apache-2.0
"""What `strata fit` and `strata advise` do within a program that they try.

`at_start` is put first in PYTHONPATH: Python runs its sitecustomize.py before the program, which calls `begin` once torch is imported.

Environment:
    STRATA_TRIAL_STEPS    the program is ended after so many steps of each of its optimizers
    STRATA_TRIAL_CHANGES  names of the changes to make, one a line; none: the program as it is, and what each change needs is noted
    STRATA_TRIAL_FACTS    file with the notes of a trial of the program as it is
    STRATA_TRIAL_NOTES    folder for the notes of each process, <pid>.json; not set: none are taken, and nothing is changed
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict

from . import steps


def begin() -> None:
    """Torch has been imported, and nothing of the program has used it."""
    notes = os.environ.get("STRATA_TRIAL_NOTES")
    if notes:
        from .trial import Trial

        Trial(notes, os.environ.get("STRATA_TRIAL_CHANGES", "").split("\n"), _facts()).begin()
    steps.stop_after(int(os.environ["STRATA_TRIAL_STEPS"]))


def _facts() -> Dict[str, Any]:
    place = os.environ.get("STRATA_TRIAL_FACTS")
    if not place:
        return {}
    with open(place, encoding="utf-8") as file:
        facts: Dict[str, Any] = json.load(file)["facts"]
    return facts
