# SPDX-License-Identifier: Apache-2.0
"""Names as the model's author wrote them, without what wrappers put in between."""

from __future__ import annotations

# torch.compile, FSDP and torch's checkpoint wrapper.
_WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def plain_name(name: str) -> str:
    return ".".join(part for part in name.split(".") if part not in _WRAPPERS)
