# SPDX-License-Identifier: Apache-2.0
"""docs/walks.md: each file that a walk names exists, and contains each function named after it."""

import re

import pytest

# A link whose text is a file's name, or a function: `page()`, `Buffers::request()`.
NAMED = re.compile(r"\[`([^`]+)`\]\(([^)]+)\)|`([A-Za-z_]\w*(?:::\w+)?)\(\)`")
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def walks(text):
    """Return the steps of each walk, by title."""
    for part in text.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        steps = [" ".join(step.split()) for step in re.split(r"\n(?=\d+\. )", body)[1:]]
        yield title, steps


def claims(step):
    """Return (file, function) of each function that a step names; the file is the one named before
    it."""
    file = None
    for name, target, function in NAMED.findall(step):
        if name:
            file = target.removeprefix("../")
        else:
            yield file, function


def defines(text, function):
    """Whether the text defines or declares the function. A mere call or a comment does not
    count."""
    name = re.escape(function.split("::")[-1])
    return re.search(rf"^(?!\s*//)(?!\s*return\b).*?(?<![\w.>]){name}\(", text, re.MULTILINE) is not None


@pytest.fixture(scope="module")
def text(repository):
    return (repository / "docs/walks.md").read_text()


def test_there_are_three_walks_in_order(text):
    found = list(walks(text))
    assert len(found) == 3
    for _, steps in found:
        assert len(steps) >= 10
        assert [int(step.split(".")[0]) for step in steps] == list(range(1, len(steps) + 1))


def test_every_link_leads_somewhere(repository, text):
    for target in LINK.findall(text):
        assert (repository / "docs" / target).is_file(), target


def test_files_are_called_by_their_names(text):
    for name, target, _ in NAMED.findall(text):
        assert not name or target.endswith(name), (name, target)


def test_every_function_is_in_its_file(repository, text):
    checked = 0
    wrong = []
    for title, steps in walks(text):
        for step in steps:
            for file, function in claims(step):
                checked += 1
                if file is None or not defines((repository / file).read_text(), function):
                    wrong.append(f"{title}, step {step.split('.')[0]}: {file} has no {function}")
    assert not wrong, "\n".join(wrong)
    assert checked > 40


def test_a_function_that_is_not_there_is_found():
    text = "int there() {\n  return elsewhere();\n}\n// gone() was here\n"
    assert defines(text, "there")
    assert defines(text, "Class::there")
    assert not defines(text, "elsewhere")
    assert not defines(text, "gone")
    assert not defines(text, "here")
