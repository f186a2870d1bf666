# SPDX-License-Identifier: MIT
"""kov objects and kov classes."""

import dci_pb2 as dci


def lines_of(result):
    return result.out.splitlines()


def test_the_tree_shows_every_object_once_below_its_parent(kov, machine):
    result = kov("objects", machine=machine)
    assert result.code == 0
    tree = lines_of(result)
    assert tree[1].split() == ["Kernel(KernelRoot)", "0x1000", "2", "1", "3"]
    assert tree[2].startswith("|- PageAllocator(PageAllocatorDist)")
    assert tree[3].startswith("|  `- Thread(ThreadShared)") and "0x1030" in tree[3]
    assert tree[3].endswith("*"), "an object with two parents is marked"
    assert tree[4].startswith("`- Thread(ThreadShared)") and "0x1020" in tree[4]
    assert tree[5] == "(unreferenced)"
    assert "0x1040" in tree[6]
    assert result.out.count("0x1030") == 1


def test_counts_per_class_come_last(kov, machine):
    counts = [line.split() for line in lines_of(kov("objects", machine=machine))[-4:]]
    assert ["3", "Thread(ThreadShared)"] in counts
    assert counts[-1] == ["5", "in", "all"]


def test_a_regex_selects_objects_and_what_is_above_them(kov, machine):
    result = kov("objects", "0x1030", machine=machine)
    assert "Kernel(" in result.out and "PageAllocator(" in result.out
    assert "0x1020" not in result.out
    assert lines_of(result)[-1].split()[0] == "1"


def test_a_class_is_selected_by_its_name(kov, machine):
    objects = kov("objects", "--class", "Thread", "--flat", "--json",
                  machine=machine).json["objects"]
    assert [entry["coid"] for entry in objects] == ["0x1020", "0x1030", "0x1040"]


def test_json_has_all_of_an_object(kov, machine):
    objects = {entry["coid"]: entry
               for entry in kov("objects", "--json", machine=machine).json["objects"]}
    assert len(objects) == 5
    assert objects["0x1000"]["children"] == ["0x1010", "0x1020", "0x1030"]
    assert objects["0x1000"]["class"] == "Kernel"
    assert objects["0x1010"]["reps"] == 2
    assert objects["0x1040"]["unreferenced"]


def test_cycles_and_unknown_children_are_no_problem(kov, machine):
    machine.objects = [
        dci.Object(coid=0x1000, class_id=1, children=[0x1010, 0x9990]),
        dci.Object(coid=0x1010, class_id=3, children=[0x1000, 0x1010]),
        dci.Object(coid=0x1020, class_id=3, children=[0x1030]),
        dci.Object(coid=0x1030, class_id=99, children=[0x1020]),
    ]
    result = kov("objects", machine=machine)
    assert result.code == 0
    for coid in ("0x1000", "0x1010", "0x1020", "0x1030"):
        assert result.out.count(coid) == 1
    assert "class 99" in result.out


def test_a_chain_of_many_objects_is_no_problem(kov, machine):
    machine.objects = [dci.Object(coid=16 * i, class_id=1 if i == 1 else 3, children=[16 * i + 16])
                       for i in range(1, 5000)]
    result = kov("objects", machine=machine)
    assert result.code == 0
    assert lines_of(result)[-1].split()[0] == "4999"


def test_names_cannot_harm_the_terminal(kov, machine):
    machine.classes[2].name = "Thr\033[31mead\n"
    result = kov("objects", machine=machine)
    assert "\033" not in result.out
    assert "Thr\\u001b[31mead\\u000a" in result.out


def test_classes(kov, machine):
    result = kov("classes", machine=machine)
    assert result.code == 0
    assert lines_of(result)[2].split() == ["2", "PageAllocator", "PageAllocatorDist", "256",
                                           "distributed", "1"]
    classes = kov("classes", "--json", machine=machine).json["classes"]
    assert [entry["class"] for entry in classes] == ["Kernel", "PageAllocator", "Thread"]
