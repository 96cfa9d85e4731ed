# SPDX-License-Identifier: Apache-2.0
"""The reference: pages generated from the code when the site is made, and stored nowhere."""

from . import command_line, configuration, json_schemas, plugin_abi, plugins, store

PAGES = {
    "configuration-keys": configuration.page,
    "command-line": command_line.page,
    "plugin-options": plugins.page,
    "plugin-abi": plugin_abi.page,
    "store-schema": store.page,
    "json-schemas": json_schemas.page,
}


def write(repository, strata, folder):
    """Write each page into `folder`. `strata` is the program to query; it needs its trainer and its
    dry GPU."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / f"{name}.md").write_text(page(repository, strata))
