# SPDX-License-Identifier: MIT
"""kov trace show --activity tells what each CPU did, and where that is not known."""

import pytest

import trace_folder
from trace_folder import BY_NAME, packet

IDLE, NORMAL = 0, 2
EVERYTHING = (1 << 64) - 1
KERNEL_PC, USER_PC = 0xc000000000001000, 0x10001000
FAULT, EXTERNAL, DECREMENTER, SYSTEM_CALL = 0x300, 0x500, 0x900, 0xc00
WAIT = 0x100  # number of a call that sees all registers; plain ones are below


def logged(events):
    """Returns (time, name, values…) as events of a packet, of a recording of all majors."""
    return [(events[0][0], BY_NAME["start"], (EVERYTHING,)),
            *((when, BY_NAME[name], values) for when, name, *values in events)]


def switch(when, from_thread, to_thread, from_priority=NORMAL, to_priority=NORMAL):
    return when, "switch", from_thread, to_thread, from_priority, to_priority


def enter(when, vector, pc):
    return when, "exc_enter", vector, pc, 0


def leave(when, vector):
    return when, "exc_exit", vector


@pytest.fixture
def activity(kov, tmp_path):
    """Returns the intervals of a trace of one CPU, each as (from, to, activity, thread, pid)."""

    def run(*packets, options=()):
        folder = trace_folder.write(tmp_path / "trace", {(0, 0): packets})
        result = kov("trace", "show", folder, "--activity", "--json", *options)
        assert result.code == 0, result.err
        return [(row["from_ticks"], row["to_ticks"], row["activity"], row["thread"], row["pid"])
                for row in result.json["intervals"]]

    return run


def test_a_process_faults_and_is_interrupted(activity):
    assert activity(packet(logged([
        (10, "dispatcher_create", 7, 5, 0), switch(20, 4, 5), enter(30, FAULT, USER_PC),
        enter(35, EXTERNAL, KERNEL_PC), (36, "irq_enter", 2), (37, "irq_exit", 2),
        leave(38, EXTERNAL), leave(40, FAULT), switch(50, 5, 4), leave(60, EXTERNAL)]))) == [
            (10, 20, "unknown", None, None), (20, 30, "unknown", 5, 7), (30, 35, "fault", 5, 7),
            (35, 38, "interrupt", 5, 7), (38, 40, "fault", 5, 7), (40, 50, "run", 5, 7),
            (50, 60, "unknown", 4, None)]


def test_what_a_thread_has_entered_it_leaves_when_it_runs_again(activity):
    assert activity(packet(logged([
        (10, "thread_create", 5, 0x1000, 0, NORMAL), (10, "thread_create", 6, 0x1010, 0, NORMAL),
        switch(20, 1, 5), enter(30, FAULT, USER_PC), switch(40, 5, 6), switch(50, 6, 5),
        leave(60, FAULT), switch(70, 5, 6)]))) == [
            (10, 20, "unknown", None, None), (20, 30, "run", 5, None), (30, 40, "fault", 5, None),
            (40, 50, "run", 6, None), (50, 60, "fault", 5, None), (60, 70, "run", 5, None)]


HANDLER = (22, "irq_enter", 2), (28, "irq_exit", 2)
FIRES = (23, "timer_fire", 10, 0),


@pytest.mark.parametrize("handler", [HANDLER, FIRES])
def test_an_idle_cpu_is_idle_after_the_first_interrupt_with_a_handler(activity, handler):
    assert activity(packet(logged([
        switch(10, 5, 1, NORMAL, IDLE), enter(20, EXTERNAL, KERNEL_PC), *handler,
        leave(30, EXTERNAL), enter(50, EXTERNAL, KERNEL_PC),
        switch(55, 1, 5, IDLE, NORMAL)]))) == [
            (10, 20, "unknown", 1, None), (20, 30, "interrupt", 1, None), (30, 50, "idle", 1, None),
            (50, 55, "interrupt", 1, None)]


def test_an_interrupt_within_an_interrupt_of_an_idle_cpu(activity):
    """The inner one has no handler. It does not tell that the CPU is idle behind it."""
    def inner(when):
        return enter(when, DECREMENTER, KERNEL_PC), leave(when + 1, DECREMENTER)

    assert activity(packet(logged([
        switch(10, 5, 1, NORMAL, IDLE), *inner(12), leave(15, EXTERNAL),
        enter(20, EXTERNAL, KERNEL_PC), (21, "irq_enter", 2), *inner(22), (24, "irq_exit", 2),
        leave(25, EXTERNAL),
        enter(30, EXTERNAL, KERNEL_PC), *inner(32), leave(35, EXTERNAL), (40, "test0")]))) == [
            (10, 12, "unknown", 1, None), (12, 13, "interrupt", 1, None),
            (13, 20, "unknown", 1, None), (20, 25, "interrupt", 1, None), (25, 30, "idle", 1, None),
            (30, 35, "interrupt", 1, None), (35, 40, "idle", 1, None)]


