# SPDX-License-Identifier: MIT
"""zlib's own test; minigzip and bzip2 there and back; what they make, byte by byte as on the host;
damaged and cut archives."""

import pytest

SAMPLES = ["sample1", "sample2", "sample3"]  # of bzip2's source: text, and what compresses oddly
LEVELS = {"sample1": 1, "sample2": 2, "sample3": 3}  # those that its Makefile packs them with


def test_zlib_checks_itself_as_on_the_host(shell, host):
    said = shell.says("cd /tmp; zlib-example 2>&1")
    assert said.split("\n") == host("zlib-example").decode().strip("\n").split("\n")
    assert "gzgets() after gzseek:  hello!" in said and "inflateSync()" in said


@pytest.mark.parametrize("sample", SAMPLES)
def test_minigzip_there_and_back(shell, sample):
    original = f"/ports/bzip2/{sample}.ref"
    shell.says(f"cd /tmp && cp {original} m && minigzip m && cp m.gz n.gz && minigzip -d m.gz")
    shell.says(f"cmp m {original}")
    shell.says("minigzip -c -d n.gz | minigzip -9 -c | minigzip -d -c > o")
    shell.says(f"cmp o {original} && rm m n.gz o")


@pytest.mark.parametrize("sample", SAMPLES)
def test_bzip2_packs_its_samples_to_the_byte(shell, sample):
    """As `make test` of bzip2 does."""
    shell.says(f"cd /tmp && bzip2 -{LEVELS[sample]} < /ports/bzip2/{sample}.ref > b && "
               f"cmp b /ports/bzip2/{sample}.bz2")
    shell.says(f"bzip2 -d {'-s ' if sample == 'sample3' else ''}< /ports/bzip2/{sample}.bz2 > r && "
               f"cmp r /ports/bzip2/{sample}.ref && rm b r")


def test_bzip2_of_files(shell):
    """Names, the file that is removed, and those that must not be written over."""
    shell.says("cd /tmp && cp /ports/bzip2/sample2.ref f && bzip2 -k f && bzip2 -t f.bz2")
    said, status = shell.run("bzip2 f 2>&1")
    assert status == 1 and "already exists" in said
    shell.says("rm f && bzip2 -d f.bz2 && cmp f /ports/bzip2/sample2.ref && rm f")
    said, status = shell.run("bzip2 f 2>&1")
    assert status == 1 and "No such file" in said
    assert "f.bz2" not in shell.says("ls")


def test_damage_is_told(shell):
    shell.says("cd /tmp && head -n 60 /ports/bzip2/sample1.bz2 > cut.bz2")
    said, status = shell.run("bzip2 -t cut.bz2 2>&1")
    assert status == 2 and "file ends unexpectedly" in said
    said, status = shell.run("bzip2 -t /ports/bzip2/sample1.ref 2>&1")
    assert status == 2 and "bad magic number" in said
    shell.says("rm cut.bz2")


def test_bzip2recover_takes_blocks_out(shell):
    """Of 212,340 bytes in blocks of 200,000 there are two; each is an archive of its own."""
    shell.says("cd /tmp && cp /ports/bzip2/sample2.bz2 . && bzip2recover sample2.bz2")
    shell.says("bzip2 -dc rec00001sample2.bz2 > r && bzip2 -dc rec00002sample2.bz2 >> r")
    shell.says("cmp r /ports/bzip2/sample2.ref && "
               "rm r sample2.bz2 rec00001sample2.bz2 rec00002sample2.bz2")
