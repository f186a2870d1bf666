# SPDX-License-Identifier: MIT
"""The model unit among the hostile and the unlucky: each gets an error, or exact results, and never
waits for ever."""

import contextlib
import glob
import json
import os
import re
import signal
import subprocess
import time

import pytest

import dci_client as dci
from dci_client import pb
from machine import BUILD, CONTROLLER, ROOT, Monitor
from servers import interrupt, kill, owners, wait_owner, wait_up
from test_pmu_model import run
from test_stat_events import let_work, working
from waiting import PATIENCE, wait_for

E_INVAL, E_LIMIT, E_NOTSUP, E_PROTO = -1, -6, -14, -13
MODEL = pb.PMU_EVENT_MODEL
LARX = MODEL + 2
WHOLE = "instructions,instructions:u,instructions:k"
ABSURD = [0, 1, 2**31, 2**63, 2**64 - 1]


@pytest.fixture(name="client")
def raw_client(modelled):
    with dci.connect(modelled.port, CONTROLLER) as client:
        yield client


@contextlib.contextmanager
def session(machine, what, *arguments):
    """kov in the background, as soon as its session runs; what: counting, sampling, sleep_locks or
    tracing."""
    with subprocess.Popen(machine.kov_command("--json", *arguments), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as client:
        try:
            wait_for(lambda: owners(machine, what) or client.poll() is not None)
            assert client.poll() is None, client.communicate()
            yield client
        finally:
            client.kill()


def result_of(client):
    """What kov tells when it is interrupted."""
    return json.loads(interrupt(client)[0])


def check_parts(result, least=1000):
    """On each CPU all instructions are those of user and kernel, and those of all tasks, to the
    one."""
    whole, user, kernel = (event["cpus"] for event in result["events"])
    for cpu, (all_of, in_user, in_kernel) in enumerate(zip(whole, user, kernel)):
        assert all_of["count"] == in_user["count"] + in_kernel["count"] > least \
            and all_of["error"] == 0
        tasks = [task["events"][0]["count"] for task in result.get("tasks", ())
                 if task["cpu"] == cpu]
        assert not tasks or sum(tasks) == all_of["count"]


def check_overflows(recorded):
    """What overflowed was taken, lost or missed, on each CPU."""
    for event in recorded["events"]:
        assert event["overflows"] > 0
        for cpu in event["cpus"]:
            assert cpu["overflows"] == cpu["taken"] + cpu["lost"] + cpu["missed"], event


def check_counts(machine, *options):
    check_parts(machine.kov("stat", "-e", WHOLE, "--per-process", "--per-cpu", "-d", "0.5",
                            *options))


# ---- no plugin, and another one ------------------------------------------------------------------


def check_refusals(machine, tmp_path):
    """All that needs the unit says that it is not there; what does not need it goes on."""
    assert not [event for event in machine.kov("events")["events"] if event["unit"] == "model"]
    path = str(tmp_path / "samples")
    for command in (("stat", "-e", "larx"), ("record", "-o", path, "-e", "larx"),
                    ("locks", "-c", "1000")):
        done = machine.kov_run(*command, "-d", "0.1", check=False)
        assert done.returncode in (1,
                                   2) and "without the model unit" in done.stderr, (command, done)
    with dci.connect(machine.port, CONTROLLER) as client:
        check_raw_refusal(client, E_NOTSUP, sampling_start=sampling(LARX))
        check_raw_refusal(client, E_NOTSUP, count_start=counting(2))
    assert machine.kov("record", "-o", path, "-d", "0.5")["samples"] > 0


def test_without_the_plugin_all_say_so(boot, tmp_path):
    machine = boot("plain").wait_ready()
    assert "pmu: no model unit (scripts/qemu --pmu model)" in machine.console, machine.console
    check_refusals(machine, tmp_path)


def build_other_version(folder):
    """A kernel in a folder of its own, beside a plugin that speaks the next version. Returns
    (kernel, its version)."""
    with open(os.path.join(ROOT, "include/orrery/pmu_model.h"), encoding="utf-8") as file:
        header = file.read()
    version = int(re.search(r"^#define MODEL_VERSION (\d+)$", header, re.MULTILINE).group(1))
    (folder / "include/orrery").mkdir(parents=True)
    (folder / "include/orrery/pmu_model.h").write_text(
        header.replace(f"#define MODEL_VERSION {version}\n",
                       f"#define MODEL_VERSION {version + 1}\n"), encoding="utf-8")
    sources = [path for what in ("", "models/")
               for path in glob.glob(os.path.join(ROOT, f"pmu/model/{what}*.c"))]
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu17", "-O1", "-fPIC", "-shared",
                    "-fvisibility=hidden", "-D_GNU_SOURCE", "-I", str(folder / "include"), "-I",
                    os.path.join(ROOT, "include"), "-I", os.path.join(ROOT, "pmu/model"), *sources,
                    "-lpthread", "-o", str(folder / "pmu-model.so")], check=True, timeout=PATIENCE)
    for file in ("orrery-bench.elf", "initrd-bench.cpio"):
        os.symlink(os.path.join(os.path.abspath(BUILD), file), folder / file)
    return str(folder / "orrery-bench.elf"), version


