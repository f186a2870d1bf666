# SPDX-License-Identifier: MIT
"""The hot object is found by keys alone, and by what a screen reader is told: roles, names, levels,
values."""

from browser import tell
from waiting import wait_for


class Tree:
    """The accessibility tree as it is now."""

    def __init__(self, page):
        self.nodes = page("tree")
        self.by_id = {node["id"]: node for node in self.nodes}

    def below(self, node):
        for one in map(self.by_id.get, node["children"]):
            if one is not None:
                yield one
                yield from self.below(one)

    def all(self, role, within=None):
        nodes = self.nodes if within is None else self.below(within)
        return [node for node in nodes if node["role"] == role]

    @property
    def focused(self):
        """Returns the innermost element with the focus. The page itself has the focus, too."""
        return [node for node in self.nodes if node.get("focused")][-1]

    def rows(self):
        """Returns the rows of the tree of objects with their heat, in order. The header has no
        heat."""
        (grid,) = self.all("treegrid")
        return [(row, meters[0]) for row in self.all("row", grid)
                if (meters := self.all("meter", row))]

    def hottest(self):
        """Returns the hottest of the rows that have nothing below them."""
        leaves = [one for one in self.rows() if "expanded" not in one[0]]
        return max(leaves, key=lambda one: one[1]["value"], default=({"name": ""}, {}))

    def way_to(self, wanted):
        """Returns the names of the rows above a row, by their levels."""
        way = []
        for row, _ in self.rows():
            way = way[:row["level"] - 1] + [row["name"]]
            if row["id"] == wanted["id"]:
                return way
        return []


def press_until(page, key, reached):
    """Presses a key until the tree is as wanted."""

    def step():
        tree = Tree(page)
        if reached(tree):
            return tree
        page.press(key)
        return None

    return wait_for(step, f"{key} leads there")


def is_chosen(row):
    return bool(row.get("selected"))


def test_the_hot_object_is_found_by_what_is_told(open_page, hot, capsys):
    coid = f"0x{hot.split(':')[2]}"
    page = open_page()
    page.measure("larx")  # of run cycles [idle] may have most
    wait_for(lambda: page.longest_bar() == hot, f"the longest bar is that of {hot}")

    press_until(page, "Tab", lambda tree: tree.focused["role"] == "treegrid")
    tree = wait_for(lambda: (now := Tree(page)) and coid in now.hottest()[0]["name"] and now,
                    f"the hottest row is told to be {coid}")
    row, meter = tree.hottest()
    assert "ContendedObject" in row["name"], row
    assert meter["value"] > 0 and meter["name"], meter
    way = tree.way_to(row)
    assert len(way) == row["level"] >= 3 and way[1].startswith("kernel"), way

    page.press("Home")
    tree = press_until(page, "ArrowDown", lambda tree: any(
        is_chosen(one) and coid in one["name"] and "ContendedObject" in one["name"]
        for one, _ in tree.rows()))
    assert len([one for one, _ in tree.rows() if is_chosen(one)]) == 1
    wait_for(lambda: any(coid in node["name"] for node in Tree(page).all("heading")),
             "the inspector's heading names it")

    press_until(page, "3", lambda tree: tree.all("grid"))
    page.wait(f"""document.querySelector('[role="grid"] .row')?.dataset.key === "{hot}" """)
    tree = Tree(page)
    (grid,) = tree.all("grid")
    first = next(row for row in tree.all("row", grid) if tree.all("meter", row))
    assert coid in first["name"], first
    tell(capsys, f"told: {' > '.join(name[:40] for name in way)}: {meter['name']} "
                 f"{meter['value']:.1f} of {meter.get('valuemax', 100)}")
    assert not page.trouble
