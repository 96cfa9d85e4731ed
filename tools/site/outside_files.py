# SPDX-License-Identifier: Apache-2.0
"""A Sphinx extension: the site includes the repository's files that pages link to, even if they are
not pages.

`[trainer](../examples/cpp/gpt/train.cpp)` is a link that works in a checkout and on any server that
shows one. In the site it leads to a page with the file's text; a link to a folder leads to a list
of its files. So the site needs no address of a repository, and a link cannot lead to another
version of the file than the documented one."""

import html
import os
import pathlib
import subprocess

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "files"
LEXERS = {".h": "c", ".hpp": "cpp", ".js": "javascript", ".md": "text", ".txt": "text", "": "text", ".ipynb": "json"}
LARGEST_BYTES = 1 << 20
log = logging.getLogger(__name__)


def page_name(path):
    """Return the name of the site's page that shows this file or folder."""
    return f"{FOLDER}/{path}" if (REPOSITORY / path).is_file() else f"{FOLDER}/{path}/index"


def files_below(folder):
    """Return the files that git tracks or would add; without git all files."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", folder],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0:
        return sorted(listing.stdout.split())
    return sorted(str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / folder).rglob("*") if path.is_file())


class OutsideLinks(SphinxTransform):
    """Replaces each such link by one to the file's page, before Sphinx looks for a document of that
    name."""

    default_priority = 5

    def apply(self):
        here = pathlib.PurePosixPath(self.env.docname).parent
        for link in [*self.document.findall(addnodes.pending_xref), *self.document.findall(addnodes.download_reference)]:
            target = link.get("reftarget", "")
            if "://" in target or target.startswith(("#", "/")):
                continue
            path = os.path.normpath(here / target.split("#")[0])
            if path.startswith("..") or path in self.env.found_docs or path.removesuffix(".md") in self.env.found_docs:
                continue
            if path == "." or not (REPOSITORY / path).exists():
                continue  # Sphinx reports the error
            self.env.outside_files.setdefault(self.env.docname, set()).add(path)
            up = os.path.relpath(page_name(path), here)
            link.replace_self(nodes.reference("", "", *link.children, refuri=f"{up}.html", classes=["outside"]))


def shown(app, path):
    """Return the page's HTML of a file, or of a folder."""
    whole = REPOSITORY / path
    if whole.is_dir():
        items = "".join(
            f'<li><a href="{html.escape(os.path.relpath(page_name(file), page_name(path).rsplit("/", 1)[0]))}.html">'
            f"{html.escape(os.path.relpath(file, path))}</a></li>"
            for file in files_below(path)
        )
        return f"<ul>{items}</ul>"
    content = whole.read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"<p>{len(content):,} bytes that are no text.</p>"
    if len(content) > LARGEST_BYTES:
        return f"<p>{len(content):,} bytes: more than a page shows.</p>"
    suffix = whole.suffix
    return app.builder.highlighter.highlight_block(text, LEXERS.get(suffix, suffix[1:]), force=True, location=path)


def pages(app):
    named = set().union(*app.env.outside_files.values())
    named |= {file for folder in named if (REPOSITORY / folder).is_dir() for file in files_below(folder)}
    for path in sorted(named):
        body = f"<h1><code>{html.escape(path)}</code></h1>\n{shown(app, path)}"
        yield page_name(path), {"title": path, "body": body}, "page.html"


def forget(app, env, docname):
    env.outside_files.pop(docname, None)


def merge(app, env, docnames, other):
    for docname in docnames:
        env.outside_files[docname] = other.outside_files.get(docname, set())


def begin(app):
    if not hasattr(app.env, "outside_files"):
        app.env.outside_files = {}


def setup(app):
    app.add_transform(OutsideLinks)
    app.connect("builder-inited", begin)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
