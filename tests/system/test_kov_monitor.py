# SPDX-License-Identifier: MIT
"""kov monitor: viewers that record side by side, beside a trace, and know nothing of each other."""

import json
import os
import re
import subprocess
from bisect import bisect_right
from collections import defaultdict

import pytest

import ctf
import dci_client as dci
from dci_client import pb
from machine import CONTROLLER, OBSERVER, PROGRAMS, pid_of
from servers import interrupt, started, wait_owner
from variables import Variables
from waiting import wait_for

pytestmark = pytest.mark.long

E_LIMIT, E_PERM = -6, -7
LEAVES, COMES = 0, 1
NAMES = ("net", "dci")


def watchers(machine, count):
    """Clients of whom a monitor is."""
    return sum(one["monitors"] for one in machine.kov("server")["clients"]) >= count


class Side:
    """One that records a monitor of the same processes, until it is ended."""

    def __init__(self, machine, folder, pids):
        self.machine, self.folder = machine, str(folder)
        self.client = started(machine, "--json", "monitor", "record", "-d", "1000", "--bytes",
                              "1048576", "-p", ",".join(map(str, pids)), "-o", self.folder)

    def end(self):
        """Its table, of which the sums must be exact: else kov fails."""
        self.cpus = json.loads(interrupt(self.client)[0])["cpus"]
        for cpu in self.cpus:
            assert cpu["fired"] == cpu["read"] + cpu["unread"] + cpu["lost"] and cpu["unread"] == 0
        events = self.machine.kov("trace", "show", self.folder)["events"]
        self.records = defaultdict(list)  # CPU: (time, place of the process, way)
        self.counts = defaultdict(int)  # CPU: records of all kinds
        for event in events:
            self.counts[event["cpu"]] += event["event"].startswith("MONITOR:")
            if event["event"] == "MONITOR:switch":
                fields = event["fields"]
                self.records[event["cpu"]].append(
                    (event["ticks"], fields["id"] - 1, int(fields["word0"], 16)))

    def check(self):
        """babeltrace2 finds as many; never more run than there are CPUs."""
        for cpu in self.cpus:
            assert self.counts[cpu["cpu"]] == cpu["read"], cpu
        summary, complaints = ctf.read(self.folder)
        read = sum(cpu["read"] for cpu in self.cpus)
        found = sum(count for name, count in summary.by_name.items()
                    if name.startswith("MONITOR:"))
        assert found == read > summary.by_name["MONITOR:wake"] > 0, complaints
        assert summary.events == sum(cpu["events"] for cpu in self.cpus)
        assert (complaints == "") == (sum(cpu["lost"] for cpu in self.cpus) == 0), complaints
        self.machine.kov("monitor", "show", "--check", self.folder)


def trace_switches(machine, folder, pids):
    """Of these processes: CPU: (time, place of the process, way), in order. And when each CPU
    logged its first switch."""
    places, switches, begins = {}, defaultdict(list), {}
    events = machine.kov("trace", "show", folder)["events"]
    for event in events:  # what is told of a dispatcher may come behind its first switch
        if event["event"] in ("STATE:state_dispatcher", "SCHED:dispatcher_create") \
                and event["fields"]["pid"] in pids:
            places[event["fields"]["thread"]] = pids.index(event["fields"]["pid"])
    for event in events:
        if event["event"] != "SCHED:switch":
            continue
        begins.setdefault(event["cpu"], event["ticks"])
        for side, way in (("from", LEAVES), ("to", COMES)):
            place = places.get(event["fields"][side])
            if place is not None:
                switches[event["cpu"]].append((event["ticks"], place, way))
    return switches, begins


def check_same(records, switches, begin):
    """The records are the trace's switches, one after the other. Which of the two the kernel logs
    first depends on the switch's way. Returns how many there are."""
    changes = [record for record in records if record[2] in (LEAVES, COMES) and record[0] >= begin]
    if not changes:
        return 0
    ways = [change[1:] for change in changes]
    near = bisect_right([switch[0] for switch in switches], changes[0][0])
    assert any(ways == [switch[1:] for switch in switches[first:first + len(ways)]]
               for first in range(max(near - 4, 0), near + 4)), (changes, switches)
    return len(changes)


def record_all(machine, folder):
    """Two monitors and a trace, at once: the sides, the trace's switches, and when it has any."""
    pids = [pid_of(machine, name) for name in NAMES]
    trace = started(machine, "--json", "trace", "record", "-d", "1000", "-e", "SCHED",
                    "-o", str(folder / "trace"))
    wait_owner(machine, "tracing")
    sides = [Side(machine, folder / name, pids) for name in ("one", "two")]
    machine.wait_for(lambda: watchers(machine, 2), "two that record")
    for _ in range(5):
        machine.kov("ps")  # that something happens
    for side in sides:
        side.end()
    interrupt(trace)
    return sides, *trace_switches(machine, str(folder / "trace"), pids)


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_two_monitors_and_a_trace_at_once(pool, tmp_path, cpus):
    (one, two), switches, begins = record_all(pool.lend(cpus=cpus), tmp_path)
    same = 0
    for side in (one, two):
        side.check()
    for cpu in range(cpus):
        records = one.records[cpu], two.records[cpu]
        if not all(records) or any(side.cpus[cpu]["lost"] for side in (one, two)):
            continue
        begin, end = max(own[0][0] for own in records), min(own[-1][0] for own in records)
        both = [[record for record in own if begin <= record[0] <= end] for own in records]
        assert both[0] == both[1]
        same += sum(check_same(own, switches[cpu], begins[cpu]) for own in records)
    assert same > 0


