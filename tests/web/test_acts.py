# SPDX-License-Identifier: MIT
"""What the page does to a real machine, and what it hands out to be done."""

import shlex
import subprocess

import pytest

from machine import CONTROLLER, KOV
from waiting import PATIENCE, wait_for


def kill_asked(page, pid):
    """Kills a process by the page's button, which asks once more in its own place."""
    button = f'tr[data-key="p:{pid}"] .acts button'
    page.see(button)
    page("dblclick", button)
    page.see(f'{button}:has-text("kill {pid}?")')
    page("click", button)


def test_who_waits_for_a_killed_process_hears_that_it_was(machine, open_page):
    page = open_page()
    page.see('.header:has-text("● live")')
    with subprocess.Popen(machine.kov_command("run", "sleep", "3600"), text=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        found = wait_for(lambda: [one["pid"] for one in machine.kov("ps")["processes"]
                                  if one["name"] == "sleep"], "the program runs")
        # What the user has started stands above the system, open.
        page.see(f'[role="treegrid"] .row:nth-child(2)[data-key="p:{found[0]}"]'
                 '[aria-expanded="true"]')
        page.press("7")
        kill_asked(page, found[0])
        said = run.communicate(timeout=PATIENCE)[1]
    assert run.returncode == 137, said
    assert not page.trouble


def test_the_console_is_told_once_to_each_browser(machine, open_page):
    pages = [open_page() for _ in range(3)]
    for page in pages:
        page.see('.header:has-text("● live")')
        page.press("7")
        page.see('.console:has-text("services run")')
    for page in pages:
        told = page.evaluate("""document.querySelector(".console").textContent""")
        assert told.count("services run") == machine.console.count("services run") == 1, told


@pytest.mark.minutes
def test_copied_commands_run_as_they_are(machine, open_page, hot):
    """They are run by a shell that finds kov and, as after `make run`, the machine's token."""
    page = open_page()
    page.see(f'[data-key="{hot}"]')
    commands = set()
    for measure in ("larx", "run-cycles", "drefs", "misses"):
        for selected in (hot, "p:0", "m", "k:ContendedObject"):
            page.evaluate(f"location.hash = '#/objects?r=live:2&e={measure}&s={selected}'")
            page.see(f'.words:has-text("{measure}")')
            commands.add(page.evaluate("""document.querySelector("code.kov").textContent"""))
    page.evaluate("location.hash = '#/metrics?r=live:2'")
    for key in ("2", "7"):
        page.press(key)
        page.see(f'nav [aria-current="page"]:has-text("{key}")')
        page.press("k")
        commands.add(page.wait("""[...document.querySelectorAll(".notice")].map(
            (one) => /kov --port.*?(?=×|$)/.exec(one.textContent)?.[0]).filter(Boolean).pop()"""))
    assert len(commands) >= 5, commands
    for command in commands:
        words = shlex.split(command)
        assert words[:3] == ["kov", "--port", str(machine.port)], command
        done = subprocess.run([KOV, *words[1:]], capture_output=True, text=True, check=False,
                              timeout=PATIENCE, env={"ORRERY_TOKEN": CONTROLLER})
        assert done.returncode == 0 and done.stdout, command + "\n" + done.stderr
    assert not page.trouble
