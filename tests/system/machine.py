# SPDX-License-Identifier: MIT
"""One virtual Orrery machine: started through scripts/qemu, watched, asked through kov, and ended by its process id."""

import json
import os
import socket
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ORRERY_BUILD", os.path.join(ROOT, "build"))
KERNEL = os.path.join(BUILD, "orrery.elf")
KOV = os.path.join(BUILD, "kov")
PROGRAMS = os.path.join(BUILD, "user", "bin")
CONTROLLER = "test-controller"
OBSERVER = "test-observer"
BOOT_TIMEOUT = 60  # seconds; on a busy host a boot of eight CPUs takes some
REPORT_TIMEOUT = 20  # seconds for a machine that hangs to tell what it is doing
CONSOLE_TAIL = 6000  # characters of the console that a failure shows
REPORT_TAIL = 30000  # with such a report


class GuestError(AssertionError):
    """The machine or kov did not do what was asked; the text holds what they said."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Machine:
    """A machine that boots on construction. Use it as a context manager, or call end()."""

    def __init__(self, folder, name, *, cpus=2, mem="512M", append="", icount=False, network=True, typing=False,
                 forward=(), user=True, disk=None, pmu="none", machine_model="970fx", kernel=KERNEL, qemu=()):
        self.console_path = os.path.join(folder, f"{name}.console")
        self.qmp_path = os.path.join(folder, f"{name}.qmp")
        self.cpus = cpus
        self.port = free_port() if network else None
        options = ["--kernel", kernel, "--cpus", str(cpus), "--mem", mem, "--monitor-socket", self.qmp_path]
        if network:
            options += ["--port", str(self.port)]
            append = f"controller={CONTROLLER} observer={OBSERVER} {append}"
        if icount:
            options.append("--icount")
        if disk is not None:
            options += ["--disk", disk]
        if pmu != "none":
            options += ["--pmu", pmu, "--machine-model", machine_model]
        if not user:  # the kernel alone
            options += ["--initrd", "none"]
        self.forwarded = {guest: free_port() for guest in forward}
        for guest, port in self.forwarded.items():
            options += ["--forward", f"{port}:{guest}"]
        self.command = [os.path.join(ROOT, "scripts/qemu"), *options, "--append", append.strip(), "--", *qemu]
        with open(self.console_path, "wb") as console:
            self.process = subprocess.Popen(self.command, stdout=console, stderr=subprocess.STDOUT, cwd=ROOT,
                                            stdin=subprocess.PIPE if typing else subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends the emulator, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    @property
    def console(self):
        with open(self.console_path, "rb") as console:
            return console.read().decode(errors="replace").replace("\r", "")

    def type(self, text):
        """Types on the console of a machine that was started with typing=True."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def fail(self, what, tail=CONSOLE_TAIL):
        command = " ".join(f"'{word}'" if " " in word or not word else word for word in self.command)
        raise GuestError(f"{what}\n--- to run it alone:\n{command}\n--- console:\n{self.console[-tail:]}")

    def fail_hung(self, what):
        """As fail, for a machine that may hang: a reset makes it tell what each CPU and thread is at."""
        if self.process.poll() is None:
            try:
                with Monitor(self.qmp_path, timeout=REPORT_TIMEOUT) as monitor:
                    monitor.command("inject-nmi")
                self.process.wait(REPORT_TIMEOUT)
            except (OSError, ValueError, GuestError, subprocess.TimeoutExpired) as error:
                what += f" (and no report: {error!r})"
        self.end()
        return self.fail(what, REPORT_TAIL)

    def wait_end(self, timeout):
        """Waits until the machine has powered off; returns the exit status."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return self.fail_hung(f"no power-off within {timeout} s")

    def wait_console(self, text, timeout=BOOT_TIMEOUT):
        """Waits until the console shows text."""
        deadline = time.monotonic() + timeout
        while text not in self.console:
            if self.process.poll() is not None and text not in self.console:
                self.fail(f"ended with status {self.process.returncode} before the console showed '{text}'")
            if time.monotonic() > deadline:
                self.fail_hung(f"the console did not show '{text}' within {timeout} s")
            time.sleep(0.05)

    def wait_ready(self, timeout=BOOT_TIMEOUT):
        """Waits until the DCI server answers a hello."""
        # QEMU accepts connections before the guest does; one made too early would wait for its time-out.
        self.wait_console("dci: listening", timeout)
        deadline = time.monotonic() + timeout
        while self.kov_run("hello", check=False).returncode != 0:
            if self.process.poll() is not None:
                self.fail(f"ended with status {self.process.returncode} before it answered")
            if time.monotonic() > deadline:
                self.fail_hung(f"no answer from the DCI server within {timeout} s")
            time.sleep(0.05)
        return self

    def kov_command(self, *arguments, token=CONTROLLER):
        """The command line of `kov arguments` against this machine."""
        return [KOV, "--port", str(self.port), "--token", token, "--timeout", "60", "--kernel", KERNEL, "--programs", PROGRAMS,
                *arguments]

    def kov_run(self, *arguments, token=CONTROLLER, timeout=120, check=True):
        """Runs kov; returns the finished process."""
        try:
            done = subprocess.run(self.kov_command(*arguments, token=token), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, errors="replace", timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return self.fail_hung(f"kov {' '.join(arguments)}: not done within {timeout} s")
        if check and done.returncode != 0:
            said = done.stdout[-3000:] + done.stderr[-3000:]
            self.fail(f"kov {' '.join(arguments)}: status {done.returncode}\n{said}")
        return done

    def kov(self, *arguments, **options):
        """Runs kov with --json; returns what it printed as Python objects."""
        return json.loads(self.kov_run("--json", *arguments, **options).stdout)


class Monitor:
    """QEMU's machine protocol (QMP) on a machine's socket."""

    def __init__(self, path, timeout=60):
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
