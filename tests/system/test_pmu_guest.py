# SPDX-License-Identifier: MIT
"""The model unit with another guest: the example of docs/pmu.md, compiled from there."""

import os
import re
import subprocess

from machine import BUILD, ROOT

COMPILE = ["powerpc64-linux-gnu-gcc", "-mbig-endian", "-mabi=elfv2", "-mcpu=power9", "-O2",
           "-ffreestanding", "-nostdlib", "-static", "-fno-stack-protector", "-mno-altivec",
           "-mno-vsx", "-msoft-float", "-Wall", f"-I{ROOT}/include",
           "-Wl,-N,-Ttext=0x400000,--build-id=none,--no-warn-rwx-segments"]


def test_the_example_in_the_documentation_counts(boot, tmp_path):
    with open(os.path.join(ROOT, "docs/pmu.md"), encoding="utf-8") as text:
        (source,) = re.findall(r"^```c\n(.*?)^```$", text.read(), re.MULTILINE | re.DOTALL)
    (tmp_path / "guest.c").write_text(source)
    subprocess.run([*COMPILE, str(tmp_path / "guest.c"), "-o", str(tmp_path / "guest.elf")],
                   check=True)
    os.symlink(os.path.join(BUILD, "pmu-model.so"), tmp_path / "pmu-model.so")
    kernel = str(tmp_path / "guest.elf")
    with_unit = boot("with", cpus=1, network=False, user=False, pmu="model", kernel=kernel)
    with_unit.wait_console("larx:\n           1000\n")
    with_unit.end()
    boot("without", cpus=1, network=False, user=False, kernel=kernel).wait_console("no model unit")
