# SPDX-License-Identifier: Apache-2.0
"""Strata's third-party code: third_party/libraries.json, and the three documents made from it.

    tools/release/third_party.py list
        writes THIRD_PARTY_LICENSES.md again
    tools/release/third_party.py papers VERSION FOUND.json FOLDER
        writes copyright and strata.cdx.json into FOLDER

CMake (cmake/papers.cmake) runs the second command with the versions that it found: {"fmt": "9.1.0",
...}. It needs only Python.
"""

import datetime
import json
import os
import pathlib
import sys
import uuid

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
LIST = "THIRD_PARTY_LICENSES.md"
HOLDER = "2026 The Strata authors"

# How a library gets into the user's installation; the scope is CycloneDX's.
USED = {
    "compiled in": ("headers, compiled into Strata's libraries", "required"),
    "in the page": ("embedded in every `report.html`", "required"),
    "objects of an archive": ("objects of its archive, linked into Strata's libraries", "required"),
    "shared": ("shared library of the system", "required"),
    "shared and compiled in": ("shared library of the system; its headers are compiled in", "required"),
    "the user's": ("headers, compiled in; its libraries are the user's own, found at run time", "optional"),
    "declarations": ("headers alone, of which declarations are used; its libraries are the user's own, found at run time", "optional"),
    "tests": ("tests and benchmarks alone: in no package", "excluded"),
}
# Parts of these libraries are in the packages, so their licences must be too.
HANDED_ON = {"compiled in", "objects of an archive", "in the page", "shared and compiled in", "the user's"}


def libraries():
    return json.loads((REPOSITORY / "third_party/libraries.json").read_text())["libraries"]


def licence_file(library):
    """Return the file of the licence's text, for libraries whose text is in the packages."""
    return REPOSITORY / "third_party/licences" / f"LICENSE-{library['name'].lower().replace(' ', '-')}"


def where_text_is(library):
    if licence_file(library).is_file():
        return "[below](#" + library["name"].lower().replace(" ", "-").replace("+", "") + ")"
    if library["package"].startswith("PyPI"):
        return "in the `licenses` folder of the wheel"
    return f"`/usr/share/doc/{library['package']}/copyright`"


def page():
    lines = [
        "# Third-party licences",
        "",
        "What Strata uses of others, and how. Strata itself is under the Apache License 2.0 ([LICENSE](LICENSE)). The versions that a package was built",
        "with are in its `strata.cdx.json`, a CycloneDX list. Written by `tools/release/third_party.py list` from `third_party/libraries.json`.",
        "",
        "| library | from version | licence | what for | how it is used | from | the licence's text |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in libraries():
        cells = [each["name"], each["at_least"], each["licence"], each["for"], USED[each["used"]][0], each["package"], where_text_is(each)]
        lines.append(f"| {' | '.join(cells)} |")
    for each in libraries():
        if licence_file(each).is_file():
            lines += ["", f"## {each['name']}", "", "```", licence_file(each).read_text().rstrip(), "```"]
    return "\n".join(lines) + "\n"


def debian_copyright():
    """Return the file in Debian's format (copyright-format/1.0); the licences' texts are beside
    it."""
    inside = [each for each in libraries() if each["used"] in HANDED_ON]
    licences = sorted({word for each in inside for word in each["licence"].split(" AND ")} - {"Apache-2.0"})
    holders = [HOLDER, *(holder for each in inside for holder in each["copyright"].split("; "))]
    texts = "THIRD_PARTY_LICENSES.md beside this file has the whole text."
    stanzas = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: strata",
        "\n".join(
            ["Files: *", "Copyright: " + "\n ".join(holders)]
            + ["License: " + " and ".join(["Apache-2.0", *(each.replace(" WITH ", " with ") for each in licences)])]
            + ["Comment: Strata itself is under Apache-2.0. Of others it holds:"]
            + [f" {each['name']} ({each['licence']}): {USED[each['used']][0].replace('`', '')}." for each in inside]
        ),
        "License: Apache-2.0\n On Debian systems the whole text is in /usr/share/common-licenses/Apache-2.0.",
    ]
    stanzas += [f"License: {each.replace(' WITH ', ' with ')}\n {texts}" for each in licences]
    return "\n\n".join(stanzas) + "\n"


def component(library, version):
    described = {
        "type": "library",
        "bom-ref": library["purl"],
        "name": library["name"],
        "scope": USED[library["used"]][1],
        "licenses": [{"expression": library["licence"]}],
        "copyright": library["copyright"],
        "purl": library["purl"],
        "properties": [{"name": "strata:used", "value": USED[library["used"]][0]}, {"name": "strata:at_least", "value": library["at_least"]}],
    }
    if version:
        described |= {"version": version, "purl": f"{library['purl']}@{version}"}
    return described


def bill_of_materials(version, found):
    """Return CycloneDX 1.6. The same build always gives the same document, except for its time,
    which SOURCE_DATE_EPOCH sets."""
    components = [component(each, found.get(each["name"])) for each in libraries()]
    of = f"pkg:generic/strata@{version}"
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": of,
                "name": "strata",
                "version": version,
                "licenses": [{"expression": "Apache-2.0"}],
                "copyright": HOLDER,
                "purl": of,
            }
        },
        "components": components,
        "dependencies": [{"ref": of, "dependsOn": [each["bom-ref"] for each in components if each["scope"] != "excluded"]}],
    }
    content["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))}"
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc) if seconds is None else datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    content["metadata"]["timestamp"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return content


def main(words):
    if words == ["list"]:
        (REPOSITORY / LIST).write_text(page())
    elif len(words) == 4 and words[0] == "papers":
        version, found, folder = words[1], json.loads(pathlib.Path(words[2]).read_text()), pathlib.Path(words[3])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "copyright").write_text(debian_copyright())
        (folder / "strata.cdx.json").write_text(json.dumps(bill_of_materials(version, found), indent=2) + "\n")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
