# SPDX-License-Identifier: Apache-2.0
"""The plugin ABI, header by header: the contract as prose, then each declaration as written."""

import re

HEAD = """\
# The plugin ABI

The headers in [plugin_api](../../plugin_api/include), as they are. What a header cannot hold is in the conventions: [extension ids](../../plugin_api/conventions/extension-id.md),
[lifetimes](../../plugin_api/conventions/lifetimes.md), [threads](../../plugin_api/conventions/threads.md). [A plugin in 30 lines](../guide/write-a-plugin.md) shows how they are used.

A tag says on which threads a function is called, or may be: `[loop-thread]` the thread that trains, `[any]` any, `[alloc-lock]` under an allocator's lock, `[cupti]` a thread of CUPTI's,
`[exiting]` while the process ends.

"""
GROUPS = [
    ("For every plugin", ["version.h", "entry.h", "plugin.h", "host.h", "events.h"], "include/strata"),
    ("What a plugin may listen to, and ask for", "ext/*.h", "include/strata"),
    ("For trainers", ["trainer.h", "trainer_calls.h"], "include/strata"),
    ("The C++ layer", "*.hpp", "cpp/strata"),
]
GUARDS = re.compile(r'#ifndef STRATA_\w+_H\n#define STRATA_\w+_H\n|#ifdef __cplusplus\n(?:extern "C" \{|\})\n#endif\n|#pragma once\n')
STRUCT = re.compile(r"^typedef struct (\w+) \{.*?^\} \1;\n", re.MULTILINE | re.DOTALL)


def contract_of(text):
    """Return the comment at the start of a header, as paragraphs, and the text after it."""
    text = re.sub(r"\A(?:/\* SPDX.*\*/|// SPDX.*)\n", "", text)
    if text.startswith("/*"):
        comment, _, rest = text[2:].partition("*/")
    else:
        comment = "\n".join(re.findall(r"\A(?://.*\n)*", text)[0].splitlines())
        rest = text[len(comment) + 1 :]
        comment = re.sub(r"^// ?(clang-format \w+)?", "", comment, flags=re.MULTILINE)
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in comment.splitlines()).strip(), rest


def declarations(text, macro_guard):
    """Yield (name of a struct or None, code): each struct with the comments above it, and the code
    between."""
    text = GUARDS.sub("", text)
    text = re.sub(r"#endif\s*\Z", "", text) if macro_guard else text
    position = 0
    for struct in STRUCT.finditer(text):
        before = text[position : struct.start()]
        comment = re.search(r"(?:^|\n)((?:/\*(?:(?!\*/).)*\*/\s*)+)\Z", before, re.DOTALL)
        start = position + comment.start(1) if comment else struct.start()
        if text[position:start].strip():
            yield None, text[position:start].strip("\n")
        yield struct[1], text[start : struct.end()].strip("\n")
        position = struct.end()
    if text[position:].strip():
        yield None, text[position:].strip("\n")


def section(path, name):
    contract, rest = contract_of(path.read_text())
    language = "c" if path.suffix == ".h" else "cpp"
    parts = [f"### {name}", f"```text\n{contract}\n```"]
    for struct, code in declarations(rest, path.suffix == ".h"):
        if struct:
            parts.append(f"#### {struct}")
        parts.append(f"```{language}\n{code}\n```")
    return "\n\n".join(parts)


def headers(repository):
    """Yield (group, path, name as included) of each public header."""
    for group, files, folder in GROUPS:
        root = repository / "plugin_api" / folder
        paths = sorted(root.glob(files)) if isinstance(files, str) else [root / file for file in files]
        for path in paths:
            yield group, path, f"strata/{path.relative_to(root)}"


def page(repository, strata):
    parts, last = [], None
    for group, path, name in headers(repository):
        if group != last:
            parts.append(f"## {group}")
            last = group
        parts.append(section(path, name))
    return HEAD + "\n\n".join(parts) + "\n"
