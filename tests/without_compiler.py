# SPDX-License-Identifier: Apache-2.0
"""Programs of tests, started without torch's compiler.

Every optimizer's first step imports torch's compiler only to switch it off: a third of the time of a small program. In its place such a
program finds a stand-in that compiles nothing.
"""

STAND_IN = (
    "import sys, types; sys.modules['torch._dynamo'] = "
    "types.SimpleNamespace(disable=lambda function, *_, **__: function, graph_break=lambda: None)"
)
# What needs the compiler itself, or may.
NEEDS_IT = ("compile", "_dynamo", "transformers", "lightning", "accelerate", "torchvision", "peft", "distributed", "monai", "triton", "jit", "export", "profiler", "checkpoint")


def without_compiler(text):
    """The program with the stand-in in its first line, which keeps the numbers of its lines; one that may need the compiler is not changed."""
    if "torch" not in text or any(word in text for word in NEEDS_IT):
        return text
    first = text.split("\n", 1)[0]
    if not first:
        return STAND_IN + text
    is_import = first.startswith(("import ", "from ")) and not first.endswith("(")
    return f"{STAND_IN}; {text}" if is_import and "__future__" not in text else text