def test_disk_requests_and_system_calls_are_those_of_the_trace(boot, tmp_path):
    """Of the fs server, the only one that uses the disk; babeltrace2 finds as many."""
    disk, folder, traced = tmp_path / "disk", str(tmp_path / "monitor"), str(tmp_path / "trace")
    with open(disk, "wb") as file:
        file.truncate(16 << 20)
    machine = boot("monitored", disk=str(disk)).wait_ready()
    trace = started(machine, "trace", "record", "-d", "1000", "-e", "BLOCK", "-o", traced)
    wait_owner(machine, "tracing")
    monitor = started(machine, "--json", "monitor", "record", "-d", "1000", "-e", "all", "--bytes",
                      "1048576", "-p", str(pid_of(machine, "fs")), "-o", folder)
    machine.wait_for(lambda: watchers(machine, 1), "one that records")
    machine.kov_run("run", "sh", typed="echo kept > /data/kept; sync\n")
    cpus = json.loads(interrupt(monitor)[0])["cpus"]
    interrupt(trace)
    requests = [event for event in machine.kov("trace", "show", traced)["events"]
                if event["event"].startswith("BLOCK:")]
    summary, complaints = ctf.read(folder)
    assert complaints == "" and summary.by_name["MONITOR:block"] == len(requests) > 0
    kinds = {name: count for name, count in summary.by_name.items() if name.startswith("MONITOR:")}
    assert sum(kinds.values()) == sum(cpu["read"] for cpu in cpus)
    assert kinds["MONITOR:wake"] > 0 and kinds["MONITOR:syscall"] > 0
    rows = [row for row in machine.kov("monitor", "show", "--summary", "--check", folder)["threads"]
            if "thread" not in row]  # not of the library
    assert 2 * sum(row["blocks"] for row in rows) == len(requests)
    assert sum(row["syscalls"] for row in rows) == kinds["MONITOR:syscall"]
    check_names(machine, folder)


def check_names(machine, folder):
    """Of a monitor's records: threads, reasons, calls, and the fs server's variables."""
    variables, named = Variables(os.path.join(PROGRAMS, "fs.elf")), 0
    owner = f"fs:{pid_of(machine, 'fs')}/"
    for event in machine.kov("trace", "show", "-e", "MONITOR", folder)["events"]:
        if not event["event"].startswith("MONITOR:"):
            continue
        names, fields = event["names"], event["fields"]
        assert names["id"].startswith(owner), event
        if event["event"] == "MONITOR:fault":
            word = variables.name_at(int(fields["word0"], 0))
            assert names.get("word0") == word and names["word1"] in ("read", "write", "execute")
            named += word is not None
        elif event["event"] == "MONITOR:syscall":
            assert re.fullmatch(r"[a-z_]+", names["word0"]), event
        else:
            assert event["event"] not in ("MONITOR:switch", "MONITOR:wake") or names["reason"]
    print(f"{named} faults in variables")


def live_monitors(machine):
    return sum(one["live"] for one in machine.kov("classes")["classes"]
               if one["class"] == "Monitor")


def test_monitors_of_a_viewer_are_four_and_end_with_it(machine2):
    before = live_monitors(machine2)
    with dci.connect(machine2.port, OBSERVER) as client:
        for _ in range(4):
            number = client.request(monitor_create=pb.MonitorCreateRequest()).monitor_create.monitor
        with pytest.raises(dci.DciError) as refusal:
            client.request(monitor_create=pb.MonitorCreateRequest())
        assert refusal.value.error == E_LIMIT
        client.request(monitor_track=pb.MonitorTrackRequest(monitor=number, pid=1, id=1, kinds=1))
        client.request(monitor_run=pb.MonitorRunRequest(monitor=number, on=True))
        assert live_monitors(machine2) == before + 4
    wait_for(lambda: live_monitors(machine2) == before)


def test_kept_monitors_are_for_controllers(machine2, tmp_path):
    with dci.connect(machine2.port, OBSERVER) as client, pytest.raises(dci.DciError) as refusal:
        client.request(monitor_create=pb.MonitorCreateRequest(kept=True))
    assert refusal.value.error == E_PERM
    number = str(machine2.kov("monitor", "create", "-p", str(pid_of(machine2, "net")))["monitor"])
    done = machine2.kov("monitor", "record", number, "-d", "0.5", "-o", str(tmp_path / "kept"))
    assert sum(cpu["read"] for cpu in done["cpus"]) > 0
    row, = machine2.kov("monitor", "list")["monitors"]
    assert row["monitor"] == int(number) and not row["running"] and row["unread"] == 0
    assert machine2.kov_run("monitor", "stop", number, token=OBSERVER, check=False).returncode == 1
    with dci.connect(machine2.port, CONTROLLER) as client:
        client.request(monitor_stop=pb.MonitorStopRequest(monitor=int(number)))
    assert not machine2.kov("monitor", "list")["monitors"]


