#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the initial file system: a cpio archive ("newc") of PATH=FILE pairs, the same bytes for
the same input.

The contents of every file of a page or more begin on a page boundary, so that processes can map
them; the room before them is NULs behind the file's name.
"""

import argparse
import os
import sys

PAGE = 4096
HEADER_BYTES = 110
DIRECTORY, REGULAR, EXECUTABLE = 0o040755, 0o100644, 0o100755


class Archive:
    """A cpio archive in memory."""

    def __init__(self):
        self.data = bytearray()
        self.entries = 0

    def add(self, path, mode, contents=b"", links=1):
        name = path.encode() + b"\0"
        if len(contents) >= PAGE:
            name += bytes(-(len(self.data) + HEADER_BYTES + len(name)) % PAGE)
        fields = (self.entries + 1, mode, 0, 0, links, 0, len(contents), 0, 0, 0, 0, len(name), 0)
        self.data += b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self.pad(4)
        self.data += contents
        self.pad(4)
        self.entries += 1

    def pad(self, alignment):
        self.data += bytes(-len(self.data) % alignment)


def parents(paths):
    """Folders of all paths, outer ones first."""
    folders = set()
    for path in paths:
        while "/" in path:
            path = path.rsplit("/", 1)[0]
            folders.add(path)
    return sorted(folders)


def build(pairs):
    archive = Archive()
    for folder in parents(pairs):
        archive.add(folder, DIRECTORY, links=2)
    for path, source in sorted(pairs.items()):
        with open(source, "rb") as file:
            contents = file.read()
        mode = EXECUTABLE if path.startswith("bin/") or os.access(source, os.X_OK) else REGULAR
        archive.add(path, mode, contents)
    archive.add("TRAILER!!!", 0)
    archive.pad(PAGE)
    return archive.data


def parse_pairs(arguments):
    pairs = {}
    for argument in arguments:
        path, separator, source = argument.partition("=")
        if not separator or not path or path.startswith("/") or ".." in path.split("/"):
            raise ValueError(f"not PATH=FILE: {argument}")
        if path in pairs:
            raise ValueError(f"{path} twice: {pairs[path]} and {source}")
        pairs[path] = source
    return pairs


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="archive to write")
    parser.add_argument("files", nargs="*", metavar="PATH=FILE")
    options = parser.parse_args(arguments)
    try:
        data = build(parse_pairs(options.files))
    except (OSError, ValueError) as error:
        print(f"mkinitrd: {error}", file=sys.stderr)
        return 1
    with open(options.out, "wb") as file:
        file.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
