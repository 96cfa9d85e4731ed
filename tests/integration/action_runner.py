# SPDX-License-Identifier: Apache-2.0
"""Runs a composite GitHub action here step by step, as GitHub's runner does: its inputs, its
conditions, its bash steps, and the files that steps write to."""

import os
import re
import subprocess

import yaml


class ActionRunner:
    def __init__(self, action, folder):
        self.action, self.folder = action, folder
        self.definition = yaml.safe_load((action / "action.yml").read_text())

    def run(self, steps=None, **inputs):
        """Return the first failed step's exit code (else 0), the summary, the outputs, and what was
        printed. Runs only `steps` if given."""
        inputs = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert set(inputs) <= set(self.definition["inputs"])
        for name, about in self.definition["inputs"].items():
            if name not in inputs:
                assert not about.get("required"), f"{name} is required"
                inputs[name] = about.get("default", "")
        files = {name: self.folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        code, printed = 0, ""
        for step in self.definition["runs"]["steps"]:
            if code == 0 and (steps is None or step["name"] in steps) and self.holds(step.get("if"), inputs):
                done = self.step(step, inputs, files)
                code, printed = done.returncode, printed + done.stdout
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        return code, files["GITHUB_STEP_SUMMARY"].read_text(), outputs, printed

    def step(self, step, inputs, files):
        assert step["shell"] == "bash" and "${{" not in step["run"], "what a pull request says is no part of a script"
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        variables = {name: self.value(text, inputs) for name, text in step.get("env", {}).items()}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
            cwd=self.folder,
            env={**os.environ, **variables, **{name: str(file) for name, file in files.items()}, "GITHUB_ACTION_PATH": str(self.action)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    @staticmethod
    def value(text, inputs):
        return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], text)

    @staticmethod
    def holds(condition, inputs):
        if condition is None:
            return True
        (name,) = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) != '' \}\}", condition).groups()
        return inputs[name] != ""
