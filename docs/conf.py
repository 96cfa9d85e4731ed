# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site of these pages. `./dev docs` runs it (tools/site), on a copy of the pages that has the
repository's shape, so that a link means the same here, in the site and in a checkout."""

import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tools/site"))

project = "Strata"
author = "the Strata authors"
copyright = author
version = release = re.search(r"^  VERSION ([\d.]+)", (REPOSITORY / "CMakeLists.txt").read_text(), re.MULTILINE)[1]

extensions = ["myst_parser", "outside_files"]
root_doc = "docs/index"
source_suffix = {".md": "markdown"}

# Anchors as GitHub makes them, and <img> as it shows them.
myst_heading_anchors = 4
myst_enable_extensions = ["html_image", "colon_fence"]
# No mistakes: a page that leaves out a level on purpose, a fence of JSON that holds "...", a pattern that waits for a page.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "toc.empty_glob"]

html_theme = "furo"
html_title = f"Strata {release}"
html_extra_path = ["site/index.html"]
html_copy_source = False
html_show_sphinx = False
highlight_language = "text"
smartquotes = False  # a quote in a value is the one to type
# Nothing is loaded from elsewhere: the site works from a folder, without a network.
html_theme_options = {"source_view_link": "", "navigation_with_keys": True}
