# SPDX-License-Identifier: MIT
"""A simulated machine: its trace, and where the time of its CPUs, threads and calls went."""

import collections
import random

from trace_folder import BY_NAME, packet

IDLE, NORMAL = 0, 2
KERNEL_PC, USER_PC = 0xc000000000001000, 0x10001000
FAULT, EXTERNAL, DECREMENTER, SYSTEM_CALL, WAIT = 0x300, 0x500, 0x900, 0xc00, 0x100
CLIENT_PID, SERVER_PID, ENDPOINT, METHODS = 7, 3, 0xabc, 3


REASONS = {"ready": 1, "blocked": 7, "call": 4, "reply": 5}  # trace/reasons.h


class Thread:
    def __init__(self, number, pid, idle=False):
        self.number, self.pid, self.idle = number, pid, idle
        self.open = []  # what it has entered, the innermost last
        self.off = "ready"
        self.client = self.method = self.call = None  # of a server, while it works
        self.times, self.counts = collections.Counter(), collections.Counter()

    def does(self):
        if not self.open:
            return "idle" if self.idle else "user"
        return {FAULT: "fault", EXTERNAL: "interrupt", DECREMENTER: "interrupt",
                "irq": "interrupt", SYSTEM_CALL: "ipc"}.get(self.open[-1], "syscall")

    def call_number(self):
        return next((int(what[1:]) for what in self.open if str(what).startswith("c")), None)


