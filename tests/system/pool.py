# SPDX-License-Identifier: MIT
"""Machines that tests share, by configuration: booted when first asked for, kept for the next test,
thrown away when a test has harmed them."""

import os

import dci_client as dci
from machine import CONTROLLER, Machine
from waiting import wait_for

KEPT = 3  # machines at a time; each has its memory
SETTLE_SECONDS = 30  # for what a test has ended to be gone; what is not is harm


def state_of(machine):
    """What a test must leave as it was: processes, clients and what they have switched on, what is
    traced."""
    with dci.connect(machine.port, CONTROLLER, timeout=SETTLE_SECONDS) as client:
        processes = client.list("processes", "processes", dci.pb.ProcessesRequest())
        return sorted(one.name for one in processes), len(client.server_stat().clients), \
            client.trace_stat().mask


class Pool:
    def __init__(self, folder):
        self.folder = folder
        # (machine, its state when it had booted) by configuration, the last one used last
        self.machines = {}
        self.lent = set()  # configurations, since the last settle()
        self.booted = 0

    def lend(self, **configuration):
        """A machine of this configuration that is as if it had just booted, to a test that leaves
        it so, or says `harmed`."""
        key = tuple(sorted(configuration.items()))
        if key not in self.machines:
            self._boot(key)
        if key not in self.lent:
            self.lent.add(key)
            machine, state = self.machines.pop(key)
            machine.idle, machine.shown_from = False, len(machine.console)
            self.machines[key] = machine, state
        return self.machines[key][0]

    def _boot(self, key):
        while len(self.machines) - len(self.lent) >= KEPT:
            self._discard(next(one for one in self.machines if one not in self.lent))
        self.booted += 1
        machine = Machine(str(self.folder), f"shared{self.booted}", **dict(key))
        self.machines[key] = machine, None
        self.lent.add(key)  # one that does not come up is thrown away with the test
        self.machines[key] = machine, state_of(machine.wait_ready())

    def settle(self, failed):
        """After a test: keeps the machines that it had, if they are as they were."""
        for key in self.lent & self.machines.keys():
            self.machines[key][0].idle = True
            if failed or not self._is_as_it_was(key):
                self._discard(key)
        self.lent.clear()

    def _is_as_it_was(self, key):
        machine, state = self.machines[key]
        if machine.harmed or machine.process.poll() is not None:
            return False
        try:
            wait_for(lambda: state_of(machine) == state, seconds=SETTLE_SECONDS)
        except (OSError, dci.Closed, dci.DciError):
            return False
        return True

    def _discard(self, key):
        machine, _ = self.machines.pop(key)
        machine.end()
        os.remove(machine.console_path)

    def end(self):
        for key in list(self.machines):
            self._discard(key)
