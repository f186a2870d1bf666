# SPDX-License-Identifier: MIT
"""Builds whose code checks itself (make SANITIZE=...): which checks the build under test has, which
tests are not for it, which are the part that `make test-sanitized` runs, and what the checks
said."""

import os

from machine import BUILD

REPORTS = ("address sanitizer: ", "undefined behaviour: ")

# Tests whose outcome is the exact number of instructions, which checked code takes more of: why.
EXACT = {
    "test_boot.py::test_benchmarks_are_exact_where_a_cycle_is_an_instruction":
        "samples come faster than they are read",
    "test_budget.py::test_paths_keep_their_budgets_and_runs_repeat": "budgets are instructions",
    "test_ipc.py::test_the_fast_path_is_taken": "a call's instructions are limited",
    "test_user_library.py::test_the_cost_of_threads_and_locks_is_told":
        "a lock's instructions are limited",
    "test_user_monitor.py::test_a_scan_costs_at_most_40_instructions_an_object":
        "a scan's instructions are limited",
    "test_user_monitor.py::test_a_user_event_costs_at_most_20_instructions":
        "an event's instructions are limited",
}

# The part that `make test-sanitized` runs: files, or tests of them.
# Hostile use of the kernel first of all.
PART = (
    "test_sanitizers.py",
    "test_boot.py::test_it_boots_and_powers_off",
    "test_pmu_model.py::test_everything_else_works_beside_it",
    "test_ipc.py::test_calls_survive_all_that_peers_do",
    "test_memory.py",
    "test_processes.py::test_a_process_can_break_nothing_but_itself",
    "test_processes.py::test_a_process_that_dies_disabled_is_reported_by_the_kernel",
    "test_objects.py::test_live_counts_of_classes_equal_the_scan",
    "test_objects.py::test_objects_of_a_workload_come_and_go",
    "test_servers.py::test_programs_see_posix_files",
    "test_shell.py::test_pipes_and_files",
    "test_user_library.py::test_threads_and_sleep_locks",
    "test_user_library.py::test_processes_start_end_and_crash",
)


def active():
    """The sanitizers of the build, none of them as a rule."""
    try:
        with open(os.path.join(BUILD, "sanitizers"), encoding="utf-8") as file:
            return file.read().split()
    except FileNotFoundError:
        return []


def reports(console):
    """The lines of a console that are reports."""
    return [line for line in console.splitlines() if any(report in line for report in REPORTS)]


def name_of(item):
    """A test as the tables above have it: without its parameters."""
    return f"{item.path.name}::{getattr(item, 'originalname', None) or item.name}"


def is_part(name):
    return name in PART or name.partition("::")[0] in PART