def test_a_plugin_of_another_version_is_refused(boot, tmp_path):
    kernel, version = build_other_version(tmp_path / "other")
    machine = boot("other-version", pmu="model", kernel=kernel).wait_ready()
    assert f"pmu: the model unit has version {version + 1}, not {version}" \
        in machine.console, machine.console
    assert f"pmu-model: refused: the guest speaks version {version}, this plugin {version + 1}" \
        in machine.emulator
    check_refusals(machine, tmp_path)


# ---- guests and programs that mean it ------------------------------------------------------------


@pytest.mark.parametrize("cpus", [1, 4])
def test_a_hostile_guest_harms_itself_only(boot, cpus):
    machine, ok = run(boot, "hostile", cpus=cpus, pmu="model")
    assert ok == 13, machine.console
    assert re.search(r"pmu-model: refused: the guest speaks version \d+",
                     machine.emulator), machine.emulator


def test_commands_of_processes_do_nothing(modelled):
    with session(modelled, "counting", "stat", "-e", WHOLE, "--per-process", "--per-cpu", "-d",
                 "86400") as client:
        done = modelled.kov_run("run", "test-commands", "200000")
        assert done.stdout == "test-commands: 200000 commands\n"
        result = result_of(client)
    check_parts(result)
    (task,) = {task["pid"] for task in result["tasks"] if task["name"].endswith("test-commands")}
    ran = sum(one["events"][1]["count"] for one in result["tasks"] if one["pid"] == task)
    assert ran > 200000 * 20, "all of it has been counted"


# ---- absurd requests -----------------------------------------------------------------------------


def sampling(*events, period=100000, precise=False):
    return pb.SamplingStartRequest(events=[pb.SampledEvent(event=one, period=period)
                                           for one in events], precise=precise)


def counting(*events):
    return pb.CountStartRequest(items=[pb.CountItem(event=one) for one in events], shares=[1])


def check_raw_refusal(client, errors, **request):
    with pytest.raises(dci.DciError) as refusal:
        client.request(**request)
    assert refusal.value.error in (errors if isinstance(errors, tuple)
                                   else (errors,)), refusal.value
    assert len(str(refusal.value).partition(": ")[2]) > 10, "there is a reason"


@pytest.mark.parametrize("options", [
    *[("-c", str(period)) for period in (*ABSURD, -1, 2**64)],
    *[("-e", f"larx@{period}") for period in (*ABSURD, -1, 2**64 + 1000, "", "x")],
    *[("-e", "instructions", "--precise", "-c", str(period)) for period in (*ABSURD, 15)],
    ("-e", "nonsense"), ("-e", ""), ("-e", "larx:x"), ("-e", "larx,larx"), ("-e", "16"),
], ids=" ".join)
def test_absurd_options_are_refused(modelled, tmp_path, options):
    done = modelled.kov_run("record", "-o", str(tmp_path / "x"), "-d", "0.1", *options, check=False)
    assert done.returncode == 2 and done.stderr.startswith("kov: "), done