def test_an_idle_thread_leaves_the_exception_in_which_it_lost_its_cpu(activity):
    assert activity(packet(logged([
        switch(10, 5, 1, NORMAL, IDLE), leave(15, EXTERNAL), (20, "test0")]))) == [
            (10, 15, "unknown", 1, None), (15, 20, "idle", 1, None)]


def test_a_system_call_its_fault_and_an_interrupt(activity):
    """Whoever makes a system call is in user mode before it, whatever was known."""
    assert activity(packet(logged([
        switch(10, 4, 5), (20, "syscall_enter", 9, 0), enter(22, FAULT, KERNEL_PC),
        enter(23, EXTERNAL, KERNEL_PC), leave(24, EXTERNAL), leave(26, FAULT),
        (30, "syscall_exit", 9, 0), (40, "syscall_exit", 9, 0), (50, "test0")]))) == [
            (10, 20, "unknown", 5, None), (20, 22, "syscall", 5, None), (22, 23, "fault", 5, None),
            (23, 24, "interrupt", 5, None), (24, 26, "fault", 5, None),
            (26, 30, "syscall", 5, None), (30, 50, "run", 5, None)]


@pytest.mark.parametrize("inside, activity_name", [
    ((), "ipc"), (((31, "syscall_enter", WAIT, 0),), "syscall")])
def test_who_sleeps_for_an_event_goes_on_in_user_mode(activity, inside, activity_name):
    found = activity(packet(logged([
        (10, "thread_create", 5, 0x1000, 0, NORMAL), switch(20, 4, 5),
        enter(30, SYSTEM_CALL, USER_PC), *inside, switch(40, 5, 4), switch(50, 4, 5),
        (60, "test0")])))
    assert found[-3:] == [(31 if inside else 30, 40, activity_name, 5, None),
                          (40, 50, "unknown", 4, None), (50, 60, "run", 5, None)]


def test_who_is_interrupted_in_a_system_call_goes_on_in_it(activity):
    found = activity(packet(logged([
        switch(20, 4, 5), enter(30, SYSTEM_CALL, USER_PC), (31, "syscall_enter", WAIT, 0),
        enter(35, EXTERNAL, KERNEL_PC), switch(40, 5, 4), switch(50, 4, 5), leave(55, EXTERNAL),
        (60, "syscall_exit", WAIT, 0), leave(70, SYSTEM_CALL), (80, "test0")])))
    assert found[-4:] == [(50, 55, "interrupt", 5, None), (55, 60, "syscall", 5, None),
                          (60, 70, "ipc", 5, None), (70, 80, "run", 5, None)]


def test_both_ends_of_a_call_by_the_fast_path_are_in_user_mode(activity):
    """The switch is told before the call or the answer."""
    assert activity(packet(logged([
        (10, "test0"), switch(20, 5, 6), (20, "ipc_call", 0x10, 0x20, 7, 0, 1, 3),
        switch(30, 6, 5), (30, "ipc_reply", 0x20, 0, 0), (40, "test0")]))) == [
            (10, 20, "unknown", None, None), (20, 30, "run", 6, None), (30, 40, "run", 5, None)]


def test_an_exit_without_its_entry_leaves_it_unknown(activity):
    assert activity(packet(logged([
        switch(10, 4, 5), leave(20, FAULT), switch(30, 5, 6), enter(40, FAULT, KERNEL_PC),
        leave(50, FAULT), (60, "test0")]))) == [
            (10, 30, "unknown", 5, None), (30, 40, "unknown", 6, None),
            (40, 50, "fault", 6, None), (50, 60, "unknown", 6, None)]


LOSSY = (
    packet(logged([(10, "thread_create", 5, 0x1000, 0, NORMAL), switch(20, 1, 5), (30, "test0")])),
    packet(logged([(90, "test0"), enter(100, FAULT, USER_PC), switch(110, 5, 6),
                   switch(120, 6, 5), leave(130, FAULT), (140, "test0")]), sequence=4),
)


def test_where_events_are_missing_it_is_unknown(activity):
    """It is unknown of a thread that runs again later, too: it may have entered what was not
    seen."""
    assert activity(*LOSSY) == [
        (10, 20, "unknown", None, None), (20, 30, "run", 5, None), (30, 110, "unknown", None, None),
        (110, 120, "unknown", 6, None), (120, 140, "unknown", 5, None)]


