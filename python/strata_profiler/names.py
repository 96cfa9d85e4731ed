# SPDX-License-Identifier: Apache-2.0
"""Names as written by the model's author, without the parts that wrappers insert."""

from __future__ import annotations

# Of torch.compile, FSDP and torch's checkpoint wrapper.
_WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def plain_name(name: str) -> str:
    return ".".join(part for part in name.split(".") if part not in _WRAPPERS)