def test_absurd_thresholds_are_refused_by_the_machine(client):
    for period in ABSURD:
        check_raw_refusal(client, E_INVAL, sampling_start=sampling(LARX, period=period))
        check_raw_refusal(client, E_INVAL,
                          sampling_start=sampling(LARX, period=period, precise=True))
    client.request(sampling_start=sampling(LARX))
    for period in ABSURD:
        check_raw_refusal(client, E_INVAL,
                          sampling_change=pb.SamplingChangeRequest(index=0, period=period))
    check_raw_refusal(client, E_INVAL,
                      sampling_change=pb.SamplingChangeRequest(index=1, period=100000))
    assert client.request(sampling_stat=pb.SamplingStatRequest()).sampling_stat.events[0].period \
        == 100000
    list(client.responses(client.send(sampling_stop=pb.SamplingStopRequest())))


def test_events_that_are_not_there_are_refused_by_the_machine(client):
    for event in (0, 2, MODEL - 1, MODEL + 15, 255, 2**31, 2**32 - 1):
        check_raw_refusal(client, (E_INVAL, E_NOTSUP), sampling_start=sampling(event))
    for event in (17, 99, 255, 256, 2**31, 2**32 - 1):
        check_raw_refusal(client, (E_INVAL, E_NOTSUP), count_start=counting(event))


def test_more_events_than_a_message_holds_are_refused(modelled):
    with dci.connect(modelled.port, CONTROLLER) as other:
        check_raw_refusal(other, (E_PROTO, E_LIMIT, E_INVAL),
                          sampling_start=sampling(*range(MODEL, MODEL + 17)))
    check_counts(modelled)


def test_more_events_than_counters_take_turns(modelled):
    result = modelled.kov("stat", "-e", "all", "--slice", "100000", "-d", "2")
    assert len(result["events"]) > 8
    for event in result["events"]:
        assert 0 < event["measured"] <= event["total"]
        assert event["error"] != 0 or event["measured"] == event["total"], \
            "what is an estimate says so"


def stopped(client):
    """A session that counts and ends: its number, and its counts as told at the end."""
    number = client.request(count_start=counting(2)).count_start.session
    answers = client.responses(client.send(count_stop=pb.CountStopRequest()))
    return number, [answer.count_stop.counts[0].count for answer in answers]


def test_what_was_counted_stays_while_others_count(modelled):
    """As a gateway does that counts, ends and counts again while somebody reads."""
    with contextlib.ExitStack() as stack:
        first, *others = [stack.enter_context(dci.connect(modelled.port, CONTROLLER))
                          for _ in range(3)]
        number, counts = stopped(first)
        for other in others:
            for _ in range(2):
                stopped(other)
        answers = first.responses(first.send(count_read=pb.CountReadRequest(session=number)))
        assert [answer.count_read.counts[0].count for answer in answers] == counts


# ---- deaths --------------------------------------------------------------------------------------


def test_a_process_that_is_killed_while_it_is_counted(modelled):
    with session(modelled, "counting", "stat", "-e", WHOLE, "--per-thread", "--per-cpu", "-d",
                 "86400") as client:
        with working(modelled) as pid:
            let_work(modelled, pid)
            modelled.kov_run("kill", str(pid))
            wait_for(lambda: pid not in [one["pid"] for one in modelled.kov("ps")["processes"]])
        result = result_of(client)
    check_parts(result)
    dead = [task for task in result["tasks"] if task["pid"] == pid]
    assert dead and all(task["ended"] for task in dead)
    assert sum(task["events"][1]["count"] for task in dead) > 0


@pytest.mark.parametrize("options", [("instructions@10007", "--precise"), ("instructions@200000",)],
                         ids=["precise", "interrupts"])
def test_a_process_that_is_killed_while_it_is_sampled(modelled, tmp_path, options):
    path = str(tmp_path / "samples")
    with session(modelled, "sampling", "record", "-o", path, "-e", *options, "-d",
                 "86400") as client:
        with working(modelled) as pid:
            let_work(modelled, pid)
            modelled.kov_run("kill", str(pid))
        recorded = result_of(client)
    check_overflows(recorded)
    assert modelled.kov("report", "-i", path)["samples"] == recorded["samples"] > 0
    check_counts(modelled)


@pytest.mark.parametrize("server", ["fs", "proc"])
def test_a_server_that_is_killed_while_it_is_counted(modelled, server):
    with session(modelled, "counting", "stat", "-e", WHOLE, "--per-process", "--per-cpu", "-d",
                 "86400") as client:
        before = kill(modelled, server)
        wait_up(modelled, server, before)
        result = result_of(client)
    check_parts(result)
    assert any(task["pid"] == before and task["ended"] for task in result["tasks"])