@pytest.mark.parametrize("options, expected", [
    (("-n", "2"), [(10, 20), (20, 30)]), (("--cpu", "1"), []), (("--pid", "7"), []),
    (("--from", "0.000000206", "--to", "0.000000240"), [(106, 110), (110, 120), (120, 123)]),
])
def test_only_what_is_wanted(activity, options, expected):
    found = activity(*LOSSY, options=options)
    assert [interval[:2] for interval in found] == expected


@pytest.mark.parametrize("seed", range(3))
def test_intervals_of_a_cpu_lie_end_to_end(kov, tmp_path, seed):
    """They do so whatever the events say."""
    folder = trace_folder.random_folder(tmp_path / "trace", seed, count=30)
    rows = kov("trace", "show", folder, "--activity", "--json").json["intervals"]
    events = kov("trace", "show", folder, "--json").json["events"]
    ticks = [event["ticks"] for event in events if event["event"] != "lost"]
    for cpu in (0, 1):
        own = [row for row in rows if row["cpu"] == cpu]
        assert own[0]["from_ticks"] == ticks[0] and own[-1]["to_ticks"] == ticks[-1]
        assert [row["to_ticks"] for row in own[:-1]] == [row["from_ticks"] for row in own[1:]]


@pytest.mark.parametrize("options", [("-e", "switch"), ("--where", "to = 3")])
def test_events_are_not_chosen(kov, tmp_path, options):
    folder = trace_folder.random_folder(tmp_path / "trace", 1)
    assert kov("trace", "show", folder, "--activity", *options).code == 2


SCHED, EXC, IRQ, STATE, SYSCALL = (1 << number for number in (3, 2, 8, 17, 14))
RUNS, ASKS = 0, 4  # trace/events/state.def


@pytest.mark.parametrize("mask, priority, state, expected", [
    # The end of the interrupt that tells it will be told.
    (SCHED | EXC | IRQ, IDLE, RUNS, [("interrupt", 12, 22), ("idle", 22, 30)]),
    (SCHED | EXC, IDLE, RUNS, [("interrupt", 12, 22), ("idle", 22, 30)]),
    (SCHED | EXC | IRQ, NORMAL, RUNS, [("interrupt", 12, 22), ("unknown", 22, 30)]),
    # It will not: then nothing says for how long.
    (SCHED, IDLE, RUNS, [("unknown", 12, 30)]), (SCHED, NORMAL, RUNS, [("unknown", 12, 30)]),
    (SCHED | EXC | IRQ, NORMAL, ASKS, [("unknown", 12, 30)]),
])
def test_who_runs_is_told_where_a_recording_begins(activity, mask, priority, state, expected):
    ends = [(20, "irq_exit", 2)] * bool(mask & IRQ) + [leave(22, EXTERNAL)] * bool(mask & EXC)
    found = activity(packet(logged([
        (10, "state_begin", mask | STATE), (12, "state_thread", 5, 0x1000, 0, priority, state),
        *ends, switch(30, 5, 6)])))
    assert found[0] == (10, 12, "unknown", None, None)
    assert [(what, begin, end) for begin, end, what, thread, _ in found if thread == 5] == expected


PREEMPTED, LOCK = 1, 9  # trace/reasons.h
PARKED, READY = 1, 2
ALL = SCHED | EXC | IRQ | STATE | SYSCALL


def told(when, state, kernel=1, exception=0):
    return when, "state_thread", 5, 0x1000, 0, NORMAL, state, kernel, exception


def interrupt(when):
    return (enter(when, EXTERNAL, KERNEL_PC), (when + 1, "irq_enter", 2), (when + 2, "irq_exit", 2),
            leave(when + 3, EXTERNAL))


def of_thread(found, number=5):
    return [(begin, end, what) for begin, end, what, thread, _ in found if thread == number]


@pytest.mark.parametrize("before, after, expected", [
    # It runs, and its CPU was interrupted to tell so.
    ((), (), [(12, 22, "interrupt"), (22, 30, "run")]),
    ((enter(5, EXTERNAL, KERNEL_PC), (6, "irq_enter", 2)), (),
     [(12, 22, "interrupt"), (22, 30, "run")]),
    # An interrupt that was held back is handled outside of an exception.
    ((enter(5, EXTERNAL, KERNEL_PC), leave(6, EXTERNAL), (7, "irq_enter", 2)), "replayed",
     [(12, 20, "interrupt"), (20, 30, "run")]),
    # It had got its CPU before, but nobody knew from where.
    ((switch(2, 4, 5), enter(5, EXTERNAL, KERNEL_PC), (6, "irq_enter", 2)), (),
     [(2, 5, "unknown"), (5, 22, "interrupt"), (22, 30, "run")])])
