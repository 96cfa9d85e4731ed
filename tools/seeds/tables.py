# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown. Sizes are MiB, 2^20 bytes, as in all tables of Strata."""

MIB = 1 << 20
CATEGORIES = ("Parameter", "Optimizer_State", "Input", "Temporary", "Activation", "Gradient", "Autograd_Detail", "Unknown")


def mib(amount, digits=1):
    return f"{amount / MIB:,.{digits}f}"


def difference(ours, theirs, digits=1):
    """Return the difference of two numbers in the same unit, with its sign; a difference that
    rounds to zero has none."""
    text = f"{ours - theirs:+,.{digits}f}"
    return text if float(text.replace(",", "")) else f"{0:.{digits}f}"


def table(header, rows):
    """Return a table; columns that contain only numbers are aligned to the right."""
    rows = [[str(cell) for cell in row] for row in rows]
    columns = list(zip(*rows))
    marks = ["---:" if all(_is_number(cell) for cell in column) else "---" for column in columns]
    lines = [header, marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def fence(lines):
    return "```bash\n" + "\n".join(lines) + "\n```"


def _is_number(cell):
    return not cell.strip("*+-–~<0123456789.,% /")
