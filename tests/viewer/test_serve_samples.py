# SPDX-License-Identifier: MIT
"""`kov serve -m s=FILE` of a recording of `kov record`: what browsers are told of its samples is
what `kov report` tells of them, to the sample. What it has not is told with a reason."""

import collections
import random
import struct

import dci_pb2 as dci
import pytest

from browser import Browser, Gateway

HZ, BOOT, BEGIN = 512_000_000, 1000, 5_000_000_000
SECONDS, CPUS = 7, 2
PERIODS = {"larx": 1000, "instructions": 100_003}
KERNEL, IDLE, ATTRIBUTED, STALE = 1, 4, 8, 16
OBJECTS = [0x1000, 0x1040, 0x1080]
NOW = (BEGIN + SECONDS * HZ - BOOT) * 1e9 / HZ


def frame(message):
    payload = message.SerializeToString()
    return struct.pack(">I", len(payload)) + payload


def answer(**body):
    return frame(dci.ServerFrame(response=dci.Response(id=1, **body)))


def one_sample(draw, time):
    """Returns a sample of an object, of code, of a stale object, or of the idle loop."""
    kind = draw.choice([ATTRIBUTED] * 5 + [0, 0, STALE, IDLE])
    pid = draw.choice([0, 4, 9])
    flags = kind | (KERNEL if kind != 0 or pid == 0 else 0)
    return dci.Sample(time=time, flags=flags, pid=0 if kind == IDLE else pid,
                      coid=draw.choice(OBJECTS) if kind == ATTRIBUTED else 0,
                      pc=0xc000000000010000 + 4 * draw.randrange(50),
                      callers=[0xc000000000020000 + 4 * draw.randrange(3)] * draw.randrange(3))


def key_of(sample):
    if sample.flags & IDLE:
        return "i"
    if sample.flags & ATTRIBUTED:
        return f"o:0:{sample.coid:x}"
    return "stale" if sample.flags & STALE else f"n:{0 if sample.flags & KERNEL else sample.pid}"


class Recording:
    """A recording with samples that are known, in its file."""

    def __init__(self, path, count=3000, lost=0, seconds=(0, SECONDS)):
        draw = random.Random(7)
        self.path, self.counts, self.samples = path, {}, {name: [] for name in PERIODS}
        batches, stats = [], []
        first, last = (BEGIN + HZ * second for second in seconds)
        for index, name in enumerate(PERIODS):
            for cpu in range(CPUS):
                times = sorted(BEGIN + draw.randrange(SECONDS * HZ) for _ in range(count))
                found = [one for one in [one_sample(draw, time) for time in times]
                         if first <= one.time < last]
                self.samples[name] += found
                stats.append(dci.SamplingStat(cpu=cpu, index=index, taken=len(found),
                                              lost=lost * (cpu + 1)))
                for at in range(0, len(found), 100):
                    batches.append((found[at].time, dci.Samples(cpu=cpu, index=index,
                                                                samples=found[at:at + 100])))
        self.batches, self.stats = [batch for _, batch in batches], stats
        for name, found in self.samples.items():
            self.counts[name] = collections.Counter(map(key_of, found))
        events = [dci.SampledEvent(event=16 + i, period=period)
                  for i, period in enumerate(PERIODS.values())]
        start = dci.Request(id=1, sampling_start=dci.SamplingStartRequest(callers=8, events=events))
        names = [dci.PmuEventInfo(event=i, name=name) for i, name in enumerate(PERIODS)]
        classes = [dci.ObjectClass(class_id=1, name="Cache", implementation="plain")]
        objects = [dci.Object(coid=coid, class_id=1, rep_count=1) for coid in OBJECTS]
        processes = [dci.Process(pid=pid, name=name, state=1)
                     for pid, name in ((4, "fs"), (9, "diary"))]
        self.data = b"KOVREC1\n" + b"".join([
            frame(start), answer(pmu_events=dci.PmuEventsReply(events=names)),
            answer(system=dci.SystemInfo(cpu_count=CPUS, timebase_hz=HZ, boot_time=BOOT,
                                         build_id=b"\1" * 20)),
            answer(sampling_start=dci.SamplingStartReply(session=1, time=BEGIN)),
            answer(processes=dci.ProcessesReply(time=BEGIN, processes=processes)),
            answer(classes=dci.ClassesReply(classes=classes)),
            answer(objects=dci.ObjectsReply(objects=objects)),
            *(frame(dci.ServerFrame(event=dci.Event(samples=batch)))
              for _, batch in sorted(batches, key=lambda one: one[0])),
            answer(sampling_stop=dci.SamplingStatReply(session=1, cpus=stats,
                                                       time=BEGIN + SECONDS * HZ))])
        path.write_bytes(self.data)

    def shares(self, event):
        """Each object's part of all that is not idle, in percent."""
        counts = self.counts[event]
        return {key: 100 * count / (counts.total() - counts["i"])
                for key, count in counts.items() if key.startswith("o:")}

    def within(self, event, begin, end):
        """How many of its samples are from … to, seconds of the session, by key."""
        first, last = BEGIN + begin * HZ, BEGIN + end * HZ
        return collections.Counter(key_of(one) for one in self.samples[event]
                                   if first <= one.time < last)


