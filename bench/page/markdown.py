# SPDX-License-Identifier: Apache-2.0
"""Tables and figures in the page's format."""

MIB = 1 << 20
NEAR_ZERO = "within the bare runs' spread"


def table(header, rows):
    """Return a table. Every cell must have text: an empty one is a mistake."""
    for row in rows:
        if len(row) != len(header) or not all(str(cell).strip() for cell in row):
            raise ValueError(f"{len(header)} cells with something in them, not {row}")
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines)


def fence(lines):
    return "```bash\n" + "\n".join(lines) + "\n```"


def mib(bytes_):
    return f"{bytes_ / MIB:,.0f}" if abs(bytes_) >= MIB else f"{bytes_ / MIB:.1f}"


def mb(bytes_):
    return f"{bytes_ / 1e6:,.1f}"


def seconds(value):
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"
