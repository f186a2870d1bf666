# SPDX-License-Identifier: MIT
"""SQLite is killed while it writes: it alone, the file server below it, or the machine. Afterwards
the database is whole, and has all rows whose commit was told. When is counted in commits; how far
the next one has come by then is left to chance. ORRERY_KILLS says how often in all (3)."""

import os
import random
import signal
import subprocess

import pytest

from conftest import INITRD, make_disk
from machine import Machine, pid_of
from servers import kill, wait_up
from waiting import PATIENCE

KILLS = int(os.environ.get("ORRERY_KILLS", "3"))
COMMITS = 12  # of a round at most; a database with so many makes way for a new one
AHEAD = 20  # so many more could follow, but for the kill
ROWS = 40  # of a transaction
DATABASE = "/data/kills.db"
SQLITE = ("run", "sqlite3", "--", "-bail", DATABASE)
LOCK = f"{DATABASE}.lock"  # a folder
BODY = "replace(hex(zeroblob(100)), '00', printf('%04d', {} * 7919 % 9973))"

# There is no room for a transaction's pages, so some go to the file before its commit. EXTRA: what
# ends a commit, the journal's removal, is on the disk when the commit is told.
SETTINGS = "PRAGMA synchronous = EXTRA; PRAGMA cache_size = 10;"
TABLES = ("CREATE TABLE item(id INTEGER PRIMARY KEY, body TEXT); CREATE INDEX bodies ON item(body);"
          "CREATE TABLE account(transactions INTEGER); INSERT INTO account VALUES(0);")
CHECK = ("PRAGMA integrity_check; SELECT transactions FROM account; SELECT count(*) FROM item;"
         "SELECT count(*), ifnull(min(id), 1), ifnull(max(id), 0) FROM item "
         f"WHERE body IS {BODY.format('id')};")


def transactions(first, count):
    """SQL of so many transactions with known rows; each says behind its commit that it is done."""
    for number in range(first, first + count):
        yield ("BEGIN; WITH RECURSIVE n(i) AS "
               f"(VALUES({number * ROWS + 1}) UNION ALL SELECT i + 1 FROM n LIMIT {ROWS}) "
               f"INSERT INTO item SELECT i, {BODY.format('i')} FROM n; "
               f"UPDATE account SET transactions = {number + 1}; COMMIT; "
               f"SELECT 'committed {number + 1}';\n")


class Victim:
    """A machine with a disk, and the SQLite in it that writes until it is killed."""

    def __init__(self, folder, disk):
        self.machine = Machine(folder, "kills", initrd=INITRD, disk=disk)
        self.told = self.given = 0  # transactions whose commit was told; those it was given
        self.commits = 0  # of all databases

    def sqlite(self, commands):
        return self.machine.kov_run(*SQLITE, typed=commands)

    def make(self):
        self.told = self.given = 0
        self.sqlite(SETTINGS + TABLES)

    def make_again(self):
        """Each sync writes all of /data, so that rounds would take longer and longer."""
        self.machine.kov_run("run", "rm", "--", "-f", DATABASE, f"{DATABASE}-journal")
        self.make()

    def write_and(self, how, commits):
        """Has SQLite write, and kills something once that many more commits have been told."""
        client = subprocess.Popen(self.machine.kov_command(*SQLITE), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, self.given = [], self.told + commits + AHEAD
        client.stdin.write(SETTINGS + "\n" + "".join(transactions(self.told, commits + AHEAD)))
        client.stdin.flush()  # and stays open: nothing ends SQLite but what is to come
        for line in client.stdout:
            said.append(line)
            commits -= line.startswith("committed")
            if commits == 0:
                how(self)
                break
        rest, _ = client.communicate(timeout=PATIENCE)
        said += rest.splitlines(keepends=True)
        assert commits == 0, "".join(said)
        told = [int(line.split()[1]) for line in said if line.startswith("committed")]
        assert told == list(range(self.told + 1, self.told + 1 + len(told))), "".join(said)
        self.told += len(told)
        self.commits += len(told)
        assert self.told < self.given, "it was killed when all was done"

    def check(self):
        """All that was told is there, and nothing by halves. Who is killed may have done more than
        it could tell."""
        said = self.sqlite(CHECK).stdout.split("\n")
        assert said[0] == "ok", said
        done = int(said[1])
        rows = done * ROWS
        assert said[2:4] == [str(rows), f"{rows}|1|{rows}"], said
        assert self.told <= done < self.given, (self.told, said)
        self.told = done


def kill_program(victim):
    victim.machine.kov_run("kill", str(pid_of(victim.machine, "sqlite3")))


def kill_files(victim):
    before = kill(victim.machine, "fs")
    wait_up(victim.machine, "fs", before)


def kill_machine(victim):
    victim.machine.process.send_signal(signal.SIGKILL)
    victim.machine.process.wait(PATIENCE)


def mend(victim, how):
    """What somebody has to do then: start the machine, and take away the lock that SQLite left."""
    if how is kill_machine:
        victim.machine.start()
        victim.machine.wait_ready()
    left = victim.machine.kov_run("run", "ls", os.path.dirname(DATABASE)).stdout.split()
    print(f"{how.__name__} behind {victim.told} of {victim.given}: {left}")
    if f"{os.path.basename(LOCK)}/" in left:
        victim.machine.kov_run("run", "rm", "--", "-r", LOCK)


WAYS = [kill_program, kill_files, kill_machine]


@pytest.mark.parametrize("how", WAYS, ids=lambda how: how.__name__)
def test_what_was_committed_outlives_a_kill(tmp_path, how):
    seed = int(os.environ.get("ORRERY_SEED", random.randrange(1 << 30)))
    print(f"ORRERY_SEED={seed}")
    chance = random.Random(seed)
    victim = Victim(str(tmp_path), make_disk(tmp_path))
    kills = -(-KILLS // len(WAYS))
    with victim.machine:
        victim.machine.wait_ready()
        victim.make()
        for _ in range(kills):
            if victim.told >= COMMITS:
                victim.make_again()
            victim.write_and(how, chance.randint(1, COMMITS))
            mend(victim, how)
            victim.check()
    print(f"{how.__name__}: {kills} times, {victim.commits} commits told, all of them there")
