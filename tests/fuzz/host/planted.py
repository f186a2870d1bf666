# SPDX-License-Identifier: MIT
"""Defects that are planted to see whether the fuzzer finds them: a test of the tester.

Each is a patch in planted/, with a line `Found as: KIND` (outcome.py). A copy of the sources gets
one after the other; only the kernel is built again.
"""

import glob
import os
import re
import shutil
import subprocess

import tables

ROOT = str(tables.ROOT)
FOUND_AS = re.compile(r"^Found as: (\w+)$", re.MULTILINE)


def patches(here):
    return sorted(glob.glob(os.path.join(here, "planted", "*.patch")))


def kind_of(patch):
    """How its failure shows."""
    with open(patch, encoding="utf-8") as file:
        return FOUND_AS.search(file.read())[1]


def apply(patch, folder, *options):
    """True when it fits."""
    with open(patch, encoding="utf-8") as file:
        return subprocess.run(["patch", "--strip=1", "--silent", "--force", "--reject-file=-",
                               *options], stdin=file, cwd=folder, check=False).returncode == 0


class Garden:
    """A copy of the sources, in which kernels with a defect are built."""

    def __init__(self, folder, build, third, make_words):
        self.folder, self.build, self.make_words = os.path.abspath(folder), build, \
            [f"THIRD={os.path.abspath(third)}", *make_words]
        self.sources = os.path.join(self.folder, "sources")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.sources)
        files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                               stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
        for path in filter(None, files):
            if os.path.exists(os.path.join(ROOT, path)):
                os.makedirs(os.path.dirname(os.path.join(self.sources, path)), exist_ok=True)
                shutil.copy2(os.path.join(ROOT, path), os.path.join(self.sources, path))

    def kernel(self, patch):
        """A build folder with a kernel that has the defect, and all else as it is."""
        if not apply(patch, self.sources):
            raise RuntimeError(f"{patch} does not fit any more")
        try:
            out = os.path.join(self.folder, "build")
            subprocess.run(["make", "--no-print-directory", "-j2", f"BUILD={out}", *self.make_words,
                            "kernel"], cwd=self.sources,
                           stdout=subprocess.DEVNULL, check=True)
        finally:
            apply(patch, self.sources, "--reverse")
        planted = os.path.join(self.folder, os.path.basename(patch).removesuffix(".patch"))
        os.makedirs(planted)
        shutil.copy(os.path.join(out, "orrery-bench.elf"), planted)
        for name in ("coverage.so", "fuzz-lines", "fuzz-initrd.list", "pmu-model.so"):
            os.symlink(os.path.join(self.build, name), os.path.join(planted, name))
        return planted
