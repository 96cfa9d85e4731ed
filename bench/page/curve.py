# SPDX-License-Identifier: Apache-2.0
"""Measurements over a growing size: a table, a picture, and whether the cost grows in
proportion."""

import dataclasses
import math

from markdown import table

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 50
# Colors that the color-blind can tell apart (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


@dataclasses.dataclass(frozen=True)
class Line:
    name: str
    points: list  # (x, y) pairs, both above 0


def exponent(points):
    """Return y's exponent as a power of x, by least squares of the logarithms: 0 is constant, 1 is
    proportional. None with fewer than two points."""
    if len(points) < 2:
        return None
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread if spread else None


def decades(least, most):
    """Return the whole powers of ten around both."""
    return range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)


def short(value):
    for step, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= step:
            return f"{value / step:.3g}{letter}"
    return f"{value:g}"


def escaped(words):
    return words.replace("&", "&amp;").replace("<", "&lt;")


def picture(title, x_name, y_name, lines):
    """Return an SVG with two logarithmic axes; text stays text, and is readable on light and dark
    backgrounds."""
    xs, ys = ([point[axis] for line in lines for point in line.points] for axis in (0, 1))
    y_decades = decades(min(ys), max(ys))
    low_x, high_x = math.log10(min(xs)), math.log10(max(xs))
    low_y, high_y = y_decades[0], max(y_decades[-1], y_decades[0] + 1)

    def across(x):
        return LEFT + (math.log10(x) - low_x) / ((high_x - low_x) or 1) * (WIDTH - LEFT - RIGHT)

    def down(y):
        return HEIGHT - BOTTOM - (math.log10(y) - low_y) / (high_y - low_y) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="20" font-size="14" fill="#222222">{escaped(title)}</text>',
    ]
    for power in range(low_y, high_y + 1):
        y = down(10.0**power)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#444444">{short(10.0**power)}</text>')
    for x in sorted(set(xs)):
        parts.append(f'<text x="{across(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#444444">{short(x)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle" fill="#222222">{escaped(x_name)}</text>')
    middle = (TOP + HEIGHT - BOTTOM) // 2
    parts.append(f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})" fill="#222222">{escaped(y_name)}</text>')
    for index, line in enumerate(lines):
        colour = COLOURS[index % len(COLOURS)]
        points = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in line.points)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>' for x, y in line.points]
        parts.append(f'<text x="{WIDTH - RIGHT}" y="{TOP + 4 + 15 * index}" text-anchor="end" fill="{colour}">{escaped(line.name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def growth(lines):
    """Return a sentence for each line of the picture."""
    told = []
    for line in lines:
        power = exponent(line.points)
        if power is not None:
            least, most = line.points[0], line.points[-1]
            told.append(f"- {line.name}: {least[1]:.3g} at {short(least[0])}, {most[1]:.3g} at {short(most[0])}; growth exponent {power:+.2f} (0: constant).")
    return "\n".join(told)


def written(file, header, rows, lines, note=""):
    """Return the text of a curve's section: picture, table, and growth."""
    return "\n\n".join(part for part in (f"![{lines[0].name}](pictures/{file})", table(header, rows), growth(lines), note) if part)
