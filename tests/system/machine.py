# SPDX-License-Identifier: MIT
"""One virtual Orrery machine: started through scripts/qemu, watched, asked through kov, and ended
by its process id."""

import json
import os
import re
import shlex
import socket
import subprocess

from ports import Port
from waiting import PATIENCE, wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ORRERY_BUILD", os.path.join(ROOT, "build"))
KERNEL = os.path.join(BUILD, "orrery-bench.elf")  # and initrd-bench.cpio: with what tests run
PRODUCT = os.path.join(BUILD, "orrery.elf")
KOV = os.path.join(BUILD, "kov")
PROGRAMS = os.path.join(BUILD, "user", "bin")
CONTROLLER = "test-controller"
OBSERVER = "test-observer"
REPORT_TIMEOUT = 60  # seconds for a machine that hangs to tell what it is doing
CONSOLE_TAIL = 6000  # characters of the console that a failure shows
FAILED_MOST = 20  # lines before that, that tell a failure
REPORT_TAIL = 30000  # with such a report


class GuestError(AssertionError):
    """The machine or kov did not do what was asked; the text holds what they said."""


def read_text(path):
    with open(path, "rb") as file:
        return file.read().decode(errors="replace").replace("\r", "")


class Machine:
    """A machine that boots on construction. Use it as a context manager, or call end()."""

    running = []  # all of this process

    def __init__(self, folder, name, *, cpus=2, mem="512M", append="", icount=False, network=True,
                 typing=False, forward=(), user=True, disk=None, pmu="none", machine_model="970fx",
                 kernel=KERNEL, initrd=None, qemu=()):
        self.name = name
        self.kernel = kernel
        self.harmed = False  # set by a test that leaves it other than it was (pool.py)
        self.idle = False  # no test has it: it is the pool's
        self.shown_from = 0  # of the console: what the test that has it has seen
        self.console_path = os.path.join(folder, f"{name}.console")
        self.emulator_path = os.path.join(folder, f"{name}.emulator")
        self.qmp_path = os.path.join(folder, f"{name}.qmp")
        self.cpus = cpus
        self.ports = [Port() for _ in range(len(forward) + network)]
        numbers = [port.number for port in self.ports]
        self.port = numbers.pop() if network else None
        options = ["--kernel", kernel, "--cpus", str(cpus), "--mem", mem, "--monitor-socket",
                   self.qmp_path]
        if network:
            options += ["--port", str(self.port)]
            append = f"controller={CONTROLLER} observer={OBSERVER} {append}"
        if icount:
            options.append("--icount")
        else:
            append = f"poison {append}"  # where nobody counts instructions
        if disk is not None:
            options += ["--disk", disk]
        if pmu != "none":
            options += ["--pmu", pmu, "--machine-model", machine_model]
        if not user:  # the kernel alone
            initrd = "none"
        if initrd is not None:  # other than the one beside the kernel
            options += ["--initrd", initrd]
        self.forwarded = dict(zip(forward, numbers))
        for guest, port in self.forwarded.items():
            options += ["--forward", f"{port}:{guest}"]
        self.command = [os.path.join(ROOT, "scripts/qemu"), *options, "--append", append.strip(),
                        "--", *qemu]
        self.typing = typing
        self.start()
        Machine.running.append(self)

    def start(self):
        """Boots it; again, with the same ports, when the emulator has ended or was killed."""
        with open(self.console_path, "wb") as console, open(self.emulator_path, "wb") as emulator:
            self.process = subprocess.Popen(self.command, stdout=console, stderr=emulator, cwd=ROOT,
                                            stdin=subprocess.PIPE if self.typing
                                            else subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends the emulator, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for port in self.ports:
            port.release()
        if self in Machine.running:
            Machine.running.remove(self)

    @property
    def console(self):
        """What the guest has printed, and nothing else: what QEMU says could come within a line."""
        return read_text(self.console_path)

    @property
    def emulator(self):
        """What scripts/qemu, QEMU and its plugins have said."""
        return read_text(self.emulator_path)

    def type(self, text):
        """Types on the console of a machine that was started with typing=True."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def describe(self, tail=CONSOLE_TAIL):
        """How it is started alone, what has failed, and the end of its console."""
        console = self.console[self.shown_from:]
        failed = [line for line in console[:-tail].split("\n") if "FAIL" in line][:FAILED_MOST]
        return "\n".join(["--- to run it alone:", shlex.join(self.command), "--- console:", *failed,
                          console[-tail:], "--- emulator:", self.emulator[-tail:]])

    def fail(self, what, tail=CONSOLE_TAIL):
        raise GuestError(f"{what}\n{self.describe(tail)}")

    def fail_hung(self, what):
        """As fail, for a machine that may hang: a reset makes it tell what each CPU and thread is
        at."""
        if self.process.poll() is None:
            try:
                with Monitor(self.qmp_path, timeout=REPORT_TIMEOUT) as monitor:
                    monitor.command("inject-nmi")
                self.process.wait(REPORT_TIMEOUT)
            except (OSError, ValueError, GuestError, subprocess.TimeoutExpired) as error:
                what += f" (and no report: {error!r})"
        self.end()
        return self.fail(what, REPORT_TAIL)

    def wait_end(self, timeout=PATIENCE):
        """Waits until the machine has powered off; returns the exit status."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return self.fail_hung(f"no power-off within {timeout} s")

    def wait_passed(self, program, least=1, timeout=PATIENCE):
        """Waits until a program that checks itself has ended as the first process, or init after
        it: at least so many checks passed, none failed. Returns the console."""
        status = self.wait_end(timeout)
        found = re.search(rf"^{program}: (\d+) passed, 0 failed$", self.console, re.MULTILINE)
        if status != 0 or found is None or int(found[1]) < least:
            failed = [line for line in self.console.splitlines() if line.startswith("FAILED")]
            self.fail("\n".join([f"{program} ended with status {status}", *failed]))
        return self.console

    def wait_for(self, condition, what):
        """Waits until condition() holds, and returns what it gave; not for a machine that has
        ended."""

        def look():
            ended = self.process.poll() is not None
            found = condition()
            if ended and not found:
                self.fail(f"ended with status {self.process.returncode} before {what}")
            return found

        try:
            return wait_for(look)
        except TimeoutError:
            return self.fail_hung(f"{what}: not within {PATIENCE} s")

    def wait_console(self, text):
        """Waits until the console shows text."""
        self.wait_for(lambda: text in self.console, f"the console shows '{text}'")

    def wait_ready(self):
        """Waits until the DCI server answers a hello."""
        # QEMU accepts connections before the guest does;
        # one made too early would wait for its time-out.
        self.wait_console("dci: listening")
        self.wait_for(lambda: self.kov_run("hello", check=False).returncode == 0,
                      "the DCI server answers")
        return self

    def kov_command(self, *arguments, token=CONTROLLER):
        """The command line of `kov arguments` against this machine."""
        return [KOV, "--port", str(self.port), "--token", token, "--timeout", str(PATIENCE),
                "--kernel", self.kernel, "--programs", PROGRAMS, *arguments]

    def kov_run(self, *arguments, token=CONTROLLER, timeout=2 * PATIENCE, check=True, typed=None):
        """Runs kov, which reads what is typed; returns the finished process."""
        try:
            done = subprocess.run(self.kov_command(*arguments, token=token), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=timeout, check=False, input=typed)
        except subprocess.TimeoutExpired:
            return self.fail_hung(f"kov {' '.join(arguments)}: not done within {timeout} s")
        if check and done.returncode != 0:
            said = done.stdout[-3000:] + done.stderr[-3000:]
            self.fail(f"kov {' '.join(arguments)}: status {done.returncode}\n{said}")
        return done

    def kov(self, *arguments, **options):
        """Runs kov with --json; returns what it printed as Python objects."""
        return json.loads(self.kov_run("--json", *arguments, **options).stdout)

    def dump_memory(self, path):
        """Stops the machine, writes its memory as an ELF file, and lets it go on."""
        with Monitor(self.qmp_path) as monitor:
            monitor.command("stop")
            wait_for(lambda: monitor.command("query-status")["status"] == "paused",
                     "the machine stops")
            monitor.command("dump-guest-memory", paging=False, protocol=f"file:{path}")
            monitor.command("cont")


def pid_of(machine, name):
    """The number of the one process of that name."""
    (pid,) = [one["pid"] for one in machine.kov("ps")["processes"] if one["name"] == name]
    return pid


class Monitor:
    """QEMU's machine protocol (QMP) on a machine's socket."""

    def __init__(self, path, timeout=PATIENCE):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rw", encoding="utf-8")
        self.greeting = json.loads(self.stream.readline())
        self.command("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def command(self, name, **arguments):
        """Executes a command and returns its result; events that come first are passed over."""
        self.stream.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            reply = json.loads(self.stream.readline())
            if "error" in reply:
                raise GuestError(f"QMP {name}: {reply['error']}")
            if "return" in reply:
                return reply["return"]
