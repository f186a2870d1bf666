# SPDX-License-Identifier: MIT
"""Builds with a sanitizer: each kind of wrong access and of undefined behaviour is found, and told
whole; what looks like it, and is right, is not. The tables of tests name tests that are there."""

import os
import re

import pytest

import sanitizers

pytestmark = pytest.mark.reports
OBJECT = "an object of 33 bytes"
ALLOCATED, FREED = "violation_allocate", "violation_free"

# kind: (what is wrong, how the access is called, the rest of the report)
ADDRESS = {
    "use-after-free": ("heap use after free", "read of 1 byte",
                       [f"8 bytes into {OBJECT}", ALLOCATED, FREED]),
    "write-after-free": ("heap use after free", "write of 1 byte",
                         ["4999 bytes into an object of 5000 bytes", ALLOCATED, FREED]),
    "double-free": ("object freed twice", "free of", [OBJECT, ALLOCATED, FREED]),
    "wrong-free": ("no object of the heap", "free of", [f"16 bytes into {OBJECT}", ALLOCATED]),
    "left": ("heap out of bounds", "write of 1 byte", [f"1 byte before {OBJECT}", ALLOCATED]),
    "right": ("heap out of bounds", "write of 1 byte",
              [f"0 bytes behind the end of {OBJECT}", ALLOCATED]),
    "right-of-large": ("heap out of bounds", "read of 1 byte",
                       ["0 bytes behind the end of an object of 5000 bytes", ALLOCATED]),
    "page-after-free": ("pages use after free", "write of 1 byte",
                        ["4104 bytes into 2 pages", "violation_pages",
                         "violation_free_pages"]),
    "page-double-free": ("pages freed twice", "free of",
                         ["violation_pages", "violation_free_pages"]),
    "page-wrong-order": ("pages of another order", "free of", ["violation_pages"]),
    "stack": ("stack out of bounds", "write of 1 byte",
              ["0 bytes behind the end of the variable variable:", "violate_stack"]),
    "stack-left": ("stack out of bounds", "write of 1 byte",
                   ["1 byte before the variable variable:", "violate_stack_left"]),
    "stack-after-scope": ("stack use after scope", "read of 1 byte",
                          ["0 bytes into the variable variable:",
                           "violate_stack_after_scope"]),
    "global": ("global out of bounds", "write of 1 byte",
               ["0 bytes behind the end of the variable violation_variable of 20 bytes",
                "violation_address.c"]),
    "memcpy": ("heap out of bounds", "write of 34 bytes",
               [f"0 bytes behind the end of {OBJECT}", ALLOCATED]),
    "memset": ("heap out of bounds", "write of 40 bytes",
               [f"0 bytes behind the end of {OBJECT}", ALLOCATED]),
    "text": ("heap out of bounds", "read of 34 bytes",
             [f"0 bytes behind the end of {OBJECT}", ALLOCATED]),
    "snprintf": ("heap out of bounds", "write of 34 bytes",
                 [f"0 bytes behind the end of {OBJECT}", ALLOCATED]),
    "copy-from-user": ("heap out of bounds", "write of 34 bytes",
                       [f"0 bytes behind the end of {OBJECT}", ALLOCATED,
                        "copy_from_user"]),
    "copy-to-user": ("heap out of bounds", "read of 34 bytes",
                     [f"0 bytes behind the end of {OBJECT}", ALLOCATED, "copy_to_user"]),
    "null": ("NULL pointer", "read of 1 byte at 0000000000000018", []),
    "user": ("user address", "write of 1 byte at 0000000000010000", []),
    "wild": ("wild pointer", "read of 1 byte at abad1dea00000000", []),
    "shadow": ("memory that nobody may use", "write of 1 byte at c000000008000000", []),
    "interrupt": ("heap use after free", "write of 1 byte", [ALLOCATED, FREED, "in_handler"]),
}

UNDEFINED = {
    "add": "2147483647 does not fit 'int'",
    "subtract": "-2147483648 - 1 does not fit 'int'",
    "multiply": "9223372036854775807 * 2 does not fit 'long int'",
    "divide": "-2147483648 / -1 does not fit 'int'",
    "divide-by-zero": "7 / 0 does not fit 'int'",
    "negate": "-(-2147483648) does not fit 'int'",
    "shift": "shift of 1, 'long unsigned int', by 64",
    "shift-out": "shift of 3, 'int', by 31",
    "index": "index 4 of 'u32 [4]'",
    "vla": "an array of -1 elements",
    "bool": "2 is no value of '_Bool'",
    "pointer": "pointer 0xfffffffffffffff8 becomes 0",
    "misaligned": "load of 'u64' at ",
    "null-load": "load of 'u64' at 0: NULL",
    "null-member": "member of 'struct member' at 0: NULL",
    "object-size": "too small an object",
    "null-argument": "argument 1 is NULL, which it must not be",
    "null-return": "NULL is returned, which must not be",
    "builtin": "number of trailing zeroes of 0",
    "unreachable": "a place that must not be reached",
}


