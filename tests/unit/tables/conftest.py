# SPDX-License-Identifier: MIT
"""Fixtures of the tests of scripts/mktables.py: small programs for the kernel's machine."""

import importlib.util
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CROSS = "powerpc64-linux-gnu-"

SCRIPT = """
SECTIONS {
    . = 0xC000000000400000;
    text_start = .;
    .text : {
        co_text_start = .; *(.text.co) co_text_end = .;
        *(.text .text.*)
    }
    text_end = .;
    .rodata : { *(.rodata*) fixups_start = .; *(.fixups) fixups_end = .; }
    .opd : { KEEP(*(.opd)) }
    .eh_frame : { KEEP(*(.eh_frame)) }
    .data : { *(.data*) } .got : { *(.got .toc) } .bss : { *(.bss*) }
    .orrery_tables : { KEEP(*(.orrery_tables)) }
}
"""


def load_mktables():
    spec = importlib.util.spec_from_file_location("mktables", ROOT / "scripts" / "mktables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def mktables():
    return load_mktables()


class Toolchain:
    """Builds programs with the code generation flags of the kernel."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "script.ld").write_text(SCRIPT)
        make = subprocess.run(["make", "-s", "-f", "-", "flags"], check=True, text=True, cwd=ROOT,
                              capture_output=True,
                              input="THIRD := build/third_party\ninclude scripts/make/flags.mk\n"
                                    "flags: ; @echo $(KERNEL_ABI) -O2 -g -Wa,-mregnames\n")
        self.flags = make.stdout.split()

    def run(self, tool, *arguments):
        return subprocess.run([CROSS + tool, *map(str, arguments)], check=True, text=True,
                              capture_output=True).stdout

    def link(self, source, suffix=".c", name="program", extra=()):
        path = self.folder / (name + suffix)
        path.write_text(source)
        elf = self.folder / (name + ".elf")
        self.run("gcc", *self.flags, "-nostdlib", "-static", "-no-pie", "-T",
                 self.folder / "script.ld", "-Wl,--no-warn-rwx-segments", path, *extra, "-o", elf)
        return elf


@pytest.fixture
def toolchain(tmp_path):
    if shutil.which(CROSS + "gcc") is None:
        pytest.fail(f"{CROSS}gcc is missing: run scripts/setup")
    return Toolchain(tmp_path)