def test_a_recording_is_seen_while_it_grows(machine2, tmp_path):
    folder = str(tmp_path / "growing")
    recorder = started(machine2, "monitor", "record", "-d", "1000", "-p",
                       str(pid_of(machine2, "net")), "-o", folder)
    machine2.wait_for(lambda: os.path.exists(os.path.join(folder, "stream_0")), "a first packet")
    viewer = started(machine2, "--json", "monitor", "show", "--live", folder)
    shown = [json.loads(document) for document in read_documents(viewer, 3)]
    ends = [document["to_ticks"] for document in shown]
    assert ends == sorted(ends) and ends[0] < ends[-1]
    assert shown[0]["threads"][0]["name"].startswith("net:")
    interrupt(viewer)
    interrupt(recorder)


def read_documents(viewer, count):
    """Each ends with a line that begins so."""
    documents = [""]
    while len(documents) <= count:
        line = viewer.stdout.readline()
        documents[-1] += line
        if line.startswith("}"):
            documents.append("")
    return documents[:count]


def read_of(client, number):
    """A part for each CPU, of rings that are no longer than a response."""
    request = pb.MonitorReadRequest(monitor=number)
    return [response.monitor_read
            for response in client.responses(client.send(monitor_read=request))]


def test_what_a_full_ring_loses_is_counted(machine2):
    """Of 128 records on a CPU; nobody reads until it is suspended."""
    with dci.connect(machine2.port, OBSERVER) as client:
        number = client.request(monitor_create=pb.MonitorCreateRequest(bytes=4096)) \
            .monitor_create.monitor
        for name in NAMES:
            client.request(monitor_track=pb.MonitorTrackRequest(
                monitor=number, pid=pid_of(machine2, name), id=1, kinds=1))
        client.request(monitor_run=pb.MonitorRunRequest(monitor=number, on=True))

        def has_lost():
            listed, = client.list("monitors", "monitors", pb.MonitorsRequest())
            return any(cpu.lost > 0 for cpu in listed.cpus)

        wait_for(has_lost)
        client.request(monitor_run=pb.MonitorRunRequest(monitor=number, on=False))
        parts = read_of(client, number)
        for part in parts:
            assert part.stat.fired == len(part.records) + part.stat.lost and part.stat.unread == 0
            assert len(part.records) == 128 if part.stat.lost > 0 else len(part.records) <= 128
            assert not any(record.lost for record in part.records)
        # The next record on that CPU says where they were lost.
        full = max(parts, key=lambda part: part.stat.lost)
        client.request(monitor_run=pb.MonitorRunRequest(monitor=number, on=True))
        later = wait_for(lambda: read_of(client, number)[full.cpu].records)
        assert later[0].lost == full.stat.lost


def test_what_records_of_calls_cost_is_taken_off_again(exact, tmp_path):
    """10^5 calls, both sides tracked: within 5 % of what they take while nobody records; as
    recorded, 20 % off."""
    load = started(exact, "run", "bench-ipc", "--", "paced", "2000", "50", "150",
                   stdin=subprocess.PIPE)
    assert load.stdout.readline() == "ready\n"
    pids = [one["pid"] for one in exact.kov("ps")["processes"] if one["name"] == "bench-ipc"]
    folder = str(tmp_path / "calls")
    number = str(exact.kov("monitor", "create", "-e", "switch", "-p", ",".join(map(str, pids)),
                           "--bytes", "1048576")["monitor"])
    viewer = started(exact, "monitor", "record", number, "-d", "1000", "-o", folder)
    exact.wait_for(lambda: exact.kov("monitor", "list")["monitors"][0]["running"], "it records")
    said, complaint = load.communicate("\n", timeout=280)
    assert load.returncode == 0, said + complaint
    interrupt(viewer)
    exact.kov_run("monitor", "stop", number)
    told, ticks = map(int, re.search(r"(\d+) calls take (\d+) ticks", said).groups())
    calls, recorded = calls_and_ticks(exact, folder)
    # The server's begin and end switch, too.
    assert told == 100000 <= calls <= told * 1.01
    assert recorded >= 1.2 * ticks * calls / told
    assert calls_and_ticks(exact, folder, "--compensate")[1] \
        == pytest.approx(ticks * calls / told, rel=0.05)


def calls_and_ticks(machine, folder, *options):
    """How often the server of a recording came, and for how long both ran together."""
    document = machine.kov("monitor", "show", folder, *options)
    assert document["discarded"] == 0
    rows = document["threads"]
    return min(row["switches"] for row in rows), sum(row["run_ticks"] for row in rows)
