# SPDX-License-Identifier: Apache-2.0
"""Starts test programs without torch's compiler.

Every optimizer's first step imports torch's compiler only to switch it off, which takes a third of
a small program's time. Such a program gets a stand-in that compiles nothing.
"""

STAND_IN = (
    "import sys, types; sys.modules['torch._dynamo'] = "
    "types.SimpleNamespace(disable=lambda function, *_, **__: function, graph_break=lambda: None)"
)
# Programs with these words need the compiler itself, or may need it.
NEEDS_IT = ("compile", "_dynamo", "transformers", "lightning", "accelerate", "torchvision", "peft", "distributed", "monai", "triton", "jit", "export", "profiler", "checkpoint")


def without_compiler(text):
    """Return the program with the stand-in in its first line, so that line numbers stay the same. A
    program that may need the compiler is not changed."""
    if "torch" not in text or any(word in text for word in NEEDS_IT):
        return text
    first = text.split("\n", 1)[0]
    if not first:
        return STAND_IN + text
    is_import = first.startswith(("import ", "from ")) and not first.endswith("(")
    return f"{STAND_IN}; {text}" if is_import and "__future__" not in text else text
