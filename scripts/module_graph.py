# SPDX-License-Identifier: MIT
"""The drawing of modules: for check-modules."""


def chain(modules, name):
    """The longest way down from a module, itself first."""
    ways = [chain(modules, used) for used in sorted(modules[name].uses)]
    return [name, *max(ways, key=len, default=[])]


def route(rows, column, user, module, used):
    """A line down `column` of a drawing, from the row of who uses the module to that of what it
    uses."""
    for row in range(user, used + 1):
        line = rows[row]
        if row in (user, used):
            if line.endswith(("┐", "┘")):  # another one's, which goes on
                line = line[:-1] + ("┬" if row == user else "┴")
            else:
                line += " " * (len(line) > 0)
            line = line.ljust(column, "─") + ("┐" if row == user else "┘")
        elif row != module:
            line = line.ljust(column) + "│"
        rows[row] = line


def graph(modules):
    """The longest chain from top to bottom, all others beside it: below the last of the chain that
    uses them."""
    top = max(sorted(modules), key=lambda name: len(chain(modules, name)))
    spine = chain(modules, top)
    rows = [""] * (2 * len(spine) - 1)
    place = {name: 2 * index for index, name in enumerate(spine)}
    for index, name in enumerate(spine):
        rows[2 * index] = f"{name} ({modules[name].folder}/)"
        if index + 1 < len(spine):
            rows[2 * index + 1] = "  │"
    for name in sorted(set(modules) - set(spine)):
        users = [place[one] for one in spine if name in modules[one].uses]
        used = [place[one] for one in modules[name].uses if one in place]
        text = " → ".join([f"{name} ({modules[name].folder}/)",
                           *sorted(set(modules[name].uses) - set(spine))])
        lowest_user, highest_used = max(users, default=0), min(used, default=len(rows) - 1)
        row = lowest_user + 1
        column = max(len(line) for line in rows) + 4
        rows[row] = rows[row].ljust(column) + text
        route(rows, column, lowest_user, row, highest_used)
    return "\n".join(line.rstrip() for line in rows) + "\n"
