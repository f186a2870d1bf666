# SPDX-License-Identifier: MIT
"""A subject of proof: its harness, the run of Frama-C over it, and the verdict."""

import csv
import glob
import os
import re
import shutil
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROOFS = "tests/proofs"
TIME_LIMIT = 900  # seconds of a CPU a subject
INCLUDES = {
    "kernel": ["kernel", "kernel/include", "include", "clustered-objects/include", "trace/include",
               "pmu/include"],
    "user": ["userlib/include", "include", "clustered-objects/include", "trace/include"],
}
# Every function that is called has a body or a contract, every contract says what it writes.
STRICT = ["-kernel-warn-key", "annot:missing-spec=error", "-eva-warn-key", "invalid-assigns=error"]
EXPECTED = "reached_"  # checks of this name stand where something must come: they must fail
NAMED = re.compile(r"(?:check|assert)\s+(\w+):")
DEFINED = re.compile(r"^[a-z].*?\b(\w+)\([^;]*$", re.MULTILINE)


class Subject:
    """What the lines `// key: value` at the head of a harness say."""

    def __init__(self, path, root=ROOT):
        self.path = path
        self.root = root
        self.name = os.path.basename(path)[:-2]
        with open(os.path.join(root, path), encoding="utf-8") as file:
            head = file.read().split("#include")[0]
        fields = re.findall(r"^// (\w+): (.*(?:\n//   .*)*)", head, re.MULTILINE)
        self.fields = {key: re.sub(r"\n//\s+", " ", value) for key, value in fields}
        self.bounds = self.fields["bounds"]
        self.quick = "quick" in self.fields
        self.seconds = int(self.fields["seconds"])

    def includes(self, build):
        own = self.fields.get("includes", "").split()
        folders = INCLUDES[self.fields.get("side", "kernel")] + own + [PROOFS, "."]
        return [f"-I{os.path.join(self.root, folder)}"
                for folder in folders] + [f"-I{os.path.abspath(build)}/gen"]

    def command(self, build, table, machine):
        """The machine, the preprocessor, a check of every access and operation, and the analysis of
        what they come to."""
        proofs = os.path.join(self.root, PROOFS)
        preprocess = [*self.includes(build), "-include model/prelude.h", "-D__FC_MACHDEP_X86_64",
                      self.fields.get("defines", "")]
        return ["prlimit", f"--cpu={TIME_LIMIT}", "frama-c", "-load-script", machine, "-machdep",
                "ppc64", "-c11", *STRICT, "-cpp-command", f"{proofs}/preprocess %args %i -o %o",
                "-cpp-frama-c-compliant", "-cpp-extra-args=" + " ".join(preprocess), self.path,
                *self.fields.get("checks", "").split(), "-rte", "-then", "-eva",
                *self.fields.get("eva", "").split(), "-eva-no-show-progress", "-eva-verbose", "0",
                "-then", "-metrics", "-metrics-eva-cover", "-then", "-report-csv", table]


def subjects(root=ROOT):
    paths = sorted(glob.glob(os.path.join(root, PROOFS, "subjects/*.c")))
    return [Subject(os.path.relpath(path, root), root) for path in paths]


class Verdict:
    """What came out."""

    def __init__(self, subject, seconds):
        self.subject = subject
        self.seconds = seconds
        self.failed = None   # what kept it from ending as it should
        self.checked = 0
        self.open = []       # alarms
        self.missing = []    # checks that should have failed
        self.reached = 0
        self.dead = []
        self.functions = 0
        self.statements = (0, 0)

    @property
    def proved(self):
        return self.failed is None and not self.open and not self.missing and self.checked > 0 \
            and self.reached > 0

    def line(self):
        name = self.subject.name + ".c"
        if self.failed:
            return f"FAILED {name}: {self.failed}"
        if not self.proved:
            return (f"OPEN   {name}: {self.checked} properties proved, {len(self.open)} open, "
                    f"{len(self.missing)} places not reached")
        also = self.subject.fields.get("proves")
        return (f"PROVED {name}: {self.checked} properties{'; ' + also if also else ''}; "
                f"bounds: {self.subject.bounds}")

    def details(self, verbose):
        lines = ["open: " + text for text in self.open] + ["not reached: " + text
                                                           for text in self.missing]
        return lines + (["no path comes to: " + text for text in self.dead] if verbose else [])

    def row(self):
        part, whole = self.statements
        share = f"{part}/{whole}"
        return (f"{self.subject.name:22}{self.functions:9}{share:>12}{self.checked:8}"
                f"{len(self.open):6}{self.reached:9}{self.seconds:9.0f}  {self.subject.bounds}")


