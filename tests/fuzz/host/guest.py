# SPDX-License-Identifier: MIT
"""A machine that fuzzes: its initial file system with a corpus, QEMU with the coverage plugin, and
what lies in its memory, alive or dead."""

import mmap
import os
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

import tables
import text

ROOT = str(tables.ROOT)
SUMMARY = ("calls processes programs killed faulted executed_before executed corpus corpus_loaded "
           "free_before free_after ticks hz looks failed_looks finished spoilt orphans "
           "services_lost service_growth leaks memory_failed").split()
RESULTS, COUNTS_A_PAGE, COUNTS_AT = 20, 25, 64
STATE = struct.Struct(">IIIIQ24I8III8I32IQI32II")
BATCH = 32


def make_initrd(build, out, programs):
    """Writes the initial file system with a corpus of these programs."""
    with open(os.path.join(build, "fuzz-initrd.list"), encoding="utf-8") as file:
        files = file.read().split()
    corpus = out + ".corpus"
    with open(corpus, "wb") as file:
        file.write(b"".join(program.pack(owner=i) for i, program in enumerate(programs)))
    pairs = files + ([f"fuzz/corpus={corpus}"] if programs else [])
    subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "scripts/mkinitrd.py"), "--out", out,
                    *pairs], cwd=ROOT, check=True)
    os.remove(corpus)


@dataclass
class Setting:
    """How machines are started."""

    build: str
    cpus: int = 2
    mem: str = "512M"
    options: dict = field(default_factory=dict)  # of the supervisor
    first: bool = False  # the supervisor is the first process, without servers
    pmu: str = "none"
    disk: str = ""
    icount: bool = False
    coverage: str = ""  # file that the map goes to
    boot: str = ""  # more words


def read_text(path):
    with open(path, "rb") as file:
        return file.read().decode(errors="replace").replace("\r", "")


class Guest:
    """One machine, from its start to its end."""

    def __init__(self, setting, initrd, folder):
        self.setting, self.folder = setting, folder
        self.console_path = os.path.join(folder, "console")
        self.emulator_path = os.path.join(folder, "emulator")
        self.map_path = setting.coverage or os.path.join(folder, "coverage")
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else folder
        handle, self.ram_path = tempfile.mkstemp(prefix="orrery-fuzz-", dir=shared)
        os.close(handle)
        with open(self.console_path, "wb") as console, open(self.emulator_path, "wb") as emulator:
            self.process = subprocess.Popen(self.command(initrd), stdout=console, stderr=emulator,
                                            stdin=subprocess.DEVNULL, cwd=ROOT)

    def command(self, initrd):
        setting = self.setting
        words = " ".join(f"{key}={value}" for key, value in setting.options.items())
        start = "init=bin/fuzz" if setting.first else "run=bin/fuzz"
        command = [os.path.join(ROOT, "scripts/qemu"), "--kernel",
                   os.path.join(setting.build, "orrery-bench.elf"), "--initrd", initrd, "--cpus",
                   str(setting.cpus), "--mem", setting.mem, "--append",
                   f"{start} oneshot quiet poison {setting.boot} -- {words}"]
        if setting.disk:
            command += ["--disk", setting.disk]
        if setting.icount:
            command += ["--icount"]
        if setting.pmu != "none":
            command += ["--pmu", setting.pmu]
        return command + ["--coverage", self.map_path, "--ram", self.ram_path]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends the emulator, if it still runs, and gives its memory back."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if os.path.exists(self.ram_path):
            os.remove(self.ram_path)

    @property
    def console(self):
        return read_text(self.console_path)

    @property
    def emulator(self):
        """What QEMU and its plugins have said: apart, as it could come within a line of the
        console."""
        return read_text(self.emulator_path)

    def wait(self, seconds, tell=None):
        """Waits for the end: the exit status, or None when there is none in time. tell(lines) gets
        new lines of the supervisor."""
        deadline, told = time.monotonic() + seconds, 0
        while self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
            if tell:
                lines = [line for line in self.console.split("\n")[:-1]
                         if line.startswith("fuzz: ")]
                tell(lines[told:])
                told = len(lines)
        return self.process.poll()

    def memory(self):
        return Memory(self.ram_path)


class Memory:
    """Pages of the supervisor and its slots, found in the file that is the machine's memory."""

    def __init__(self, path):
        magic = struct.pack(">Q", text.MAGIC)
        self.pages = {}  # by kind, owner, index, part
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
            at = memory.find(magic)
            while at >= 0:
                if at % text.PAGE == 0:
                    _, kind, owner, index, part, _ = text.HEAD.unpack_from(memory, at)
                    self.pages[(kind, owner, index, part)] = memory[at:at + text.PAGE]
                at = memory.find(magic, at + 8)

    def program(self, kind, owner, index, known):
        parts = [self.pages.get((kind, owner, index, part)) for part in range(text.PROGRAM_PAGES)]
        if any(part is None for part in parts):
            return None
        program = text.unpack(b"".join(parts), known)
        return program if program.steps else None

    def corpus(self, known):
        owners = sorted({key[1] for key in self.pages if key[0] == text.PAGE_CORPUS})
        found = (self.program(text.PAGE_CORPUS, owner, 0, known) for owner in owners)
        return [program for program in found if program]

    def summary(self):
        page = self.pages.get((text.PAGE_TOTALS, 0, 0, 0))
        return dict(zip(SUMMARY, struct.unpack_from(f">{len(SUMMARY)}q", page,
                                                    text.HEAD.size))) if page else None

    def counts(self, known):
        """For each call its results: success, each error, anything else."""
        counts = {}
        for i, call in enumerate(known.calls):
            page = self.pages.get((text.PAGE_TOTALS, 0, 0, 1 + i // COUNTS_A_PAGE))
            if page:
                counts[call.name] = struct.unpack_from(f">{RESULTS}Q", page, COUNTS_AT
                                                       + i % COUNTS_A_PAGE * RESULTS * 8)
        return counts

    def history(self, known):
        """What processes have run lately, one group: the processes in the order of their batches,
        each with its programs up to the one that it was at."""
        batches = []
        for kind, owner, _, part in self.pages:
            if kind == text.PAGE_STATE and part == 0:
                page = self.pages[(kind, owner, 0, 0)]
                batches.append((text.HEAD.unpack_from(page)[5], owner, Batch(page)))
        scenario, process = [], 0
        for number, owner, batch in sorted(batches, key=lambda one: one[0]):
            for indices in batch.processes() if number else []:
                programs = [self.program(text.PAGE_PROGRAM, owner, index, known)
                            for index in indices]
                for program in filter(None, programs):
                    program.process, program.group, program.rights, program.cpu = process, 0, \
                        batch.rights, batch.cpu
                    scenario.append(program)
                process += 1
        return scenario


class Batch:
    """What a slot's state says of its batch."""

    def __init__(self, page):
        values = STATE.unpack_from(page, text.HEAD.size)
        # first … image_offset, 24 spared, 8 peers, pid, program, 8 steps, 32 gained,
        # rights, processes, 32 begun, cpu
        self.at, self.rights, self.cpu = values[38], values[79] & 0x3ff, values[113]
        self.begun = values[81:81 + min(values[80], BATCH)]

    def processes(self):
        """The programs of each process, by index."""
        ends = [*self.begun[1:], min(self.at + 1, BATCH)]
        return [range(first, end) for first, end in zip(self.begun, ends) if first < end]
