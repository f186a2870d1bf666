# SPDX-License-Identifier: MIT
"""What compares pages with the tree, on a copy of the tree with one planted untruth at a time."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES, LIMITS, FIGURES = "check-pages", "check-limits", "benchmarks-page --check"
MENTIONS = "check-mentions"
# Put together, since what a source says is there.
LOST, LOST_FILE, LOST_PAGE = "spin_lock_" "slower", "spinning" ".c", "DRAWING" ".md"
LOST_PAPER = "S00" "9"


@pytest.fixture(name="tree", scope="module")
def copy_of_the_tree(tmp_path_factory):
    """All files that are ours, tracked or new."""
    root = tmp_path_factory.mktemp("tree")
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for name in filter(lambda one: (ROOT / one).is_file(), files):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    return root


def check(name, root):
    script, *options = name.split()
    done = subprocess.run([ROOT / "scripts" / script, "--root", str(root), *options], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Planted:
    """Changes files of the tree, and puts them back."""

    def __init__(self, root):
        self.root, self.before = root, {}

    def write(self, path, text):
        target = self.root / path
        self.before.setdefault(target, target.read_bytes() if target.exists() else None)
        if text is None:
            target.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def replace(self, path, old, new):
        text = (self.root / path).read_text(encoding="utf-8")
        assert len(re.findall(old, text)) >= 1, f"{path} has no {old}: plant another untruth"
        self.write(path, re.sub(old, lambda match: match.expand(new), text, count=1))

    def put_back(self):
        for target, text in self.before.items():
            if text is not None:
                target.write_bytes(text)
                continue
            target.unlink()
            for folder in target.parents:
                if any(folder.iterdir()):
                    break
                folder.rmdir()


@pytest.fixture(name="planted")
def changes(tree):
    planted = Planted(tree)
    yield planted
    planted.put_back()


# what is changed: file, what stands there, what then; with which words it is found. All are planted
# at once, since each look at all names takes seconds.
MENTIONED = {
    "a function in a page that is not there":
        ("docs/locks.md", r"\Z", f"\n\nSee `{LOST}()`.\n",
         f": there is no {LOST}"),
    "a function in a command that is not there":
        ("docs/kov.md", r"kov annotate spin_lock_slow ", f"kov annotate {LOST} ",
         f": there is no {LOST}"),
    "a function in a comment that is not there":
        ("kernel/sync/spin.h", r"\Z", f"// As {LOST} does.\n",
         f": there is no {LOST}"),
    "a function that only a comment of a script has":
        ("scripts/check-names", r"\Z", f"# {LOST}\n",
         f": there is no {LOST}"),
    "a file in a comment that is not there":
        ("kernel/sync/spin.h", r"\Z", f"// See sync/{LOST_FILE}.\n",
         f": there is no {LOST_FILE}"),
    "a page in a comment that is in another folder":
        ("kernel/sync/spin.h", r"\Z", "// See docs/sync/locks.md.\n",
         ": there is no docs/sync/locks.md"),
    "a paper that is not there":
        ("kernel/sync/spin.h", r"\Z", f"// As in {LOST_PAPER}.\n",
         f": there is no {LOST_PAPER}"),
    "a page that is not there":
        ("README.md", r"\Z", f"See {LOST_PAGE}.\n", f": there is no {LOST_PAGE}"),
}
# the same; None: the file is made or removed; by which check it is found, and with which words
UNTRUTHS = {
    "a test that the page does not name":
        ("tests/system/test_new.py", None, "", PAGES,
         "docs/testing.md: does not name test test_new.py"),
    "a test that is not there":
        ("docs/testing.md", r"`test_boot\.py`", "`test_boat.py`", PAGES,
         "docs/testing.md: there is no test test_boat.py"),
    "a benchmark that the page does not name":
        ("docs/testing.md", r"\| space \|.*\n", "", PAGES,
         "docs/testing.md: does not name benchmark space"),
    "a benchmark that is not there":
        ("docs/testing.md", r"\| space \|", "| spice, space |", PAGES,
         "docs/testing.md: there is no benchmark spice"),
    "another example of a module":
        ("docs/building.md", r"DEPS := orrery  ", "DEPS := orrery kernel  ", PAGES,
         "docs/building.md: DEPS of trace/module.mk is orrery, not orrery kernel"),
    "a message that the page of the gateway does not know":
        ("viewer/gateway/messages.def", r"limit\(BROWSERS, 32,", "limit(BROWSERS, 33,", PAGES,
         "docs/gateway.md: its messages are others"),
    "another limit of messages in a page":
        ("docs/gateway.md", r"5 seconds \(`HELLO_SECONDS`\)", "6 seconds (`HELLO_SECONDS`)", LIMITS,
         "the sources say HELLO_SECONDS [5]"),
    "a script that the README does not name":
        ("scripts/new", None, "", PAGES, "scripts/README.md: does not name new"),
    "a script that is not there":
        ("scripts/README.md", r"\| `sizes` \|", "| `seizes`, `sizes` |", PAGES,
         "scripts/README.md: there is no seizes"),
    "a target that help does not name":
        ("Makefile", r"\.PHONY: check-releases", ".PHONY: new check-releases", PAGES,
         "scripts/make/help.txt: does not name target new"),
    "a target in help that is not there":
        ("scripts/make/help.txt", r"  coverage  ", "  covering  ", PAGES,
         "scripts/make/help.txt: there is no target covering"),
    "a variable that help does not name":
        ("Makefile", r"APPEND +\?=", "NEWS ?=\nAPPEND ?=", PAGES,
         "scripts/make/help.txt: does not name variable NEWS"),
    "a variable in help that no Makefile reads":
        ("scripts/make/help.txt", r"  MEM=512M ", "  MEMORY=512M ", PAGES,
         "scripts/make/help.txt: no Makefile asks for MEMORY"),
    "another default of a variable":
        ("scripts/make/help.txt", r"  PORT=4242 ", "  PORT=4243 ", PAGES,
         "scripts/make/help.txt: PORT is 4242 if nothing is said, not 4243"),
    "a target that goes through set-up and is not listed":
        ("docs/building.md", r"`make fuzz-trace`, ", "", PAGES,
         "what goes through set-up: does not name target fuzz-trace"),
    "a target that does not go through set-up and is listed":
        ("docs/building.md", r"`make fuzz-trace`, ", "`make clean`, `make fuzz-trace`, ",
         PAGES,
         "what goes through set-up: there is no target clean"),
    "a call of make that has no target":
        ("docs/kov.md", r"`make kov`", "`make cov`", PAGES, "docs/kov.md: make cov: there is no"),
    "a call of make with a variable that nothing reads":
        ("README.md", r"make run ONESHOT=1", "make run ONSHOT=1", PAGES,
         "README.md: make run ONSHOT=1: no Makefile asks for ONSHOT"),
    "a subject of proof that is not there":
        ("scripts/make/help.txt", r'SUBJECT="capability ', 'SUBJECT="packet ', PAGES,
         "there is no subject packet"),
    "another limit of CI":
        (".ci/run", r"LIMIT=\d+", "LIMIT=1800", PAGES, "docs/building.md: .ci/run takes"),
    "no limit of CI":
        ("docs/building.md", r"\d+ minutes", "some minutes", PAGES,
         "docs/building.md: does not say how many minutes"),
    "a folder that is not in the layout":
        ("news/README.md", None, "", PAGES, "docs/architecture.md: does not name folder news"),
    "a folder of the layout that is not there":
        ("docs/architecture.md", r"\| `elf/` \|", "| `elf/`, `dwarf/` |", PAGES,
         "docs/architecture.md: there is no folder dwarf"),
    "a folder without a README":
        ("bench/README.md", None, None, PAGES, "bench: has no README.md"),
    "a server without a README":
        ("servers/fs/README.md", None, None, PAGES, "servers/fs: has no README.md"),
    "a path that is not there":
        ("docs/kov.md", r"`viewer/counts/metrics\.c`", "`viewer/counts/metric.c`", PAGES,
         "docs/kov.md: there is no viewer/counts/metric.c"),
    "a link to a page that is not there":
        ("docs/kov.md", r"\]\(pmu\.md\)", "](pmu2.md)", PAGES,
         "docs/kov.md: a link to pmu2.md, which is not there"),
    "another figure in the page of benchmarks":
        ("docs/benchmarks.md", r"\| dref_hook_on \|(.*?)\| 7 \|", r"| dref_hook_on |\1| 8 |",
         FIGURES, "not the figures of bench/baseline.json"),
    "a row of benchmarks that the baseline does not have":
        ("docs/benchmarks.md", r"\| object_call \|", "| object_cull |", FIGURES,
         "bench/baseline.json has no object_cull"),
    "a line of the baseline without a row":
        ("docs/benchmarks.md", r"\| object_call \|.*\n", "", FIGURES, "no row for object_call"),
    "another number of a constant":
        ("docs/kov.md", r"16 events \(`SAMPLED_EVENTS_MAX`\)", "8 events (`SAMPLED_EVENTS_MAX`)",
         LIMITS, "8 events: the sources say SAMPLED_EVENTS_MAX [16]"),
    "a constant that is not there":
        ("docs/kov.md", r"\(`SAMPLED_EVENTS_MAX`\)", "(`EVENTS_SAMPLED`)", LIMITS,
         "the sources say EVENTS_SAMPLED nothing"),
    "a bound without the name of its constant":
        ("docs/kov.md", r"events \(`SAMPLED_EVENTS_MAX`\)", "events", LIMITS,
         "p to 16: name the constant"),
    "another figure in prose":
        ("docs/ipc.md", r"\d+ \(`ipc\.library_cross_0`\)", "755 (`ipc.library_cross_0`)", LIMITS,
         "755: bench/baseline.json says ipc.library_cross_0"),
    "another limit in the table of security":
        ("docs/security.md", r"\| 1,024 \| \| `ENDPOINT_MAX` \|", "| 1,025 | | `ENDPOINT_MAX` |",
         LIMITS, "docs/security.md: endpoints of a process"),
}


@pytest.mark.parametrize("case", UNTRUTHS)
def test_an_untruth_is_told(planted, case):
    path, old, new, name, words = UNTRUTHS[case]
    if old is None:
        planted.write(path, new)
    else:
        planted.replace(path, old, new)
    code, said = check(name, planted.root)
    assert code == 1 and words in said, said
    assert len(said.splitlines()) <= 3, f"one untruth, told too often:\n{said}"


def test_names_of_nothing_are_told(planted):
    for path, old, new, _ in MENTIONED.values():
        planted.replace(path, old, new)
    code, said = check(MENTIONS, planted.root)
    for case, (path, _, _, words) in MENTIONED.items():
        assert re.search(rf"^{re.escape(path)}:\d+{re.escape(words)}$", said, re.MULTILINE), \
            (case, said)
    assert code == 1 and len(said.splitlines()) == len(MENTIONED), said


@pytest.mark.parametrize("name", [PAGES, LIMITS, FIGURES, MENTIONS])
def test_the_pages_are_true(tree, name):
    assert check(name, tree) == (0, "")


def test_a_new_baseline_is_written_into_the_page(planted):
    baseline = json.loads((planted.root / "bench/baseline.json").read_text(encoding="utf-8"))
    planted.write("bench/baseline.json", json.dumps({**baseline, "object_miss": 12345.5}))
    planted.replace("docs/benchmarks.md", r"\Z", "")  # is put back
    assert check("benchmarks-page", planted.root) == (0, "")
    page = (planted.root / "docs/benchmarks.md").read_text(encoding="utf-8")
    assert "| object_miss | the first call on a CPU: Default Object, table entry | 12,345.5 |" \
        in page
    assert check(FIGURES, planted.root) == (0, "")
