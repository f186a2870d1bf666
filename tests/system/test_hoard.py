# SPDX-License-Identifier: MIT
"""Processes without rights that keep what they got through servers: who is on whose account."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Who makes memory that others can hold: the name that it has in lists of regions.
MADE = re.compile(r'(?:sys_memory_new|make|fcm_create_published)\(\s*"([^"]+)"')


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_a_hoard_is_on_an_account_and_ends_with_its_holder(boot, cpus):
    """On 256 MB; meanwhile programs with rights start, and no server ends."""
    machine = boot(f"hoard-{cpus}", cpus=cpus, mem="256M",
                   append="run=bin/test-hoard,only,memory oneshot")
    console = machine.wait_passed("test-hoard", 35)
    assert "exit status" not in console
    assert "out of memory" not in console


@pytest.mark.parametrize("cpus, pmu", [(1, "none"), (2, "model"), (4, "model")])
def test_a_process_that_starts_itself_for_ever_costs_others_time(boot, cpus, pmu):
    """Its family has an end, and servers have none."""
    machine = boot(f"bomb-{cpus}", cpus=cpus, pmu=pmu, mem="256M",
                   append="run=bin/test-hoard,only,bomb oneshot")
    console = machine.wait_passed("test-hoard", 15)
    assert "exit status" not in console and "out of memory" not in console


@pytest.mark.minutes
@pytest.mark.parametrize("cpus, pmu", [(2, "none"), (4, "model")])
def test_more_of_them_than_memory_cost_others_time(boot, cpus, pmu):
    """They end for want of memory, and nobody else does. Thousands of them end, one by one."""
    machine = boot(f"bombs-{cpus}", cpus=cpus, pmu=pmu, mem="256M",
                   append="run=bin/test-hoard,only,bombs oneshot")
    assert "exit status" not in machine.wait_passed("test-hoard", 30, timeout=1800)


def test_each_kind_of_memory_that_is_given_out_has_an_account():
    """Servers, the kernel and the library: what they make for others is in the page's table."""
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    table = page.split("## Whose memory it is")[1].split("\n## ")[0]
    found = {name for folder in ("servers", "kernel", "userlib", "commands")
             for source in (ROOT / folder).rglob("*.c")
             for name in MADE.findall(source.read_text(encoding="utf-8"))}
    assert {"file contents", "file states", "socket", "monitor", "logs"} <= found
    missing = sorted(name for name in found if f"(`{name}`)" not in table)
    assert not missing, f"on nobody's account in docs/security.md: {missing}"
