# SPDX-License-Identifier: MIT
"""A machine, its DCI server and kov serve are ended and started again. The page tells it, and takes
up what comes back. Each test says how soon, and asserts no time."""

import signal
import subprocess
import time

import pytest

from browser import tell
from conftest import CONTENDED
from gateway import Gateway
from machine import Machine
from waiting import wait_for

# Pixels of the strip in the red of gaps, of which there is no other.
RED = """(() => {
    const strip = document.querySelector(".strip-graphs");
    const { data } = strip.getContext("2d").getImageData(0, 0, strip.width, strip.height);
    let red = 0;
    for (let at = 0; at < data.length; at += 4) {
        const [r, g, b, a] = data.subarray(at, at + 4);
        red += a > 200 && r - g > 80 && Math.abs(g - b) < 30;
    }
    return red;
})()"""

# The server may be there again before a test looks.
KEEP_BANNERS = """new MutationObserver(() => {
    document.body.dataset.told = (document.body.dataset.told ?? "")
        + (document.querySelector(".banner")?.textContent ?? "");
}).observe(document.getElementById("page"), { childList: true, subtree: true })"""


@pytest.fixture(scope="module", name="own")
def _own_machine(tmp_path_factory):
    """Starts a machine that nobody else needs."""
    with Machine(str(tmp_path_factory.mktemp("own")), "restarted", **CONTENDED) as machine:
        yield machine.wait_ready()


@pytest.fixture(name="gateway")
def _gateway(own, machine, tmp_path):
    gateway = Gateway(str(tmp_path), restarted=own, contended=machine)
    yield gateway
    gateway.end()


@pytest.fixture(name="page")
def _page(gateway, browser):
    page = browser.open(gateway.links["controller"])
    yield page
    page.close()


def boot_of(page):
    """Returns the boot, as a link to a held range names it."""
    page.press("Space")
    boot = page.wait("location.hash.match(/@([0-9a-f]+)/)?.[1]")
    page.press("Space")
    return boot


def wait_hot(page):
    """Waits until the page is live, with samples of now."""
    page.see('.header:has-text("● live")')
    page.wait("""!document.querySelector(".banner")""")
    page.wait("""/samples [1-9]/.test(document.querySelector(".status-line").textContent)""")
    wait_for(page.longest_bar, "an object is hot")


def views_as_they_are(page, when):
    """Goes through all views of a machine that cannot be heard: they are grey, and have what was
    known at the time that the banner tells."""
    at = page.wait("""/as it was at ([0-9:.]+[0-9])/.exec(
        document.querySelector(".banner")?.textContent)?.[1]""")
    assert when is None or at == when, at
    for key, what in (("1", '[role="treegrid"] [data-key^="o:"]'), ("2", ".chart canvas"),
                      ("3", '[role="grid"] [data-key^="o:"]'), ("7", 'tr[data-key="p:1"]'),
                      ("7", '.console:has-text("services run")')):
        page.press(key)
        page.see(f".main.stale {what}")
    page.press("1")
    return at


def hot_of_link(page, link):
    """Opens a link in the page. Returns its hottest object in the range of the link."""
    page.evaluate(f"location.hash = '{link}'")
    return wait_for(page.longest_bar, "an object was hot in the range of the link")


def told(begin, end):
    return f"told after {1000 * (end - begin):.0f} ms"


@pytest.fixture(name="other_page")
def _other_page(gateway, browser):
    """Opens a page of the other machine, to which nothing is done."""
    page = browser.open(gateway.links["controller"])
    page.see('.header select')
    page("selectOption", ".header select", "contended")
    yield page
    page.close()


