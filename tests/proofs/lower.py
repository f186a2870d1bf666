# SPDX-License-Identifier: MIT
"""Writes the cleanup attribute out: Frama-C ignores it.

A variable declared with __attribute__((cleanup(f))) gets a call f(&variable) at every end of its
scope, as the compiler makes it: at the closing brace, and before each return, break and continue
that leaves it. Works on preprocessed text; what it cannot lower it refuses.
"""

import re

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+|\\\n|\n)
      | (?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<string>L?"(?:\\.|[^"\\\n])*"|L?'(?:\\.|[^'\\\n])*')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<line>\#[^\n]*)
      | (?P<sign>.)""", re.VERBOSE | re.DOTALL)
CLEANUP = re.compile(r"__attribute__\s*\(\(\s*(?:__)?cleanup(?:__)?\s*\(\s*(\w+)\s*\)\s*\)\)")
BLOCK_WORDS = {"for", "while", "switch"}


class NotLowered(Exception):
    """What stands there cannot be lowered."""


class Scope:
    """What stands between two braces."""

    def __init__(self, kind):
        self.kind = kind      # "function", "loop", "switch", "block", or "other": no statements
        self.held = []        # (function, variable), in the order of their declarations


def tokenize(text):
    """The tokens of a text, with nothing left out: (kind, text)."""
    return [(match.lastgroup, match.group()) for match in TOKEN.finditer(text)]


def is_code(token):
    return token[0] not in ("space", "comment", "line")


def next_code(tokens, at):
    while at < len(tokens) and not is_code(tokens[at]):
        at += 1
    return at


def previous_code(tokens, at):
    at -= 1
    while at >= 0 and not is_code(tokens[at]):
        at -= 1
    return at


def matching_open(tokens, at):
    """Where the parenthesis was opened that closes at `at`."""
    depth = 0
    while at >= 0:
        if tokens[at][1] == ")":
            depth += 1
        elif tokens[at][1] == "(":
            depth -= 1
            if depth == 0:
                return at
        at -= 1
    raise NotLowered("unbalanced parentheses")


def end_of_statement(tokens, at):
    """The semicolon that ends what begins at `at`."""
    depth = 0
    while tokens[at][1] != ";" or depth > 0:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[at][1], 0)
        at += 1
    return at


def attribute_at(tokens, at):
    """The cleanup function that an attribute at `at` names, and where it ends; else None."""
    if tokens[at][1] != "__attribute__":
        return None
    end, depth = at + 1, 0
    while True:
        depth += {"(": 1, ")": -1}.get(tokens[end][1], 0)
        end += 1
        if depth == 0 and tokens[end - 1][1] == ")":
            break
    text = "".join(token[1] for token in tokens[at:end])
    match = CLEANUP.fullmatch(text)
    if match is None:
        if "cleanup" in text:
            raise NotLowered(f"unexpected form: {text}")
        return None
    return match.group(1), end


def declared_name(tokens, at):
    """The variable that the declaration behind an attribute declares: one, and no array."""
    end = end_of_statement(tokens, at)
    name, depth, declaring = None, 0, True
    for kind, text in tokens[at:end]:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text, 0)
        declaring = declaring and text != "="
        if depth == 0 and (text == "," or (declaring and text == "[")):
            raise NotLowered("a held variable is declared by itself, and is no array")
        if depth == 0 and declaring and kind == "word":
            name = text
    return name, end


class Lowering:
    """One text on its way."""

    def __init__(self, text):
        self.tokens = tokenize(text)
        self.out = []
        self.scopes = []
        self.pending = {}      # where a declaration ends: what it declares
        self.closing = {}      # where a statement ends: what comes behind its semicolon
        self.unbraced = []     # semicolons that end the body of a loop without braces

    def kind_of_block(self, at):
        """What the brace at `at` opens."""
        if not any(scope.kind == "function" for scope in self.scopes):
            before = previous_code(self.tokens, at)
            return "function" if before >= 0 and self.tokens[before][1] == ")" else "other"
        before = previous_code(self.tokens, at)
        word = self.tokens[before][1]
        if word == "do":
            return "loop"
        if word == ")":
            head = previous_code(self.tokens, matching_open(self.tokens, before))
            word = self.tokens[head][1]
            return {"for": "loop", "while": "loop", "switch": "switch"}.get(word, "block")
        return "block"

    def held_until(self, kinds):
        """Calls for what is held in the scopes up to and with the innermost of one of these
        kinds."""
        calls = []
        for scope in reversed(self.scopes):
            calls += [f"{function}(&{name});" for function, name in reversed(scope.held)]
            if scope.kind in kinds:
                return " ".join(calls)
        raise NotLowered("a jump out of no function")

    def leave(self, at):
        """A return, break or continue at `at`: what is put before it, and behind its end."""
        word = self.tokens[at][1]
        if word == "return":
            return self.leave_function(at)
        kinds = {"break": ("loop", "switch"), "continue": ("loop",)}[word]
        if not self.held_within(kinds):
            return word
        self.closing[end_of_statement(self.tokens, at)] = " }"
        return "{ " + self.held_until(kinds) + " " + word

    def held_within(self, kinds):
        for scope in reversed(self.scopes):
            if scope.held:
                return True
            if scope.kind in kinds or scope.kind == "function":
                return False
        return False

    def leave_function(self, at):
        calls = self.held_until(("function",))
        if not calls:
            return "return"
        end = end_of_statement(self.tokens, at)
        value = "".join(text for _, text in self.tokens[at + 1:end]).strip()
        if not value:
            self.closing[end] = " }"
            return "{ " + calls + " return"
        self.closing[end] = f" {calls} return held_result; }}"
        return f"{{ __typeof__({' '.join(value.split())}) held_result ="

    def note_unbraced(self, at):
        """A loop without braces around a jump would mislead leave()."""
        opened = next_code(self.tokens, at + 1)
        depth, closed = 0, opened
        while True:
            depth += {"(": 1, ")": -1}.get(self.tokens[closed][1], 0)
            if depth == 0:
                break
            closed += 1
        body = next_code(self.tokens, closed + 1)
        if self.tokens[body][1] not in ("{", ";"):
            words = {text for _, text in self.tokens[body:end_of_statement(self.tokens, body)]}
            if words & {"break", "continue"} and any(scope.held for scope in self.scopes):
                raise NotLowered("break or continue in a loop without braces, with something held")

    def step(self, at):
        """Takes the token at `at`; where to go on."""
        kind, text = self.tokens[at]
        found = attribute_at(self.tokens, at) if kind == "word" else None
        if found is not None:
            name, end = declared_name(self.tokens, found[1])
            self.pending[end] = (found[0], name)
            return found[1]
        if text == "{":
            self.scopes.append(Scope(self.kind_of_block(at)))
        elif text == "}":
            scope = self.scopes.pop()
            self.out += [f"{function}(&{name}); " for function, name in reversed(scope.held)]
        elif self.scopes and text == "goto" and self.held_within(()):
            raise NotLowered("goto with something held")
        elif text in BLOCK_WORDS and self.scopes:
            self.note_unbraced(at)
        if self.scopes and text in ("return", "break", "continue"):
            self.out.append(self.leave(at))
        else:
            self.out.append(text)
        if at in self.pending:
            self.scopes[-1].held.append(self.pending.pop(at))
        self.out.append(self.closing.pop(at, ""))
        return at + 1

    def run(self):
        at = 0
        while at < len(self.tokens):
            at = self.step(at)
        return "".join(self.out)


def lower(text):
    """The text without cleanup attributes."""
    if "cleanup" not in text:
        return text
    return Lowering(text).run()
