# SPDX-License-Identifier: MIT
"""A recording of the machine opens at its end, and the page goes through it by a slider and by
itself."""

import pytest

from gateway import Gateway
from waiting import wait_for

SECONDS = 15  # of history at the least: more than the range has
ENDS = """(({ min, max, value }) => [min, max, value].map(Number))(
    document.querySelector(".replay input") ?? {})"""


@pytest.fixture(name="tape")
def _tape(machine, hot, browser, tmp_path):  # pylint: disable=unused-argument
    tape = tmp_path / "run.tape"
    gateway = Gateway(str(tmp_path), "--record", str(tape), contended=machine)
    page = browser.open(gateway.links["observer"])
    page.wait(f"""(([, minutes, seconds]) => 60 * minutes + Number(seconds) > {SECONDS})(
        /history (\\d+):(\\d+)/.exec(document.querySelector(".status-line").textContent) ?? [])""")
    page.close()
    gateway.end()
    return tape


def test_a_recording_is_gone_through(tape, hot, browser, tmp_path):
    gateway = Gateway(str(tmp_path), old=str(tape))
    page = browser.open(gateway.links["observer"])
    page.see('.header:has-text("○ recording")')
    page.see('.banner:has-text("the recording ends here")')
    begin, end, at = page.wait(f"{ENDS}[1] > 0 && {ENDS}")
    assert begin < at == end
    wait_for(lambda: page.longest_bar() == hot, "the hot object of the last seconds")

    page("focus", ".replay input")
    page.press("Home")
    page.wait(f"Math.abs({ENDS}[2] - {begin}) < 0.001 && location.hash.includes('..')")
    wait_for(lambda: page.longest_bar() == hot, "the hot object of the first seconds")
    page("selectOption", ".replay select", "60")
    page("click", '.replay button:has-text("Play")')
    page.wait(f"Math.abs({ENDS}[2] - {end}) < 0.001")
    page.see('.replay button:has-text("Play")')
    page.press("y")
    page.see('.replay button:has-text("Pause")')
    page.press("y")
    page.see('.replay button:has-text("Play")')
    assert not page.trouble
    page.close()
    gateway.end()