def needs(sanitizer):
    return pytest.mark.skipif(sanitizer not in sanitizers.active(),
                              reason=f"needs make SANITIZE={sanitizer}")


def violate(boot, kind):
    machine = boot(append=f"quiet workload=violation:kind={kind}", network=False, user=False)
    status = machine.wait_end(60)
    if status == 0:
        machine.fail("exit status 0 after a report")
    console = machine.console
    assert len(sanitizers.reports(console)) == 1, console
    assert "was not found" not in console, console
    assert re.search(r"^stack:\n(  from .*\n)*  from \w+ thread_begin\+", console,
                     re.MULTILINE), console
    assert "last trace events" in console, console
    return console


def chains(console, what):
    """The call chains of a report: functions, innermost first."""
    found = re.search(rf"^  {what} by thread \d+:\n((?:    from .*\n)*)", console, re.MULTILINE)
    return re.findall(r"from \w+ (\w+)", found[1]) if found else []


@needs("address")
@pytest.mark.parametrize("kind", ADDRESS)
def test_a_wrong_access_is_told(boot, kind):
    what, access, wanted = ADDRESS[kind]
    console = violate(boot, kind)
    [report] = sanitizers.reports(console)
    assert f"address sanitizer: {what}: {access}" in report, report
    for text in wanted:
        assert text in console, console
    # Where it was allocated and freed, from the call to the bottom of the stack.
    for function, verb in ((ALLOCATED, "allocated"), (FREED, "freed")):
        if function in wanted:
            chain = chains(console, verb)
            assert chain[0] == function and chain[-1] == "thread_begin", console


@needs("undefined")
@pytest.mark.parametrize("kind", UNDEFINED)
def test_undefined_behaviour_is_told(boot, kind):
    [report] = sanitizers.reports(violate(boot, kind))
    assert re.search(r"undefined behaviour: tests/guest/workload/violation_undefined\.c:\d+:\d+: ",
                     report), report
    assert UNDEFINED[kind] in report, report


@pytest.mark.skipif(not sanitizers.active(), reason="needs make SANITIZE=...")
def test_what_is_right_is_not_told(boot):
    """Each kind once more, as it should be: up to the last byte that is good."""
    machine = boot(append="quiet workload=violation:kind=healthy", network=False, user=False)
    tables = {"address": ADDRESS, "undefined": UNDEFINED}
    kinds = sum(len(tables[sanitizer]) for sanitizer in sanitizers.active())
    machine.wait_console(f"violation: {kinds} kinds in good health")
    assert sanitizers.reports(machine.console) == [], machine.console


# kind: (the function that does it, what is told)
OF_PROGRAMS = {
    "add": ("add", "2147483647 \\+ 1 does not fit 'int'"),
    "shift": ("shift", "shift of 1, 'unsigned int', by 32"),
    "index": ("look_up", "index 4 of '.*int ?\\[4\\]'"),
    "null": ("load", "load of 'long int' at 0: NULL"),
    "misaligned": ("load_misaligned", "load of 'long int' at 0x[0-9a-f]+[4c]: misaligned"),
    "bool": ("load_truth", "2 is no value of '_Bool'"),
}


@needs("undefined")
@pytest.mark.parametrize("kind", OF_PROGRAMS)
def test_a_program_ends_with_its_report(boot, kind):
    function, what = OF_PROGRAMS[kind]
    machine = boot(append=f"quiet run=bin/test-undefined,{kind} oneshot", network=False)
    assert machine.wait_end(60) != 0, machine.console
    [report] = sanitizers.reports(machine.console)
    assert re.search(r"panics: undefined behaviour: tests/guest/user/test-undefined/main\.c:"
                     rf"\d+:\d+: ({what})", report), report
    assert f"\n  in {function} < main < " in machine.console, machine.console
    assert "test-undefined: 1 kinds" not in machine.console, machine.console


@needs("undefined")
def test_a_program_that_is_right_goes_on(boot):
    machine = boot(append="quiet run=bin/test-undefined,healthy oneshot", network=False)
    assert machine.wait_end(60) == 0, machine.console
    assert f"test-undefined: {len(OF_PROGRAMS)} kinds" in machine.console \
        and not sanitizers.reports(machine.console)


def test_the_tables_name_tests_that_are_there():
    folder = os.path.dirname(__file__)
    for name in (*sanitizers.EXACT, *sanitizers.PART):
        file, _, test = name.partition("::")
        with open(os.path.join(folder, file), encoding="utf-8") as source:
            assert not test or f"def {test}(" in source.read(), name