@pytest.fixture(name="recording")
def _recording(tmp_path):
    return Recording(tmp_path / "samples.kov")


class Shown:
    """What a browser is told of a file."""

    def __init__(self, path, *options):
        self.gateway, self.last = Gateway("-m", f"s={path}", *options), 0

    def __enter__(self):
        self.gateway.__enter__()
        self.browser = Browser(self.gateway)
        self.browser.until(lambda: self.browser.states.get("s", {}).get("message", "").find(
            "being read") < 0 and "s" in self.browser.states)
        return self

    def __exit__(self, *exception):
        self.browser.socket.close()
        self.gateway.__exit__(*exception)

    @property
    def state(self):
        return self.browser.states["s"]

    def watch(self, kind, until=lambda _: True, **parameters):
        self.last += 1
        number = self.last
        self.browser.say(type="watch", id=number, machine="s", kind=kind, **parameters)
        self.browser.until(lambda: number in self.browser.stopped
                           or (number in self.browser.topics
                               and until(self.browser.topics[number])))
        self.browser.say(type="unwatch", id=number)
        return self.browser.stopped.get(number, self.browser.topics.get(number))

    def shares(self, kind, **parameters):
        """Shares of a frame, in percent, by key."""
        self.watch(kind, **parameters)
        return self.browser.shares[self.last]

    def heat(self, event, begin, end):
        return self.watch("heat", measure=event, **{"from": begin, "to": end})


def of_leaves(heat):
    return {key: samples for key, samples in heat.items() if key[0] in "oni"}


def without_stale(counts):
    return {key: samples for key, samples in counts.items() if key != "stale"}


def second(number):
    return (BEGIN + number * HZ - BOOT) * 1e9 / HZ


@pytest.mark.parametrize("event", PERIODS)
def test_the_samples_are_those_of_the_file(kov, recording, event):
    report = kov("report", "-i", recording.path, "-e", event, "--sort", "object", "--idle",
                 "--json")
    rows = report.json["tables"][0]["rows"]
    with Shown(recording.path) as shown:
        assert shown.state["state"] == "played" and shown.state["cpus"] == CPUS
        told = shown.heat(event, second(0), second(SECONDS))
        status = shown.watch("status")
    assert of_leaves(told) == without_stale(recording.counts[event])
    assert {f"o:0:{int(row['coid'], 16):x}": row["samples"] for row in rows if "coid" in row} == \
        {key: samples for key, samples in told.items() if key[0] == "o"}
    assert sum(row["samples"] for row in rows) == sum(recording.counts[event].values())
    assert told["m"] == sum(recording.counts[event].values()) - recording.counts[event]["i"]
    assert status["samples"] == sum(sum(one.values()) for one in recording.counts.values())
    assert status["lost"] == 0 and abs(status["now"] - NOW) < 10
    assert [one["title"] for one in status["events"]] == list(PERIODS)