def test_a_kernel_thread_that_runs_is_known_from_the_state_on(activity, before, after, expected):
    leaves = [] if after else [leave(22, EXTERNAL)]
    found = activity(packet(logged([
        (1, "state_begin", ALL), *before, told(12, RUNS), (20, "irq_exit", 2), *leaves,
        switch(30, 5, 6)])))
    assert of_thread(found) == expected


def test_a_kernel_thread_that_sleeps_is_known_from_the_state_on(activity):
    found = activity(packet(logged([
        (10, "state_begin", ALL), told(12, PARKED), switch(20, 6, 5), *interrupt(22),
        switch(30, 5, 6), (40, "test0")])))
    assert of_thread(found) == [(20, 22, "run"), (22, 25, "interrupt"), (25, 30, "run")]


@pytest.mark.parametrize("mask, exception, first, expected", [
    # It lost its CPU in an interrupt, which it leaves first.
    (ALL, DECREMENTER, (leave(23, DECREMENTER),), [(20, 23, "interrupt"), (23, 30, "run")]),
    # Then another one was waiting.
    (ALL, DECREMENTER, (*interrupt(21)[::3], leave(25, DECREMENTER)),
     [(20, 25, "interrupt"), (25, 30, "run")]),
    # Or it lost it outside of one.
    (ALL, 0, interrupt(22), [(20, 22, "run"), (22, 25, "interrupt"), (25, 30, "run")]),
    # Nothing will tell when it leaves it.
    (SCHED | STATE, DECREMENTER, (), [(20, 30, "unknown")]),
    (SCHED | STATE, 0, (), [(20, 30, "unknown")]),
])
def test_a_kernel_thread_that_is_ready_is_known_from_the_state_on(activity, mask, exception, first,
                                                                  expected):
    found = activity(packet(logged([
        (10, "state_begin", mask), told(12, READY, exception=exception), switch(20, 6, 5), *first,
        switch(30, 5, 6)])))
    assert of_thread(found) == expected


@pytest.mark.parametrize("reason, kernel, expected", [
    (LOCK, True, "run"), (PREEMPTED, True, "interrupt"), (0, True, "interrupt"),
    (LOCK, False, "unknown")])
def test_a_kernel_thread_that_gives_its_cpu_away_has_nothing_open(activity, reason, kernel,
                                                                 expected):
    """A thread of a program may sleep in a fault or a system call."""
    found = activity(packet(logged([
        (10, "state_begin", ALL), told(12, READY, kernel, DECREMENTER), switch(20, 6, 5),
        (30, "switch", 5, 6, NORMAL, NORMAL, reason), switch(40, 6, 5), switch(50, 5, 6)])))
    assert of_thread(found) == [(20, 30, "interrupt" if kernel else "unknown"), (40, 50, expected)]


def test_a_kernel_thread_stays_one_where_events_are_missing(activity):
    """What it had open is not known any more; but it is nothing but interrupts."""
    created = (10, "thread_create", 5, 0x1000, 0, NORMAL, 1)
    found = activity(
        packet(logged([created, switch(20, 6, 5), (30, "test0")])),
        packet(logged([(90, "test0"), switch(100, 6, 5), *interrupt(110), switch(120, 5, 6)]),
               sequence=4))
    assert of_thread(found) == [(20, 30, "run"), (100, 110, "unknown"), (110, 113, "interrupt"),
                                (113, 120, "run")]


def test_what_a_cpu_told_before_the_state_is_of_the_thread_that_it_names(activity):
    found = activity(packet(logged([
        (10, "state_begin", ALL), (11, "syscall_enter", 9, 0), told(15, ASKS, kernel=0),
        (20, "syscall_exit", 9, 0), switch(30, 5, 6)])))
    assert found[0] == (10, 15, "unknown", None, None)
    assert of_thread(found) == [(15, 20, "syscall"), (20, 30, "run")]


@pytest.mark.parametrize("waits, expected", [(0, "unknown"), (1, "run"), (2, "run")])
def test_a_dispatcher_that_waits_goes_on_in_user_mode(activity, waits, expected):
    found = activity(packet(logged([
        (10, "state_begin", ALL), told(12, PARKED, kernel=0),
        (14, "state_dispatcher", 7, 5, 0, waits), switch(20, 6, 5), switch(30, 5, 6)])))
    assert of_thread(found) == [(20, 30, expected)]


@pytest.mark.parametrize("cpu", [0, 64, 2**64 - 1])
def test_a_dispatcher_that_has_gone_on_is_not_taken_to_wait(activity, cpu):
    found = activity(packet(logged([
        (10, "state_begin", ALL), switch(12, 6, 5), (14, "state_dispatcher", 7, 5, cpu, 1),
        switch(30, 5, 6)])))
    assert [row for row in of_thread(found) if row[2] != "unknown"] == []