def test_a_recording_goes_on_without_its_server(modelled, tmp_path):
    path = str(tmp_path / "samples")
    with session(modelled, "sampling", "record", "-o", path, "-e", "instructions@100003",
                 "--precise", "-d", "86400") as client:
        wait_up(modelled, "dci", kill(modelled, "dci"))
        wait_owner(modelled, "sampling")
        recorded = result_of(client)
    assert recorded["reconnected"] >= 1
    assert modelled.kov("report", "-i", path)["samples"] == recorded["samples"] > 0
    check_counts(modelled)


@pytest.mark.parametrize("what, command", [
    ("counting", ("stat", "-e", "all", "--per-thread")),
    ("counting", ("stat", "-e", "instructions", "-I", "100")),
    ("sampling", ("record", "-o", "FILE", "-e", "instructions@100000,larx@1000")),
    ("sampling", ("record", "-o", "FILE", "-e", "instructions@1000,larx@16", "--precise")),
    ("sampling", ("record", "-o", "FILE")),
    ("sampling", ("top", "-n", "1000000")),
    ("sampling", ("locks", "-c", "1000")),
    ("sleep_locks", ("locks", "--sleep")),
], ids=lambda value: value if isinstance(value, str) else " ".join(value[:5]))
def test_a_session_ends_with_a_killed_kov(modelled, tmp_path, what, command):
    command = [str(tmp_path / "samples") if word == "FILE" else word for word in command]
    with session(modelled, what, *command, "-d", "600") as client:
        time.sleep(0.5)
        client.send_signal(signal.SIGKILL)
        client.wait(PATIENCE)
        wait_for(lambda: not owners(modelled, what))
    if command[0] == "top":
        command[2] = "1"
    modelled.kov_run("--json", *command, "-d", "0.5")
    check_counts(modelled)


# ---- many CPUs, and none for a while -------------------------------------------------------------


def test_eight_cpus_that_all_work(boot, tmp_path):
    machine = boot("eight", cpus=8, pmu="model").wait_ready()
    result = machine.kov("stat", "-e", WHOLE, "--per-process", "--per-cpu", "--", "demo",
                         "seconds=2")
    assert len(result["events"][0]["cpus"]) == 8
    check_parts(result, least=1000000)
    for options in (("instructions@100003", "--precise"), ("instructions@1000003",)):
        recorded = machine.kov("record", "-o", str(tmp_path / "samples"), "-e", *options, "--",
                               "demo", "seconds=2")
        check_overflows(recorded)
        assert len(recorded["events"][0]["cpus"]) == 8 \
            and all(cpu["overflows"] for cpu in recorded["events"][0]["cpus"])


def reset(machine):
    """Resets the machine, and waits until it is up again."""
    up = machine.console.count("dci: listening")
    with Monitor(machine.qmp_path) as monitor:
        monitor.command("system_reset")
    machine.wait_for(lambda: machine.console.count("dci: listening") > up, "it has booted again")
    machine.wait_ready()


@pytest.mark.parametrize("what, command", [
    ("sampling", ("record", "-o", "FILE", "-e", "instructions@10007", "--precise")),
    ("sampling", ("record", "-o", "FILE", "-e", "instructions@100000,larx@1000")),
    ("counting", ("stat", "-e", "all")),
], ids=["precise", "interrupts", "counting"])
def test_a_machine_that_is_reset_counts_anew(boot, tmp_path, what, command):
    machine = boot("reset", pmu="model").wait_ready()
    path = str(tmp_path / "samples")
    command = [path if word == "FILE" else word for word in command]
    # Nothing comes any more on its connection, perhaps in the middle of a frame.
    with session(machine, what, "--timeout", "10", *command, "-d", "600") as client:
        reset(machine)
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=PATIENCE)  # it ends with what it has, or with an error
    assert not owners(machine, what)
    check_counts(machine)
    check_overflows(machine.kov("record", "-o", path, "-e", "instructions@100003", "--precise",
                                "-d", "0.5"))
    assert "PANIC" not in machine.console, machine.console