def test_it_opens_at_its_end_with_all_of_its_past(recording):
    with Shown(recording.path) as shown:
        last = shown.watch("heat", measure="larx", seconds=3)
        assert of_leaves(last) == without_stale(
            recording.within("larx", SECONDS - 3, SECONDS))
        for at in range(SECONDS):
            told = shown.heat("larx", second(at), second(at + 1))
            assert of_leaves(told) == without_stale(recording.within("larx", at, at + 1)), at


def test_functions_are_addresses_where_the_kernel_is_another_one(recording):
    with Shown(recording.path) as shown:
        said = shown.watch("functions", lambda one: one["pending"] == 0, measure="larx", of="m",
                           **{"from": second(0), "to": second(SECONDS)})
    busy = [one for one in recording.samples["larx"] if not one.flags & IDLE]
    assert said["samples"] == len(busy) and said["others"] == 0
    assert "build id" in said["why"]
    expected = collections.Counter(
        f"{'kernel' if one.flags & KERNEL else {4: 'fs', 9: 'diary'}[one.pid]}:0x{one.pc:016x}"
        for one in busy)
    told = {row["function"]: row["samples"] for row in said["rows"] if row["samples"]}
    assert told == {name: expected[name] for name in told} and len(told) > 50
    assert sum(told.values()) + said["unknown"] == len(busy) or len(said["rows"]) == 200


def test_what_is_not_in_it_is_told_with_a_reason(recording):
    with Shown(recording.path) as shown:
        assert "kov record" in shown.state["message"]
        for kind, parameters in (("console", {}), ("server", {}), ("workloads", {}),
                                 ("metric", {"metric": "ipc", "of": "m"}),
                                 ("metrics", {"of": "c:0"})):
            assert "record" in shown.watch(kind, **parameters), kind
        assert "trace" in shown.watch("slices", width=100)
        assert "no counts" in shown.watch("heat", measure="drefs")
        done = shown.browser.do(type="act", id=99, machine="s", do="kill", number=4)
        assert done["type"] == "error" and "nothing can be done" in done["message"]
        done = shown.browser.do(type="ask", id=98, machine="s", what="object", of="o:0:1000")
        assert done["data"]["class"] == "Cache"
        done = shown.browser.do(type="ask", id=97, machine="s", what="regions", of="p:4")
        assert done["type"] == "error" and "recording" in done["message"]


RANGES = [(0, 7), (0, 1), (6, 7), (2, 5), (1, 3), (3, 7), (0, 4), (5, 6), (1, 6), (2, 3)]
FILTERS = ["", "p:4", "p:4 p:9"]


def of_objects(shares):
    return {key: share for key, share in shares.items() if key.startswith("o:")}


def as_json(number):
    """Rounds as kov does in JSON."""
    return float(f"{number:.6g}")


def shares_of_report(kov, path, event):
    report = kov("report", "-i", path, "-e", event, "--sort", "object", "--json")
    return {f"o:{row['coid_pid']}:{int(row['coid'], 16):x}": row["percent"]
            for row in report.json["tables"][0]["rows"] if "coid" in row}


def shares_of_stat(kov, machine, recording):
    """What kov stat says where a machine has just these samples: by event, of each object."""
    machine.samples, machine.sampling_stats = recording.batches, recording.stats
    events = ",".join(f"{name}@{period}" for name, period in PERIODS.items())
    result = kov("stat", "-e", events, "--per-object", "-d", "0.1", "--json", machine=machine)
    assert result.code == 0, result.err
    rows = [row for row in result.json["objects"] if row["coid"] is not None]
    return {name: {f"o:{row['pid']}:{int(row['coid'], 16):x}": row["events"][i]["share"]
                   for row in rows} for i, name in enumerate(PERIODS)}


