# SPDX-License-Identifier: MIT
"""SQLite with the locks that it has everywhere, record locks (VFS unix): two processes contend for
one database, and one is killed while it writes. The other one then puts back what that left,
without anybody's help."""

import subprocess

import pytest

from conftest import INITRD, make_disk
from machine import Machine, pid_of
from waiting import PATIENCE

TURNS = 20  # transactions of each process
ROWS = 400  # of a transaction that is killed: more than its cache has room for
DATABASE = "/data/locks.db"
FOREVER = f".timeout {PATIENCE * 1000}\n"  # a busy host may take that long
TABLES = ("CREATE TABLE item(owner TEXT, number INTEGER, body TEXT);"
          "CREATE TABLE account(transactions INTEGER); INSERT INTO account VALUES(0);")
CHECK = "PRAGMA integrity_check; SELECT transactions FROM account; "
OWNERS = "SELECT owner, count(*), max(number) FROM item GROUP BY owner ORDER BY owner;"


@pytest.fixture(scope="module", name="machine")
def _machine(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("locks"))
    with Machine(folder, "locks", initrd=INITRD, disk=make_disk(folder)) as machine:
        machine.wait_ready()
        yield machine


@pytest.fixture(name="empty")
def _empty(machine):
    machine.kov_run("run", "rm", "--", "-f", DATABASE, f"{DATABASE}-journal")
    said(machine, TABLES)
    return machine


def words(vfs="unix"):
    return ("run", "sqlite3", "--", "-bail", "-vfs", vfs, DATABASE)


def said(machine, commands, vfs="unix"):
    return machine.kov_run(*words(vfs), typed=commands).stdout.splitlines()


def begin(machine, commands):
    """An SQLite whose input stays open."""
    client = subprocess.Popen(machine.kov_command(*words()), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    client.stdin.write(commands)
    client.stdin.flush()
    return client


def wait_line(client, line):
    """Waits until it says that."""
    lines = []
    for one in client.stdout:
        lines.append(one)
        if one.rstrip("\n") == line:
            return
    raise AssertionError("".join(lines))


def end(client):
    """Ends its input, and waits for its end: what it said, and its status."""
    rest = client.communicate(timeout=PATIENCE)[0]
    return rest, client.returncode


def turn(owner, number):
    """A transaction that reads what it writes: without locks turns are lost."""
    return ("BEGIN IMMEDIATE; UPDATE account SET transactions = transactions + 1; "
            f"INSERT INTO item VALUES('{owner}', {number}, hex(zeroblob(500))); COMMIT;\n")


def test_two_processes_contend(empty):
    """Each has begun before either has more to do than to begin; nothing of either is lost."""
    clients = {owner: begin(empty, FOREVER + f"SELECT '{owner} begins';\n") for owner in "ab"}
    for owner, client in clients.items():
        wait_line(client, f"{owner} begins")
    for owner, client in clients.items():
        client.stdin.write("".join(turn(owner, number) for number in range(1, TURNS + 1)))
        client.stdin.flush()
    for client in clients.values():
        rest, status = end(client)
        assert status == 0, rest
    assert said(empty, CHECK + OWNERS) == \
        ["ok", str(2 * TURNS), f"a|{TURNS}|{TURNS}", f"b|{TURNS}|{TURNS}"]


def test_who_holds_the_lock_keeps_writers_out_and_readers_in(empty):
    holder = begin(empty, "BEGIN IMMEDIATE; UPDATE account SET transactions = 7; SELECT 'held';\n")
    wait_line(holder, "held")
    assert said(empty, "SELECT transactions FROM account;") == ["0"]
    late = subprocess.run(empty.kov_command(*words()), input=turn("late", 1), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE,
                          check=False)
    assert late.returncode == 1 and "database is locked" in late.stdout
    holder.stdin.write("COMMIT;\n")
    assert end(holder) == ("", 0)
    assert said(empty, CHECK + OWNERS) == ["ok", "7"]


def test_one_is_killed_while_it_writes(empty):
    """There is no room for its pages, so some are in the file. Its locks go with it, no folder
    stays, and who waits for it puts the file back."""
    said(empty, turn("before", 1))
    killed = begin(empty, "PRAGMA cache_size = 10; BEGIN IMMEDIATE;"
                   "UPDATE account SET transactions = 99; WITH RECURSIVE n(i) AS (VALUES(1) "
                   f"UNION ALL SELECT i + 1 FROM n LIMIT {ROWS}) INSERT INTO item "
                   "SELECT 'killed', i, hex(zeroblob(500)) FROM n; SELECT 'half';\n")
    wait_line(killed, "half")
    pid = pid_of(empty, "sqlite3")
    waiter = begin(empty, FOREVER + "SELECT 'asks';\n" + turn("waiter", 1))
    wait_line(waiter, "asks")
    assert f"{DATABASE.rpartition('/')[2]}-journal" in \
        empty.kov_run("run", "ls", "/data").stdout.split()
    empty.kov_run("kill", str(pid))
    assert killed.communicate(timeout=PATIENCE)[0].count("status") == 1
    rest, status = end(waiter)
    assert status == 0, rest
    assert said(empty, CHECK + OWNERS) == ["ok", "2", "before|1|1", "waiter|1|1"]
    assert empty.kov_run("run", "ls", "/data").stdout.split() == [DATABASE.rpartition("/")[2]]
