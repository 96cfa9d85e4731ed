# SPDX-License-Identifier: Apache-2.0
"""One file of docs/pictures: the run whose page it shows, and the steps before it is taken."""

import dataclasses


# The state of the page before `prepare`, for any run. The contents bar stays at the page's top and
# does not cover the picture.
OVER_TIME = "document.querySelector('.contents').style.position = 'static'; if (chart.view.mode === 'event') document.getElementById('show-events').click();"


@dataclasses.dataclass(frozen=True)
class Picture:
    name: str  # below docs/pictures, without .png
    run: str  # a name in picture_runs.COMMANDS
    width: int  # of the browser's window, in points
    shows: tuple  # selectors of its content
    prepare: str = ""  # JavaScript on the page
    arguments: tuple = ()  # arguments of that JavaScript
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


# The step with the peak, over its allocations and frees, because a dry run's times are only the
# host's.
SHOW_STEP = "document.getElementById('show-events').click(); chart.view.showInterval(run.peakStep, 0.005);"

# Label only the shapes of that step.
NAME_ITS_SHAPES = """
    const named = chart.shapeLabels.inView.bind(chart.shapeLabels);
    chart.shapeLabels.inView = () => named().filter(({shape}) => shape.step === run.peak.step);"""


def whole_step(name, run):
    """A picture in a window wide enough for the legend to fit in one row."""
    return Picture(name, run, 1030, ("#legend", "#chart"), SHOW_STEP + NAME_ITS_SHAPES, margin=2)
