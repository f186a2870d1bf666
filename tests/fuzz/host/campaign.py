# SPDX-License-Identifier: MIT
"""Profiles of fuzzing, runs of them, and what is told in the end."""

import glob
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field

import guest
import minimise
import outcome
import text

# all but RIGHT_POWER, whose only call would switch the machine off
RIGHTS = 0x3FF & ~0x10
RUN_SECONDS = 4 * 3600
FAILING = 50  # percent of processes with which an allocation is chosen to fail
ERRORS = ("ok INVAL NOMEM NOENT STALE BUSY LIMIT PERM FAULT TIMEOUT AGAIN EXIST IO PROTO NOTSUP "
          "PEER NOTDIR ISDIR NOTEMPTY other").split()


@dataclass(frozen=True)
class Profile:
    """One way of fuzzing."""

    name: str
    about: str
    share: int  # percent of the calls
    options: dict = field(default_factory=dict)
    first: bool = False
    pmu: str = "none"
    disk: bool = False


PROFILES = (
    Profile("plain", "processes without rights, beside the servers", 53, {"methods": 15}),
    Profile("servers", "servers' methods, from processes without rights", 25, {"methods": 90}),
    Profile("rights", "processes with rights, beside the servers", 10,
            {"methods": 10, "rights": RIGHTS}, pmu="model", disk=True),
    Profile("devices", "processes with rights on a machine without servers", 10,
            {"methods": 0, "rights": RIGHTS}, first=True, disk=True),
    Profile("watched", "processes that spoil what they share, while a monitor looks", 2,
            {"methods": 5, "monitored": 1, "subjects": 60}, pmu="model"),
)


def corpus_files(root):
    return sorted(glob.glob(os.path.join(root, "corpus", "*", "*.fuzz")))


def load(paths, known):
    source, programs = text.Source(known), []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            programs += source.read(file.read(), path)
    return programs


def scenario(paths, known):
    """What stands in these files, one after the other on one machine: a file's processes run at the
    same time."""
    programs = []
    for group, path in enumerate(paths):
        for program in load([path], known):
            program.group = group
            programs.append(program)
    return programs


class Run:
    """One machine that fuzzes by a profile, and what came of it."""

    def __init__(self, known, build, profile, cpus, seed, options, tell=print):
        self.known, self.profile, self.tell = known, profile, tell
        self.folder = tempfile.mkdtemp(prefix="fuzz-")
        self.setting = guest.Setting(build, cpus=cpus,
                                     options={"failing": FAILING, **profile.options, **options,
                                              "seed": seed},
                                     first=profile.first, pmu=profile.pmu)
        if profile.disk:
            self.setting.disk = os.path.join(self.folder, "disk")
            with open(self.setting.disk, "wb") as disk:
                disk.truncate(16 << 20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def run(self, programs, map_path, seconds=RUN_SECONDS):
        """Fuzzes; programs are the corpus to begin with."""
        initrd = os.path.join(self.folder, "initrd")
        guest.make_initrd(self.setting.build, initrd, programs)
        self.setting.coverage = map_path
        begin = time.monotonic()
        with guest.Guest(self.setting, initrd, self.folder) as machine:
            status = machine.wait(seconds,
                                  lambda lines: [self.tell(f"  {self.profile.name}: {line[6:]}")
                                                 for line in lines])
            self.console, emulator = machine.console, machine.emulator
            memory = machine.memory()
        self.seconds = time.monotonic() - begin
        self.summary = memory.summary() or {}
        self.counts = memory.counts(self.known)
        self.outcome = outcome.of(status, self.console, emulator, self.summary)
        self.corpus = memory.corpus(self.known)
        self.history = [] if self.outcome.fine else memory.history(self.known)
        return self.outcome

    def minimise(self, keep, turns=3, tries=2):
        options = {key: value for key, value in self.setting.options.items()
                   if key not in ("calls", "processes", "seconds")}
        setting = guest.Setting(self.setting.build, cpus=self.setting.cpus,
                                options={**options, "patience": 10000000}, first=self.setting.first,
                                pmu=self.setting.pmu, disk=self.setting.disk)
        replayer = minimise.Replayer(setting, self.known, turns=turns, tries=tries,
                                     tell=lambda line: self.tell(f"  minimise: {line}"))
        got, _ = replayer.run(self.history)
        if got.kind != self.outcome.kind:
            self.tell(f"  minimise: what has run lately does not fail again ({got})")
            return None
        return minimise.minimise(self.history, got, replayer, keep)


# ---- tables --------------------------------------------------------------------------------------

def add_counts(total, counts):
    for name, results in counts.items():
        before = total.setdefault(name, [0] * len(results))
        total[name] = [one + other for one, other in zip(before, results)]


def calls_text(known, counts):
    """Calls by name and result; the columns that have any."""
    used = [i for i in range(len(ERRORS)) if any(results[i] for results in counts.values())]
    rows = [f"{'call':26} {'calls':>10} " + " ".join(f"{ERRORS[i]:>8}" for i in used)]
    for call in known.calls:
        results = counts.get(call.name, [0] * len(ERRORS))
        rows.append(f"{call.name:26} {sum(results):10} "
                    + " ".join(f"{results[i] or '.':>8}" for i in used))
    return "\n".join(rows)


def servers_text(known, counts):
    sums = {server: sum(sum(results) for name, results in counts.items()
                        if name.startswith(server + ".")) for server in known.servers}
    return ", ".join(f"{server} {count:,}" for server, count in sums.items())


def run_row(run):
    summary = run.summary or dict.fromkeys(guest.SUMMARY, 0)
    lost = summary["free_before"] - summary["free_after"] if summary["looks"] else 0
    code = summary["executed"] - summary["executed_before"]
    kept = summary["corpus"] - summary["corpus_loaded"]
    return (f"{run.profile.name:10} {summary['calls']:>12,} {summary['processes']:>9,} "
            f"{summary['faulted']:>8,} {summary['killed']:>7,} {summary['memory_failed']:>9,} "
            f"{summary['looks']:>6} {lost // 1024:>8} {summary['service_growth'] // 1024:>8} "
            f"{code:>8,} {kept:>7} {run.seconds:>6.0f}  {run.outcome}")


RUN_HEAD = (f"{'profile':10} {'calls':>12} {'processes':>9} {'faulted':>8} {'killed':>7} "
            f"{'no memory':>9} {'looks':>6} {'KB less':>8} {'servers':>8} {'new code':>8} "
            f"{'kept':>7} {'s':>6}  outcome")
