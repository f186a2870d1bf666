# SPDX-License-Identifier: MIT
"""What the build's fragments say of modules, libraries and programs: for check-modules."""

import os
import re

SETTING = re.compile(r"^(\w+)[ \t]*(:=|\+=|=)[ \t]*(.*?)[ \t]*$", re.MULTILINE)
RULES = "scripts/make/user.mk"  # how they are built, and with what every program is linked
# It may go on in the next line.
ALWAYS = re.compile(r"^USER_ALWAYS = \$\(filter \$\(USER_LIBRARIES\),((?:.|\\\n)*?)\)$",
                    re.MULTILINE)
SOURCES = (".c", ".h", ".S", ".inc")
SHARED = "orrery"  # the folder include/: for all
THREADS = "user"  # the library whose headers all processes see
# Functions of make in lists of paths; innermost first.
CALLS = ((re.compile(r"\$\((?:IPC_)?GEN\)"), lambda match: "generated"),
         (re.compile(r"\$\(wildcard ([^()]*)\)"), lambda match: match[1]),
         (re.compile(r"\$\(filter [^,()]*,([^()]*)\)"), lambda match: match[1]),
         (re.compile(r"\$\(addprefix ([^,()]*),([^()]*)\)"),
          lambda match: " ".join(match[1] + word for word in match[2].split())))


def files(root, *ends):
    for folder, folders, names in os.walk(root):
        folders[:] = [one for one in folders if not one.startswith((".", "build"))]
        for name in names:
            if name.endswith(ends):
                yield os.path.relpath(os.path.join(folder, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def settings_of(root, path):
    found = {}
    for name, how, value in SETTING.findall(read(root, path).replace("\\\n", " ")):
        found[name] = f"{found.get(name, '')} {value}".strip() if how == "+=" else value
    return found


def paths(value):
    """The words of a list of paths; what is generated begins with `generated`."""
    for call, words in CALLS:
        value = call.sub(words, value)
    return value.split()


class Unit:
    """A module of the images, or a library or programs of processes."""

    def __init__(self, root, path):
        self.path, self.folder = path, os.path.dirname(path)
        self.settings = settings_of(root, path)
        self.is_module = path.endswith("module.mk")
        self.is_library = "LIBRARY" in self.settings
        kinds = ("MODULE",) if self.is_module else ("LIBRARY", "PROGRAM", "PROGRAMS")
        self.names = " ".join(self.settings.get(kind, "") for kind in kinds).split()
        self.name = self.names[0] if self.names else None
        self.uses = self.settings.get("DEPS", "").split()

    def is_test(self):
        return self.folder.startswith("tests/")

    def public(self):
        """The folders of what others may include."""
        own = "include" if self.is_module and self.name == SHARED else f"{self.folder}/include"
        return [own, *paths(self.settings.get("PUBLIC_INC", ""))]


class House:
    """All of them, and which headers are whose."""

    def __init__(self, root):
        self.root = root
        modules = [Unit(root, path) for path in files(root, "module.mk")]
        units = [Unit(root, path) for path in files(root, "user.mk") if path != RULES]
        self.modules = {one.name: one for one in modules}
        self.libraries = {one.name: one for one in units if one.is_library}
        self.programs = [one for one in units if not one.is_library]
        self.units = sorted(modules + units, key=lambda one: len(one.folder), reverse=True)
        text = read(root, RULES) if os.path.exists(os.path.join(root, RULES)) else ""
        self.always = [name for match in ALWAYS.findall(text)
                       for name in match.replace("\\", "").split()]
        self.owners = {}
        for unit in self.units:
            for header in self.headers(unit):
                self.owners.setdefault(header, []).append(unit)

    def headers(self, unit):
        for folder in unit.public():
            yield from files(os.path.join(self.root, folder), ".h")
            if folder == "trace/include":
                yield "trace/events.h"  # generated
            if folder == "ipc/include":
                for path in files(os.path.join(self.root, "ipc"), ".idl"):
                    yield f"ipc/{path[:-4]}.h"

    def unit_of(self, path):
        """Whose file it is: that of the nearest folder with a fragment."""
        return next((one for one in self.units if path.startswith(one.folder + "/")), None)

    def known(self, unit):
        """All that a module or a library of processes uses, and what that uses, itself among
        them."""
        units, found, more = self.modules if unit.is_module else self.libraries, [], [unit]
        while more:
            unit = more.pop()
            if unit not in found:
                found.append(unit)
                more += [units[name] for name in unit.uses if name in units]
        return found

    def may_include(self, unit):
        """Whose headers a unit's sources may include."""
        if unit.is_module:
            return [unit] + [self.modules[name] for name in (SHARED, *unit.uses)
                             if name in self.modules]
        names = [THREADS, *unit.uses]
        if not unit.is_library and "BARE" not in unit.settings:
            names += self.always
        named = [word for kind in ("ROOT_INC", "PUBLIC_INC")
                 for word in paths(unit.settings.get(kind, ""))]
        return [unit] + [self.libraries[name] for name in names if name in self.libraries] + \
            [one for one in self.modules.values()
             if one.name == SHARED or set(one.public()) & set(named)]
