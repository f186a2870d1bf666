# SPDX-License-Identifier: MIT
"""Headers: each that docs/posix.md names compiles alone, for programs of processes."""

import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from machine import BUILD, ROOT

FLAGS = pathlib.Path(BUILD, "user", "obj", "test-posix.flags")
# C11's, and those of POSIX that the page must not lose.
WANTED = set("""assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h
locale.h math.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h
stdio.h stdlib.h stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
cpio.h dirent.h fcntl.h fnmatch.h getopt.h glob.h grp.h iconv.h langinfo.h netdb.h netinet/in.h
netinet/tcp.h poll.h pthread.h pwd.h regex.h search.h semaphore.h strings.h sys/file.h sys/mman.h
sys/param.h sys/socket.h sys/times.h sys/types.h sys/wait.h tar.h termios.h unistd.h
wordexp.h""".split())
NAMED = re.compile(r"`([a-z0-9_/]+\.h)`")


def complaint(header):
    """What the compiler says of a source that includes this alone; empty: nothing."""
    done = subprocess.run([*FLAGS.read_text().split(), "-fsyntax-only", "-x", "c", "-"], cwd=ROOT,
                          input=f"#include <{header}>\n", capture_output=True, text=True,
                          timeout=120, check=False)
    return "" if done.returncode == 0 else f"{header}: {done.stderr}"


def test_each_header_compiles_alone():
    headers = sorted(set(NAMED.findall(pathlib.Path(ROOT, "docs/posix.md").read_text())))
    assert WANTED <= set(headers)
    assert "No such file" in complaint("no-such-header.h")
    with ThreadPoolExecutor(2) as pool:
        found = [text for text in pool.map(complaint, headers) if text]
    assert not found, "\n".join(found)
