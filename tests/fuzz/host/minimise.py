# SPDX-License-Identifier: MIT
"""Makes a failing scenario small: fewer processes, programs and steps, then simpler ones, for as
long as it fails in the same way."""

import copy
import os
import shutil
import tempfile

import guest
import outcome
import text

RUN_SECONDS = 60


class Replayer:
    """Runs scenarios, each on a machine of its own."""

    def __init__(self, setting, known, turns=3, tries=2, exact=False, tell=print,
                 seconds=RUN_SECONDS):
        self.setting, self.known = copy.copy(setting), known
        self.setting.options = {**setting.options, "replay": turns}
        self.tries, self.exact, self.tell, self.seconds, self.runs = tries, exact, tell, seconds, 0

    def run(self, programs):
        """The outcome of one run, and its console."""
        folder = tempfile.mkdtemp(prefix="fuzz-")
        try:
            initrd = os.path.join(folder, "initrd")
            guest.make_initrd(self.setting.build, initrd, programs)
            with guest.Guest(self.setting, initrd, folder) as machine:
                status = machine.wait(self.seconds)
                console, emulator = machine.console, machine.emulator
                summary = machine.memory().summary()
            self.runs += 1
            return outcome.of(status, console, emulator, summary), console
        finally:
            shutil.rmtree(folder)

    def fails(self, programs, like):
        """Whether it fails as wanted in one of some tries."""
        for _ in range(self.tries):
            got, _ = self.run(programs)
            if got.kind == like.kind and (not self.exact or got.place == like.place):
                return True
        return False


def without(items, start, count):
    return items[:start] + items[start + count:]


def reduce_list(items, still_fails, tell, what):
    """The well-known ddmin, without complements of single parts: drops runs of items, from large to
    small."""
    size = max(len(items) // 2, 1)
    while items:
        start, dropped = 0, False
        while start < len(items):
            fewer = without(items, start, size)
            if fewer and still_fails(fewer):
                items, dropped = fewer, True
                tell(f"{len(items)} {what}")
            else:
                start += size
        if size == 1 and not dropped:
            break
        size = max(size // 2, 1) if not dropped or size > 1 else 1
    return items


def by_process(programs):
    groups = []
    for program in programs:
        if groups and (groups[-1][0].group, groups[-1][0].process) == (program.group,
                                                                       program.process):
            groups[-1].append(program)
        else:
            groups.append([program])
    return groups


def flat(groups):
    return [program for group in groups for program in group]


def drop_step(program, index):
    """The program without a step; results are named by step, so those behind it move."""
    smaller = copy.deepcopy(program)
    del smaller.steps[index]
    for step in smaller.steps:
        step.arguments = [moved(value, index) for value in step.arguments]
        step.fields = [moved(value, index) for value in step.fields]
    return smaller


def moved(value, index):
    if value.mode != text.RESULT or value.literal <= index:
        return value
    return text.Value(value.mode, value.which, value.shift, value.delta, value.literal - 1)


def without_steps(program, start, count):
    for _ in range(min(count, len(program.steps) - start)):
        program = drop_step(program, start)
    return program


def reduce_steps(programs, still_fails, tell):
    """Drops runs of steps of each program, from large to small, the last ones first."""
    for at in range(len(programs) - 1, -1, -1):
        size = max(len(programs[at].steps) // 2, 1)
        while size:
            start = len(programs[at].steps) - size
            while start >= 0 and len(programs[at].steps) > 1:
                fewer = without_steps(programs[at], start, size)
                smaller = programs[:at] + ([fewer] if fewer.steps else []) + programs[at + 1:]
                if fewer.steps and still_fails(smaller):
                    programs = smaller
                    tell(f"{sum(len(program.steps) for program in programs)} steps")
                start -= size
            size //= 2
    return programs


def simpler_steps(step):
    """A step without one of its peculiarities."""
    if step.flags:
        yield text.Step(step.call, step.arguments, step.fields, step.thread, 0)
    if step.thread:
        yield text.Step(step.call, step.arguments, step.fields, 0, step.flags)
    plain = (text.Value(), text.Value(text.DATA))
    for i, value in enumerate(step.arguments):
        for simple in plain:
            if value != simple and (simple.mode == text.LITERAL or value.mode == text.DATA):
                yield text.Step(step.call, step.arguments[:i] + [simple] + step.arguments[i + 1:],
                                step.fields, step.thread, step.flags)
    for i, value in enumerate(step.fields):
        if value != text.Value():
            yield text.Step(step.call, step.arguments,
                            step.fields[:i] + [text.Value()] + step.fields[i + 1:], step.thread,
                            step.flags)


def simplify(programs, still_fails, tell):
    for program in programs:
        for index in range(len(program.steps)):
            changed = True
            while changed:
                changed = False
                for simple in simpler_steps(program.steps[index]):
                    before, program.steps[index] = program.steps[index], simple
                    if still_fails(programs):
                        changed = True
                        tell("a simpler step")
                        break
                    program.steps[index] = before
        if program.flags:
            before, program.flags = program.flags, 0
            if not still_fails(programs):
                program.flags = before
    return programs


def minimise(programs, like, replayer, keep=lambda programs: None):
    """The smallest scenario found that still fails like that; keep(programs) gets each that is
    smaller than the last."""
    def fails(candidate):
        failed = replayer.fails(candidate, like)
        if failed:
            keep(candidate)
        return failed

    tell = replayer.tell
    groups = reduce_list(by_process(programs), lambda some: fails(flat(some)), tell, "processes")
    programs = reduce_list(flat(groups), fails, tell, "programs")
    programs = reduce_steps(programs, fails, tell)
    return simplify(copy.deepcopy(programs), fails, tell)
