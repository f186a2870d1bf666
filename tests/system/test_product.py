# SPDX-License-Identifier: MIT
"""The images that people boot: nothing of the tests is in them, and all that is not of the tests
works."""

import os
import re

import pytest

from machine import BUILD, KERNEL, PRODUCT, ROOT

WORKLOADS = {"churn", "contention", "demo", "dref-storm", "idle", "patch-storm", "trace-storm"}


def linked(image):
    """The folders of the sources that an image is linked from, by the linker's map."""
    with open(image.replace(".elf", ".pass2.elf.map"), encoding="utf-8") as file:
        return set(re.findall(r"/obj/([\w-]+)/\S+\.o$", file.read(), re.MULTILINE))


def test_no_image_of_people_has_code_of_tests():
    assert {"boot", "kernel", "workloads"} <= linked(PRODUCT) and "tests" not in linked(PRODUCT)
    assert linked(KERNEL) == linked(PRODUCT) | {"tests"}


def names(archive):
    """The names in a cpio archive (newc): after each header's magic come thirteen numbers of eight
    hexadecimal digits."""
    with open(os.path.join(BUILD, archive), "rb") as file:
        data = file.read()
    found, at = set(), 0
    while True:
        fields = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
        size, length = fields[6], fields[11]
        name = data[at + 110:at + 110 + length].rstrip(b"\0").decode()
        if name == "TRAILER!!!":
            return found
        found.add(name)
        at += -(-(110 + length) // 4) * 4
        at += -(-size // 4) * 4


def test_no_program_of_tests_lies_in_the_initial_file_system():
    own = names("initrd.cpio")
    folders = os.listdir(os.path.join(ROOT, "tests/guest/user"))
    programs = {f"bin/{folder}" for folder in folders}
    assert {"bin/init", "bin/sh"} <= own and not own & programs
    assert own < names("initrd-bench.cpio") \
        and "bin/validation" in programs & names("initrd-bench.cpio")


@pytest.mark.parametrize("option", ["bench=all", "bench=nonsense"])
def test_it_says_that_it_has_no_benchmarks(boot, option):
    machine = boot(kernel=PRODUCT, append=option, network=False)
    assert machine.wait_end() != 0
    assert "error: bench=: this image has no benchmarks" in machine.console, machine.console


def test_its_workloads_are_loads(boot):
    machine = boot(kernel=PRODUCT).wait_ready()
    assert {one["name"] for one in machine.kov("workload", "list")["workloads"]} >= WORKLOADS
    said = machine.kov_run("workload", "run", "crash", check=False)
    assert said.returncode != 0 and "no workload 'crash'" in said.stderr
    found = machine.kov("workload", "run", "demo", "seconds=1")
    assert int(found["workload"]["report"]["rounds"]) > 0


@pytest.mark.parametrize("kernel", [PRODUCT, KERNEL], ids=["product", "bench"])
def test_its_symbols_are_found_by_its_build_id(boot, kernel):
    """kov's --kernel names one of the two images, and means the one that runs."""
    machine = boot(kernel=kernel).wait_ready()
    machine.kernel = PRODUCT
    assert machine.kov("hello")["system"]["kernel_file_build_id"] == "matches"