def test_a_killed_machine_is_told_and_taken_up_again(
        own, page, other_page, gateway, browser, capsys):
    wait_hot(page)
    wait_hot(other_page)
    before = boot_of(page)
    wait_hot(page)
    hot = page.longest_bar()
    page.press("Space")
    held = page.wait("location.hash.includes('@') && location.hash")
    page.press("Space")
    begin = time.monotonic()
    own.process.kill()
    own.process.wait()
    end = page.when('.header:has-text("○ lost")')
    page.see('.banner:has-text("No connection to restarted")')
    assert page.longest_bar(), "what was known stays"
    at = views_as_they_are(page, None)
    late = browser.open(gateway.links["observer"])  # it has seen nothing of that boot
    views_as_they_are(late, at)
    other_page.see('.notice:has-text("No connection to restarted")')
    wait_hot(other_page)
    tell(capsys, f"the machine was killed: {told(begin, end)}")

    own.start()
    wait_hot(page)
    assert boot_of(page) != before
    wait_hot(page)
    page("selectOption", ".header select", "restarted, boot before")
    page.see('.banner:has-text("this is its boot before")')
    views_as_they_are(page, at)
    assert page.evaluate("location.hash").count(f"m=restarted@{before}") == 1
    assert hot_of_link(page, held) == hot
    page.see('.banner:has-text("this is its boot before")')
    page("click", '.banner button:has-text("Its boot now")')
    wait_hot(page)

    for _ in range(2):  # the boots before are that many later than the link's
        own.process.kill()
        own.process.wait()
        page.see('.header:has-text("○ lost")')
        own.start()
        wait_hot(page)
    page.evaluate(f"location.hash = '{held}'")
    page.see('.notice:has-text("earlier boot of restarted, which is gone")')
    wait_hot(page)
    late.close()
    assert not page.trouble and not other_page.trouble


def test_a_panic_is_told_and_stays_with_its_boot(own, browser, tmp_path):
    gateway = Gateway(str(tmp_path), "--console", own.console_path, restarted=own)
    page = browser.open(gateway.links["controller"])
    wait_hot(page)
    page.press("Space")
    held = page.wait("location.hash.includes('@') && location.hash")
    hot = hot_of_link(page, held)
    page.press("Space")
    own.kov_run("workload", "start", "crash", "kind=assert", check=False)  # who could answer?
    panicked = '.banner:has-text("panicked. PANIC on CPU")'
    page.see(panicked)
    page.see('.banner:has-text("assertion failed: value == 0")')
    at = views_as_they_are(page, None)
    assert own.wait_end() != 0

    own.start()
    wait_hot(page)
    assert page.evaluate("""!document.querySelector(".banner")""")
    assert hot_of_link(page, held) == hot
    page.see(panicked)
    views_as_they_are(page, at)
    assert not page.trouble
    page.close()
    gateway.end()


def test_a_machine_that_does_not_answer_is_not_called_live(own, page, capsys):
    wait_hot(page)
    begin = time.monotonic()
    own.process.send_signal(signal.SIGSTOP)
    try:
        end = page.when('.header:has-text("not answering for")')
        page.see(".main.stale")
        page.see('.banner:has-text("has not answered for")')
    finally:
        own.process.send_signal(signal.SIGCONT)
    tell(capsys, f"the machine was stopped: {told(begin, end)}")
    wait_hot(page)
    assert not page.trouble


def test_a_killed_dci_server_leaves_a_gap(own, page, capsys):
    """The machine goes on meanwhile, so its history stays, with a gap."""
    wait_hot(page)
    before = boot_of(page)
    wait_hot(page)
    assert page.evaluate(RED) == 0
    (killed,) = [one["pid"] for one in own.kov("ps")["processes"] if one["name"] == "dci"]
    page.evaluate(KEEP_BANNERS)
    begin = time.monotonic()
    command = own.kov_command("kill", str(killed))  # its answer may be lost
    with subprocess.Popen(command, stderr=subprocess.DEVNULL):
        lost = page.when('body[data-told*="No connection to restarted"]')
        drawn = page.when('.strip-graphs[aria-label*="no connection"]')
    page.wait(RED)
    tell(capsys, f"the DCI server was killed: {told(begin, lost)}, "
                 f"the gap drawn after {1000 * (drawn - begin):.0f} ms")
    wait_hot(page)
    assert boot_of(page) == before
    assert not page.trouble


def test_kov_serve_that_is_started_again_says_that_its_tokens_are_new(
        gateway, browser, page, capsys):
    wait_hot(page)
    begin = time.monotonic()
    gateway.process.kill()
    gateway.process.wait()
    end = page.when('.banner:has-text("No connection to kov serve")')
    assert page.longest_bar(), "what was known stays"
    tell(capsys, f"kov serve was killed: {told(begin, end)}")

    begin = time.monotonic()
    gateway.start(gateway.port)
    end = page.when('.banner:has-text("kov serve was started again")')
    assert page.longest_bar(), "what was known stays"
    tell(capsys, f"kov serve was started again: {told(begin, end)}")

    page("fill", '.banner [name="token"]', gateway.links["controller"])
    page("click", '.banner button[type="submit"]')
    wait_hot(page)
    assert not page.trouble
