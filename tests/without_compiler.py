# SPDX-License-Identifier: Apache-2.0
"""Programs of tests, started without torch's compiler.

Every optimizer's first step imports torch's compiler only to switch it off: a third of the time of a small program. In its place such a
program finds a stand-in that compiles nothing.
"""

STAND_IN = (
    "import sys, types; sys.modules['torch._dynamo'] = "
    "types.SimpleNamespace(disable=lambda function, *_, **__: function, graph_break=lambda: None); "
)
# What needs the compiler itself, or may.
NEEDS_IT = ("compile", "_dynamo", "transformers", "lightning", "accelerate", "torchvision", "peft", "distributed", "monai", "triton", "jit", "export", "profiler", "checkpoint")


def without_compiler(text):
    """The program with the stand-in in its first line, which keeps the numbers of its lines; one that may need the compiler is not changed."""
    if "torch" not in text or any(word in text for word in NEEDS_IT):
        return text
    first = text.split("\n", 1)[0]
    if first == "" or (first.startswith(("import ", "from ")) and "__future__" not in text and not first.endswith("(")):
        return STAND_IN.rstrip("; ") + text if first == "" else STAND_IN + text
    return text