class Cpu:
    """A CPU. All on it is known from its first tick on, since its threads begin there."""

    def __init__(self, number, seed, steps, reasons=False):
        self.reasons = reasons  # a switch tells why; not so in older traces
        self.chance, self.number, self.time = random.Random(seed), number, 1000
        self.events, self.times = [], collections.Counter()
        first = 100 * (number + 1)
        self.idle = Thread(first, None, idle=True)
        self.server = Thread(first + 1, SERVER_PID)
        self.clients = [Thread(first + 2 + i, CLIENT_PID + i) for i in range(3)]
        self.threads = [self.idle, self.server, *self.clients]
        self.worked, self.waited, self.calls = (collections.Counter() for _ in range(3))
        self.call_times = collections.Counter()  # of system calls: (pid, number)
        self.spans, self.began, self.next_call = collections.defaultdict(list), {}, 1
        self.start()
        for _ in range(steps):
            self.pass_time(self.chance.randrange(1, 1000))
            self.step()

    def log(self, name, *values):
        self.events.append((self.time, BY_NAME[name], values))

    def start(self):
        for thread in self.threads:
            self.log("thread_create", thread.number, 0x1000, self.number, NORMAL)
            if thread.pid is not None:
                self.log("dispatcher_create", thread.pid, thread.number, self.number)
                self.log("wake", thread.number, self.number)
        self.log("thread_exit", 9 + self.number)
        self.running = self.server
        self.log("switch", 9 + self.number, self.server.number, NORMAL, NORMAL)
        self.enter(SYSTEM_CALL)
        self.sleep()

    def pass_time(self, ticks):
        does = self.running.does()
        self.time += ticks
        self.times[does] += ticks
        for thread in self.threads:
            thread.times[does if thread is self.running else thread.off] += ticks
        if self.server is self.running and self.server.client and does != "interrupt":
            self.worked[self.server.client.pid, self.server.method] += ticks
        number = self.running.call_number()
        if does in ("syscall", "fault") and number is not None:
            self.call_times[self.running.pid, number, does] += ticks

    # ---- what may happen -----------------------------------------------------------------------

    def enter(self, vector):
        user = not self.running.open and not self.running.idle
        self.running.open.append(vector)
        self.log("exc_enter", vector, USER_PC if user else KERNEL_PC, 0)

    def leave(self):
        vector = self.running.open.pop()
        self.log("exc_exit", vector)

    def switch(self, to, off, reason=None):
        self.running.off = off
        self.log("switch", self.running.number, to.number, IDLE if self.running.idle else NORMAL,
                 IDLE if to.idle else NORMAL, REASONS[reason or off] if self.reasons else 0)
        self.running = to

    def ready(self):
        ready = [thread for thread in self.threads
                 if thread.off == "ready" and thread is not self.running and not thread.idle]
        return self.chance.choice(ready) if ready else self.idle

    def sleep(self):
        """Lets the running thread sleep. The thread does not leave what it was in; it goes on in
        user mode."""
        self.running.open = []
        self.switch(self.ready(), "blocked")
        self.resumed()

    def resumed(self):
        if self.running in self.began and not self.running.open:
            self.span_ends(*self.began.pop(self.running))

    def span_ends(self, since, number, failed=False):
        self.spans[number].append((self.time - since, failed))

    def interrupt(self):
        """Interrupts the CPU. Now and then another interrupt comes within, and stays pending."""
        self.enter(self.chance.choice([EXTERNAL, DECREMENTER]))
        self.running.open.append("irq")
        self.log("irq_enter", 2)
        self.pass_time(self.chance.randrange(1, 99))
        if self.chance.random() < 0.3:
            self.enter(DECREMENTER)
            self.pass_time(self.chance.randrange(1, 9))
            self.leave()
        sleepers = [thread for thread in self.clients if thread.off == "blocked"
                    and thread is not self.running]
        if sleepers and self.chance.random() < 0.1:
            woken = self.chance.choice(sleepers)
            woken.off = "ready"
            self.log("wake", woken.number, self.number)
        self.running.open.pop()
        self.log("irq_exit", 2)
        if self.chance.random() < 0.5 and not self.ready().idle:
            self.switch(self.ready(), "ready")
            self.resumed()
        else:
            self.leave()

    def system_call(self):
        number = self.chance.randrange(1, 40)
        self.began[self.running] = self.time, number
        self.running.open.append(f"c{number}")
        self.running.counts["syscalls"] += 1
        self.log("syscall_enter", number, 0)

    def end_system_call(self):
        number, result = int(self.running.open.pop()[1:]), self.chance.choice([0, 5, -1])
        self.log("syscall_exit", number, result)
        since, _ = self.began.pop(self.running)
        self.span_ends(since, number, result < 0)

    def wait(self):
        self.enter(SYSTEM_CALL)
        self.running.open.append(f"c{WAIT}")
        self.running.counts["syscalls"] += 1
        self.log("syscall_enter", WAIT, 0)
        self.began[self.running] = self.time, WAIT
        self.pass_time(self.chance.randrange(1, 99))
        self.sleep()

    def fault(self):
        self.enter(FAULT)
        self.running.counts["faults"] += 1
        self.log("fault_enter", 0x1000, 1)

    def end_fault(self):
        self.log("fault_exit", 0x1000, 0)
        self.leave()

    def call(self):
        """Calls by the fast path, where the switch is told first."""
        client, server = self.running, self.server
        client.counts["calls"] += 1
        self.switch(server, "call")
        server.client, server.method = client, self.chance.randrange(METHODS)
        server.call, server.since = self.next_call << 8 | self.number, self.time
        self.next_call += 1
        self.calls[client.pid, server.method] += 1
        self.log("ipc_call", ENDPOINT, server.call, SERVER_PID, 0, 1, server.method)

    def reply(self):
        server, client = self.running, self.server.client
        self.waited[client.pid, server.method] += self.time - server.since
        self.switch(client, "blocked", "reply")
        self.log("ipc_reply", server.call, 0, 0)
        server.client = server.call = None

    def step(self):
        thread, chance = self.running, self.chance.random()
        if thread.open and chance < 0.5 and thread.open[-1] != SYSTEM_CALL:
            {FAULT: self.end_fault, EXTERNAL: self.leave, DECREMENTER: self.leave}.get(
                thread.open[-1], self.end_system_call)()
        elif thread.idle or chance < 0.6 or thread.does() == "interrupt":
            if thread.does() != "interrupt":
                self.interrupt()
        elif thread.does() in ("user", "syscall") and chance < 0.75 and FAULT not in thread.open:
            self.fault()
        elif not thread.open and chance < 0.85:
            self.system_call()
        elif not thread.open and thread is self.server and thread.client:
            self.reply()
        elif not thread.open and thread is not self.server and self.server.client is None \
                and self.server.off == "blocked" and chance < 0.95:
            self.call()
        elif not thread.open and thread is not self.server:
            self.wait()


def packets(cpu, size=1500):
    """Returns the packets of its events."""
    parts = [cpu.events[i:i + size] for i in range(0, len(cpu.events), size)]
    return [packet(part, cpu=cpu.number, sequence=number) for number, part in enumerate(parts)]