def harness_functions(root, build):
    """Functions of harnesses and of what they put in the place of the rest of the system."""
    names = set()
    for path in glob.glob(os.path.join(root, PROOFS,
                                       "*/*.[ch]")) + glob.glob(os.path.join(
                                           build, "gen/proofs/*.h")):
        with open(path, encoding="utf-8") as file:
            names |= set(DEFINED.findall(file.read()))
    return names


def count_statements(log, harness):
    """The functions of the system that are called: how many, and (statements that a path comes to,
    all)."""
    counts = [(int(part), int(whole)) for name, part,
              whole in re.findall(r"^ +(\w+): (\d+) stmts out of (\d+) ", log, re.MULTILINE)
              if name not in harness]
    return len(counts), (sum(part for part, _ in counts), sum(whole for _, whole in counts))


def source_line(folder, file, line, cache={}):  # pylint: disable=dangerous-default-value
    path = os.path.join(folder, file)
    if path not in cache:
        with open(path, encoding="utf-8") as source:
            cache[path] = source.read().splitlines()
    return cache[path][int(line) - 1]


def name_of(row, root):
    """The name of a check of ours, from its line: the table leaves it out."""
    if not row["property kind"].startswith("user "):
        return None
    match = NAMED.search(source_line(os.path.join(root, row["directory"]), row["file"],
                                     row["line"]))
    return match.group(1) if match else None


def read_table(verdict, table, root):
    with open(table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        name, status = name_of(row, root), row["status"]
        path = os.path.relpath(os.path.join(root, row["directory"], row["file"]), root)
        where = f"{path}:{row['line']} {row['function']}"
        what = f"{where}: {row['property kind']}, {name + ': ' if name else ''}{row['property']}"
        if name and name.startswith(EXPECTED):
            if status in ("Invalid", "Invalid or unreachable", "Unknown"):
                verdict.reached += 1
            else:
                verdict.missing.append(f"{where}: {name[len(EXPECTED):]}")
        elif status == "Valid":
            verdict.checked += 1
        elif status == "Dead":
            verdict.dead.append(what)
        elif status != "Considered valid":
            verdict.open.append(f"{what} ({status})")


def analyse(subject, folder):
    """Runs Frama-C over a subject; the verdict."""
    os.makedirs(folder, exist_ok=True)
    log_path, table = (os.path.abspath(os.path.join(folder, subject.name + end))
                       for end in (".log", ".csv"))
    if os.path.exists(table):
        os.remove(table)
    # its own: it is compiled beside
    machine = os.path.abspath(os.path.join(folder, subject.name + "_machine.ml"))
    shutil.copyfile(os.path.join(subject.root, PROOFS, "machine/ppc64.ml"), machine)
    began = time.monotonic()
    with open(log_path, "w", encoding="utf-8") as log:
        environment = dict(os.environ, PWD=subject.root)  # which paths are told relative to
        status = subprocess.run(subject.command(os.path.dirname(folder), table, machine),
                                cwd=subject.root, env=environment, stdout=log,
                                stderr=subprocess.STDOUT, check=False).returncode
    verdict = Verdict(subject, time.monotonic() - began)
    if status != 0 or not os.path.exists(table):
        verdict.failed = f"Frama-C ended with {status}; see {log_path}"
        return verdict
    read_table(verdict, table, subject.root)
    with open(log_path, encoding="utf-8") as log:
        verdict.functions, verdict.statements = count_statements(log.read(), harness_functions(
            subject.root, os.path.dirname(folder)))
    return verdict
