# SPDX-License-Identifier: MIT
"""SQLite does with a script what it does on the host, to the byte of the database; with files that
are open twice, and with the benchmark that it checks itself by."""

import os
import re

import pytest

from conftest import HERE

SCRIPT = os.path.join(HERE, "../sqlite/script.sql")


def script():
    with open(SCRIPT, "rb") as file:
        return file.read()


def without_times(said):
    """What speedtest1 says, without how long it took, and of itself."""
    return [re.sub(r"\.* +[0-9.]+s$", "", line) for line in said.strip("\n").split("\n")
            if not line.startswith("-- ")]


def test_a_script_says_the_same_as_on_the_host(shell, host):
    said, _ = shell.run("cd /tmp; sqlite3 t.db < /ports/sqlite/script.sql 2>&1")
    expected = host("sqlite3", "t.db", given=script()).decode()
    assert said.split("\n") == expected.strip("\n").split("\n")
    assert said.split("\n")[-1] == "ok"


def test_the_file_says_the_same_as_the_hosts(shell, host):
    """All that is in it, by SQLite's own hash; and dumped and loaded again, where the last bits of
    REALs are lost (ports/README.md)."""
    host("sqlite3", "t.db", given=script())
    ask = "PRAGMA integrity_check; SELECT count(*), total(price) FROM item"
    assert shell.says(f'cd /tmp; sqlite3 t.db "{ask}"') \
        == host("sqlite3", "t.db", ask).decode().strip("\n")
    assert shell.says("sqlite3 t.db .sha3sum") == host("sqlite3", "t.db", ".sha3sum").decode() \
        .strip("\n")
    shell.says("sqlite3 t.db .dump > t.sql && rm -f u.db && sqlite3 u.db < t.sql")
    for ask in (".sha3sum sale", "SELECT id, printf('%.14g', price) FROM item WHERE id < 400"):
        assert shell.says(f'sqlite3 u.db "{ask}"') == shell.says(f'sqlite3 t.db "{ask}"')


def test_a_lock_keeps_others_out(shell):
    """The lock is a folder beside the file; whoever finds it waits, and says so in the end."""
    shell.says("cd /tmp; rm -f l.db; sqlite3 l.db 'CREATE TABLE t(x)' && mkdir l.db.lock")
    said, status = shell.run("sqlite3 l.db 'INSERT INTO t VALUES(1)' 2>&1")
    assert status != 0 and "database is locked" in said
    assert shell.says("rm -r l.db.lock; sqlite3 l.db 'INSERT INTO t VALUES(2); SELECT x FROM t'") \
        == "2"


@pytest.mark.parametrize("database", ["/tmp/s.db", "/data/s.db", ":memory:"])
def test_speedtest1_verifies(shell, host, tmp_path, database):
    said = shell.says(f"speedtest1 --size 5 --verify {database} 2>&1")
    elsewhere = database if database == ":memory:" else str(tmp_path / "s.db")
    expected = host("speedtest1", "--size", "5", "--verify", elsewhere).decode()
    assert without_times(said) == without_times(expected)
    assert any("Verification Hash" in line for line in without_times(said))
