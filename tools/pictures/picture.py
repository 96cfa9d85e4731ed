# SPDX-License-Identifier: Apache-2.0
"""One file of docs/pictures: which run's page it is taken of, and what is done there before."""

import dataclasses


# As `prepare` finds the page, of whatever run it is. The contents bar stays at the page's top, not on what is shown.
OVER_TIME = "document.querySelector('.contents').style.position = 'static'; if (chart.view.mode === 'event') document.getElementById('show-events').click();"


@dataclasses.dataclass(frozen=True)
class Picture:
    name: str  # below docs/pictures, without .png
    run: str  # of picture_runs.COMMANDS
    width: int  # of the browser's window, in points
    shows: tuple  # selectors of what is in it
    prepare: str = ""  # JavaScript on the page
    arguments: tuple = ()  # its
    annotate: str = ""  # JavaScript after the timeline is drawn: returns what `badges.put` takes
    margin: int = 6
    theme: str = "light"

    def take(self, browser, page):
        browser.open(page, self.width, self.theme)
        browser.run(OVER_TIME)
        browser.run(self.prepare, *self.arguments)
        browser.draw()
        if self.annotate:
            browser.run(f"badges.put((() => {{ {self.annotate} }})());")
        return browser.capture(self.shows, self.margin)


# The step with the peak, over its allocations and frees: a dry run's times are the host's, and say nothing.
SHOW_STEP = "document.getElementById('show-events').click(); chart.view.showInterval(run.peakStep, 0.005);"

# Of the shapes that are named those of that step.
NAME_ITS_SHAPES = """
    const named = chart.shapeLabels.inView.bind(chart.shapeLabels);
    chart.shapeLabels.inView = () => named().filter(({shape}) => shape.step === run.peak.step);"""


def whole_step(name, run):
    """In a window so wide that the legend is one row."""
    return Picture(name, run, 1030, ("#legend", "#chart"), SHOW_STEP + NAME_ITS_SHAPES, margin=2)
