# SPDX-License-Identifier: MIT
"""What `make run` starts: a machine whose token kov finds by its port, and `kov serve` beside it,
which ends with it."""

import glob
import os
import re
import signal
import stat
import subprocess
import urllib.error
import urllib.request

import pytest

from machine import BUILD, KOV, PRODUCT, PROGRAMS, ROOT, read_text
from ports import Port
from waiting import PATIENCE, wait_for

LINK = re.compile(r"(controller|observer): +(http://(127\.0\.0\.1:\d+)/#t=([0-9a-f]{32}))\n")


class Run:
    """A run of scripts/run-machine, in folders of its own."""

    def __init__(self, folder, name="machine", append="", port=None, web=None):
        self.folder = str(folder)
        self.said = os.path.join(self.folder, f"{name}.said")
        self.ports = [Port(), Port()]
        self.port, self.web = port or self.ports[0].number, web or self.ports[1].number
        self.token_file = os.path.join(self.folder, "orrery", f"{self.port}.token")
        # 127.0.0.1 is reached without a proxy.
        self.environment = {key: value for key, value in os.environ.items()
                            if key != "ORRERY_TOKEN" and not key.lower().endswith("_proxy")}
        self.environment["XDG_RUNTIME_DIR"] = self.folder
        self.command = [os.path.join(ROOT, "scripts/run-machine"), "--build", BUILD, "--port",
                        str(self.port), "--web", str(self.web), "--append", append, "--",
                        "--kernel", PRODUCT]
        self.process = None

    def __enter__(self):
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(self.command, cwd=ROOT, env=self.environment,
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        for port in self.ports:
            port.release()

    def kov(self, *arguments):
        return subprocess.run([KOV, "--port", str(self.port), "--timeout", str(PATIENCE),
                               "--kernel", PRODUCT, "--programs", PROGRAMS, *arguments],
                              env=self.environment, capture_output=True, text=True,
                              timeout=2 * PATIENCE, check=False)

    def wait_said(self, text):
        wait_for(lambda: text in read_text(self.said) or self.process.poll() is not None)
        assert text in read_text(self.said), read_text(self.said)

    def links(self):
        """Role, link, host and token, of each link that is printed before the console."""
        before, console, _ = read_text(self.said).partition("Orrery")
        assert console, before
        found = LINK.findall(before)
        assert [role for role, *_ in found] == ["controller", "observer"], before
        return found

    def token(self):
        with open(self.token_file, encoding="utf-8") as file:
            return file.read().strip()


def processes_with(text):
    """The processes of this host that have text on their command line: number and command line."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                line = file.read()
        except OSError:
            continue
        if text.encode() in line:
            found[int(path.split("/")[2])] = line
    return found


def processes_of(run):
    """kov serve, and the emulator."""
    return {**processes_with(f"serve\0--port\0{run.port}\0"),
            **processes_with(f"tcp:127.0.0.1:{run.port}-")}


def test_tokens_stand_on_no_command_line_and_all_ends_with_the_machine(tmp_path):
    with Run(tmp_path) as run:
        run.wait_said("dci: listening")
        tokens = [run.token(), *(token for *_, token in run.links())]
        assert all(re.fullmatch("[0-9a-f]{32}", token) for token in tokens)
        assert len(set(tokens)) == 3
        assert stat.S_IMODE(os.stat(run.token_file).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(run.token_file)).st_mode) == 0o700

        assert len(processes_of(run)) == 2
        for token in tokens:
            assert not processes_with(token)

        hello = run.kov("hello")
        assert hello.returncode == 0 and "controller" in hello.stdout, hello.stderr
        assert run.kov("--token", "orrery", "hello").returncode == 3

        for _, link, host, _ in run.links():
            with urllib.request.urlopen(link, timeout=PATIENCE) as page:
                assert page.status == 200 and page.headers["content-type"].startswith("text/html")
            other = urllib.request.Request(link, headers={"Host": f"elsewhere{host}"})
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(other, timeout=PATIENCE)

        assert run.kov("poweroff").returncode == 0
        assert run.process.wait(PATIENCE) == 0
        assert not processes_of(run) and not os.path.exists(run.token_file)


def test_a_taken_port_for_browsers_is_told_and_another_used(tmp_path):
    with Run(tmp_path) as run:
        run.wait_said("dci: listening")
        with Run(tmp_path, "second", web=run.web) as second:
            second.wait_said("dci: listening")
            assert f"port {run.web} cannot be had" in read_text(second.said)
            assert run.links()[0][2] == f"127.0.0.1:{run.web}" != second.links()[0][2]
            assert run.token() != second.token()
            assert run.kov("hello").returncode == 0 and second.kov("hello").returncode == 0


def test_a_taken_port_of_the_machine_changes_nothing_and_a_stale_token_does_no_harm(tmp_path):
    with Run(tmp_path) as run:
        run.wait_said("dci: listening")
        token = run.token()
        with Run(tmp_path, "late", port=run.port) as late:
            assert late.process.wait(PATIENCE) == 2
            assert f"port {run.port} on 127.0.0.1 is taken" in read_text(late.said)
        assert run.token() == token and run.kov("hello").returncode == 0
        run.process.kill()
        run.process.wait(PATIENCE)
        wait_for(lambda: not processes_of(run))  # though nobody was there to end them
        assert run.token() == token
        with run:
            run.wait_said("dci: listening")
            assert run.token() != token and run.kov("hello").returncode == 0
            run.process.terminate()
            assert run.process.wait(PATIENCE) == 128 + signal.SIGTERM
            assert not processes_of(run) and not os.path.exists(run.token_file)


def test_a_token_of_the_boot_line_is_found_too(tmp_path):
    with Run(tmp_path, append="quiet controller=mine") as run:
        wait_for(lambda: run.kov("hello").returncode == 0)
        assert run.token() == "mine" and run.kov("--token", "mine", "hello").returncode == 0


def test_the_status_is_the_guests(tmp_path):
    with Run(tmp_path, append="bench=nonsense") as run:
        assert run.process.wait(PATIENCE) not in (0, 2)
        assert "this image has no benchmarks" in read_text(run.said)
        assert not processes_of(run) and not os.path.exists(run.token_file)
