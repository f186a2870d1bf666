# SPDX-License-Identifier: MIT
"""Two browsers see the samples of a kov command on the same machine. They see all of them, to the
count."""

import pytest

from browser import tell
from sessions import _page, measure, show_ranking  # noqa: F401  pylint: disable=unused-import
from waiting import wait_for

EVENTS = {"larx": "larx@10000", "run-cycles": "run-cycles"}
WHAT = ("-e", ",".join(EVENTS.values()))
TALL = {"viewport": {"width": 1280, "height": 4000}}  # all rows are in the page


def show_by(page, by, event):
    page("click", f'[aria-label="Ranking of"] button:has-text("{by}")')
    page.see(f'[role="grid"][aria-label="Ranking of {by} by {event}"]')


def samples_shown(page):
    """Returns the samples of all rows. It leaves out what is in no row."""
    return page.evaluate("""[...document.querySelectorAll(
        '[role="grid"] .row:not([data-key="rest"]) [role="gridcell"]:nth-child(6)')]
            .reduce((sum, one) => sum + Number(one.innerText.replaceAll(",", "")), 0)""")


@pytest.mark.parametrize("command", [
    ("record", "--duration", "3", "-o", "{}/samples"),
    pytest.param(("top", "-n", "1", "-d", "3"), marks=pytest.mark.minutes),
], ids=["record", "top"])
def test_two_browsers_and_kov(machine, gateway, page, open_page, tmp_path, capsys, command):
    pages = [open_page(link, **TALL) for link in gateway.links.values()]
    for one in pages:
        one.see('.header:has-text("● live")')
    words = [word.format(tmp_path) for word in command]
    begin, found = wait_for(lambda: measure(machine, *words, "-e", ",".join(EVENTS.values())),
                            "a session of which nothing was missed")
    for event in found["events"]:
        name, taken = event["event"], event["taken"]
        tell(capsys, f"{command[0]} and two browsers: {taken} samples of {name}, "
                     f"lost {event['lost']}, missed {event['missed']}")
        assert taken > 0 and event["filtered"] == 0
        for one in pages:
            show_ranking(one, begin, name)
            for by in "objects", "classes", "processes":
                show_by(one, by, name)
                wait_for(lambda one=one, taken=taken: samples_shown(one) == taken,
                         f"{taken} samples of {name} by {by}")
    assert {event["event"] for event in found["events"]} == EVENTS.keys() and not page.trouble
