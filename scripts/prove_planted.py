# SPDX-License-Identifier: MIT
"""Planted defects: patches that a proof must notice, put into a copy of the sources."""

import glob
import os
import re
import shutil
import subprocess

from prove_subject import PROOFS, ROOT, Subject, analyse

COPIED = ["boot", "clustered-objects", "include", "ipc", "kernel", "pmu", "servers", "trace",
          "userlib", "viewer", PROOFS]


class Defect:
    """tests/proofs/planted/NAME.patch: lines `Subject:` and `Finds:`, a part of what must be open,
    before the patch."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-len(".patch")]
        with open(path, encoding="utf-8") as file:
            head = file.read().split("\n--- ")[0]
        fields = dict(re.findall(r"^(\w+): (.*)$", head, re.MULTILINE))
        self.subject, self.finds = fields["Subject"], fields["Finds"]

    def plant(self, build):
        """A copy of the sources with the defect; where."""
        root = os.path.abspath(os.path.join(build, "proofs/planted", self.name))
        shutil.rmtree(root, ignore_errors=True)
        for folder in COPIED:
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(root, folder))
        subprocess.run(["patch", "--quiet", "--no-backup-if-mismatch", "-p1", "-i", self.path],
                       cwd=root, check=True)
        return root

    def look_for(self, build):
        """Whether it is found, and what was said."""
        root = self.plant(build)
        shutil.copytree(os.path.join(build, "gen"), os.path.join(root, "build/gen"))
        subject = Subject(f"{PROOFS}/subjects/{self.subject}.c", root)
        verdict = analyse(subject, os.path.join(root, "build/proofs"))
        if verdict.failed:
            return False, verdict.failed
        found = [text for text in verdict.open if self.finds in text]
        if found:
            return True, found[0]
        return False, f"nothing open says {self.finds}; {verdict.line()}"


def planted_defects():
    return [Defect(path) for path in sorted(glob.glob(os.path.join(ROOT, PROOFS,
                                                                   "planted/*.patch")))]