@pytest.mark.parametrize("begin, end", RANGES)
def test_a_range_has_one_share_wherever_it_is_told(kov, machine, recording, tmp_path, begin, end):
    """Objects and rankings of the whole recording, over a range; kov report and kov stat of what is
    in that range alone."""
    part = Recording(tmp_path / "part.kov", seconds=(begin, end))
    by_stat = shares_of_stat(kov, machine, part)
    interval = {"from": second(begin), "to": second(end)}
    with Shown(recording.path) as shown:
        for event in PERIODS:
            expected = shares_of_report(kov, part.path, event)
            exact = part.shares(event)
            assert expected == by_stat[event] and len(expected) == len(OBJECTS)
            assert expected == {key: as_json(share) for key, share in exact.items()}
            told = of_objects(shown.shares("heat", measure=event, **interval))
            assert told == pytest.approx(exact, rel=1e-7)  # numbers of 32 bits
            for without in FILTERS:
                ranked = shown.shares("ranking", measure=event, by="object",
                                      **({"without": without} if without else {}), **interval)
                assert of_objects(ranked) == told, (event, without)


def test_losses_stay_and_weigh_as_everywhere(tmp_path):
    recording = Recording(tmp_path / "samples.kov", lost=600)
    with Shown(recording.path) as shown:
        status = shown.watch("status")
        told = shown.heat("larx", second(0), second(SECONDS))
    assert status["lost"] == 600 * (1 + 2) * len(PERIODS)
    assert of_leaves(told) == without_stale(recording.counts["larx"])


def test_a_recording_that_was_cut_shows_what_it_has(recording):
    data = recording.data[:len(recording.data) * 2 // 3]
    recording.path.write_bytes(data)
    with Shown(recording.path) as shown:
        assert "ends early" in shown.state["message"]
        told = shown.heat("larx", second(0), second(SECONDS))
    assert 0 < told["m"] < sum(recording.counts["larx"].values())
    assert all(told.get(key, 0) <= recording.counts["larx"][key] for key in of_leaves(told))


@pytest.mark.parametrize("content, why", [
    (b"", "cut|before the first sample|not say|is no"),
    (b"\xff\xff\xff\xff", "too long"),
    (b"\0\0\0\2\xff\xff", "begin with what was asked for"),
], ids=["empty", "long", "nonsense"])
def test_a_file_that_makes_no_sense_is_refused(tmp_path, content, why):
    path = tmp_path / "samples.kov"
    path.write_bytes(b"KOVREC1\n" + content)
    with Shown(path) as shown:
        assert "cannot use" in shown.state["message"]
        assert any(one in shown.state["message"] for one in why.split("|"))
        assert shown.heat("larx", 0, 1e9) == shown.state["message"]


def test_damaged_files_do_no_harm(tmp_path):
    """Each is shown or refused with a reason, and the next one, too: by one gateway after the
    other, which ends well."""
    recording = Recording(tmp_path / "samples.kov", count=200)
    draw = random.Random(3)
    for _ in range(12):
        data = bytearray(recording.data)
        for _ in range(draw.choice([1, 5, 50])):
            data[draw.randrange(8, len(data))] = draw.randrange(256)
        recording.path.write_bytes(data[:draw.choice([len(data), draw.randrange(9, len(data))])])
        with Shown(recording.path) as shown:
            assert shown.state["state"] == "played" and shown.state["message"]
            shown.heat("larx", 0, 1e18)
            shown.watch("objects")


@pytest.mark.parametrize("change, why", [
    (dict(timebase_hz=0), "before the first sample"),
    (dict(boot_time=1 << 60), "make no sense"),
    (dict(timebase_hz=1), "make no sense"),
], ids=["clock", "boot", "slow"])
def test_times_that_make_no_sense_are_refused(recording, change, why):
    system = dict(cpu_count=CPUS, timebase_hz=HZ, boot_time=BOOT, build_id=b"\1" * 20)
    before = answer(system=dci.SystemInfo(**system))
    assert before in recording.data
    recording.path.write_bytes(recording.data.replace(
        before, answer(system=dci.SystemInfo(**system | change))))
    with Shown(recording.path) as shown:
        assert why in shown.state["message"]


def test_a_recording_is_not_recorded_again(kov, recording, tmp_path):
    result = kov("serve", "-m", f"s={recording.path}", "--record", tmp_path / "tape")
    assert result.code == 2 and "is a recording already" in result.err
