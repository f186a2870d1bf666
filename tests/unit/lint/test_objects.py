# SPDX-License-Identifier: MIT
"""scripts/check-objects on sources with mistakes, each of which builds."""

import pathlib
import subprocess

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[3] / "scripts/check-objects"

GOOD = """#include <co/object.h>
struct bell_ops {
    struct co_ops base;
    s64 (*ring)(struct bell *self, u32 times);
    char *(*name)(struct bell *self);
};
static s64 helper(void)
{
    return 0;
}
// A method: see ring_quietly(), which is none.
static CO_METHOD s64 ring(struct bell *self, u32 times)
{
    CO_HOME(self);
    return times + helper();
}
CO_METHOD char *bell_name(struct bell *self)
{
    CO_HOME(self);
    return "}";
}
static const struct bell_ops one_ops = {CO_LEAF, ring, bell_name};
static struct co_class one_class = {
    .name = "Bell = {",
    .ops = &one_ops.base,
};
static struct co_class each_class = {
    .name = "Bell",
    .distributed = true,
    .ops = &one_ops.base,
    .handle_miss = bell_miss,
};
s64 make(bool each)
{
    return each ? co_create(&each_class, &root) : co_create_shared(&one_class, &root, &rep);
}
"""


@pytest.fixture(name="check")
def made_tree(tmp_path):
    def run(text, path="kernel/bell.c", **others):
        for name, content in {path: text, **others}.items():
            target = tmp_path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
        done = subprocess.run([CHECK, "--root", tmp_path], stdout=subprocess.PIPE, text=True,
                              check=False)
        assert done.returncode == (done.stdout != "")
        return done.stdout

    return run


def test_what_is_right_passes(check):
    assert check(GOOD) == ""


PLANTED = [
    ("static CO_METHOD s64 ring(", "static s64 ring(", 12,
     "ring is in one_ops (kernel/bell.c:22), so samples look for its object: "
     "write `static CO_METHOD s64 ring(`"),
    ("CO_METHOD char *bell_name(", "char *bell_name(", 17,
     "bell_name is in one_ops (kernel/bell.c:22), so samples look for its object: "
     "write `CO_METHOD char *bell_name(`"),
    ("    CO_HOME(self);\n    return times", "    return times", 12,
     "ring is in one_ops (kernel/bell.c:21): write `CO_HOME(self);` as its first statement"),
    ("    .distributed = true,\n", "", 27,
     "each_class has handle_miss, which a shared class never uses: write `.distributed = true`, "
     "or leave it out"),
    ("    .handle_miss = bell_miss,\n", "", 27,
     "each_class is distributed, and nothing supplies a CPU's representative: write "
     "`.handle_miss = …` or `.static_reps = …`"),
    ("    .handle_miss = bell_miss,\n", "    .handle_miss = NULL,\n", 27,
     "each_class is distributed, and nothing supplies a CPU's representative: write "
     "`.handle_miss = …` or `.static_reps = …`"),
    ("    .handle_miss = bell_miss,\n", "    .handle_miss = bell_miss,\n    .static_reps = reps,\n",
     27, "each_class has handle_miss and static_reps, and the second alone would be used: write "
     "one of them"),
    ("co_create(&each_class, ", "co_create_shared(&each_class, ", 35,
     "each_class is distributed: write `co_create(&each_class, …)`"),
    ("co_create_shared(&one_class, ", "co_create(&one_class, ", 35,
     "one_class is shared: write `co_create_shared(&one_class, …)`"),
]


@pytest.mark.parametrize("right, wrong, line, told", PLANTED)
def test_a_mistake_is_told_with_its_place_and_what_to_write(check, right, wrong, line, told):
    assert GOOD.count(right) == 1
    said = check(GOOD.replace(right, wrong)).splitlines()
    assert f"kernel/bell.c:{line}: {told}" in said
    assert check(GOOD) == ""


def test_a_method_of_another_file_and_an_interface_of_another_are_found(check):
    loud = """struct loud_ops {
    struct bell_ops base;
};
const struct loud_ops loud_ops[2] = {{.base = {.ring = ring_loudly}}};
"""
    method = "s64 ring_loudly(struct bell *self, u32 times)\n{\n    return times;\n}\n"
    said = check(GOOD, **{"servers/loud.c": loud, "servers/ring.c": method})
    assert said.startswith("servers/ring.c:1: ring_loudly is in loud_ops (servers/loud.c:4)")
    assert "write `CO_METHOD s64 ring_loudly(`" in said


def test_each_class_of_an_array_is_looked_at(check):
    said = check("static struct co_class classes[] = {\n    {.name = \"A\"},\n"
                 "    {.name = \"B\", .static_reps = reps},\n};\n")
    assert said.startswith("kernel/bell.c:3: classes has static_reps")


@pytest.mark.parametrize("text", [
    "struct file_ops {\n    int (*read)(void);\n};\nstatic int read(void)\n{\n    return 0;\n}\n"
    "static const struct file_ops ops = {read};\n",
    "// static const struct co_ops ops = {get};\nstatic s64 get(void)\n{\n    return 0;\n}\n"
])
def test_another_table_is_none_of_its_business(check, text):
    assert check(text) == ""
