# SPDX-License-Identifier: MIT
"""A terminal of a given size, and what a program prints on it."""

import fcntl
import os
import pty
import struct
import subprocess
import termios


def on_terminal(columns, command, cwd, rows=50):
    """Returns the lines that the command prints on a terminal, and its exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "ORRERY_TOKEN"}
    printed = b""
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=theirs, env=environment) as process:
        os.close(theirs)
        while True:
            try:
                printed += os.read(ours, 65536)
            except OSError:  # the last one has closed it
                break
        status = process.wait()
    os.close(ours)
    return printed.decode().replace("\r\n", "\n"), status
