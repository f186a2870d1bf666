# SPDX-License-Identifier: MIT
"""Reads interface descriptions (ipc/README.md has the language) and checks them: every error names
file and line."""

import re
import zlib
from dataclasses import dataclass, field

MESSAGE_WORDS = 6       # orrery/user.h
MESSAGE_BYTES = 0x4000  # orrery/user.h
MAX_METHODS = 64
MAX_PARAMETERS = 8
LENGTH_BYTES = 8        # before each string and byte buffer

INTEGERS = {'u8': 1, 'u16': 2, 'u32': 4, 'u64': 8, 's32': 4, 's64': 8}
TOKEN = re.compile(r'\s*(?:(?P<comment>//[^\n]*)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)'
                   r'|(?P<number>0[xX][0-9a-fA-F]+|\d+)|(?P<mark>[(){}\[\],;=]))')
NAME = re.compile(r'[a-z][a-z0-9_]*$')
# Words of C and names that the generated functions use themselves.
RESERVED = frozenset('auto break case char const continue default do double else enum extern float '
                     'for goto if inline int long register restrict return short signed sizeof '
                     'static struct switch typedef union unsigned void volatile while '
                     'bulk caller packet reply request server status'.split())
CONSTANT = re.compile(r'[A-Z][A-Z0-9_]*$')


class IdlError(Exception):
    """A description that is wrong; the text is ready to be shown."""


@dataclass(frozen=True)
class Token:
    kind: str  # word, number, mark, end
    text: str
    line: int
    comment: str  # the comment lines directly above


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    text: str  # as it was written
    comment: str


@dataclass(frozen=True)
class Field:
    type: str
    name: str
    count: int  # 0: no array
    comment: str = ''


@dataclass(frozen=True)
class Struct:
    name: str
    fields: tuple
    size: int
    comment: str


@dataclass(frozen=True)
class Parameter:
    direction: str  # in, out
    kind: str       # integer, struct, string, bytes, cap
    type: str       # of an integer or struct
    name: str
    limit: int = 0  # bytes of a string (without its NUL) or buffer
    limit_text: str = ''
    size: int = 0   # of a struct

    @property
    def variable(self):
        return self.kind in ('string', 'bytes')

    @property
    def bulk(self):
        """Most bytes of the message buffer that it can take."""
        if self.kind == 'struct':
            return self.size
        if self.variable:
            return LENGTH_BYTES + (self.limit + (self.kind == 'string') + 7) // 8 * 8
        return 0


@dataclass(frozen=True)
class Method:
    name: str
    number: int
    parameters: tuple
    errors: tuple
    later: bool  # may be answered later
    comment: str

    def some(self, direction, *kinds):
        return [parameter for parameter in self.parameters
                if parameter.direction == direction and (not kinds or parameter.kind in kinds)]

    def bulk(self, direction):
        return sum(parameter.bulk for parameter in self.some(direction))


@dataclass
class Interface:
    path: str
    name: str = ''
    comment: str = ''
    constants: dict = field(default_factory=dict)
    structs: dict = field(default_factory=dict)
    methods: list = field(default_factory=list)

    def word(self, method):
        """The first word of a request: the interface, by its name, above the method's number.

        So whoever sees a call knows what it is, and a server refuses calls of another interface.
        """
        return (zlib.crc32(self.name.encode()) & 0x7fffff) << 8 | method.number


def tokens_of(path, text):
    """The tokens of a file, each with the comment that stands directly above it."""
    tokens, comment, position, comment_end = [], [], 0, 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        start = match.start(match.lastgroup) if match else position + len(
            text[position:]) - len(text[position:].lstrip())
        line = text.count('\n', 0, start) + 1
        if not match:
            raise IdlError(f'{path}:{line}: error: unexpected "{text[start]}"')
        position = match.end()
        if match.lastgroup == 'comment':
            if line > comment_end + 1:
                comment = []
            comment.append(match['comment'][2:].strip())
            comment_end = line
            continue
        near = comment if comment and comment_end in (line - 1, line) else []
        tokens.append(Token(match.lastgroup, match[match.lastgroup], line,
                            '\n'.join(part for part in near if not part.startswith('SPDX'))))
        comment = []
    last = tokens[-1].line if tokens else 1
    return tokens + [Token('end', 'end of file', last, '')]


class Parser:
    """One description file, from its tokens."""

    def __init__(self, path, text, errors):
        self.path = path
        self.tokens = tokens_of(path, text)
        self.at = 0
        self.known_errors = errors
        self.interface = Interface(str(path))

    @property
    def next(self):
        return self.tokens[self.at]

    def fail(self, text, token=None):
        raise IdlError(f'{self.path}:{(token or self.next).line}: error: {text}')

    def take(self, expected=None):
        token = self.next
        if expected is not None and token.text != expected:
            self.fail(f'expected "{expected}", not "{token.text}"')
        self.at += token.kind != 'end'
        return token

    def accept(self, text):
        if self.next.text != text:
            return False
        self.take()
        return True

    def name(self, what, pattern=NAME):
        token = self.next
        if token.kind != 'word' or not pattern.match(token.text):
            self.fail(f'expected the name of {what}, not "{token.text}"')
        return self.take().text

    def number(self):
        """A number or a constant of this file: its value, and as it was written."""
        token = self.take()
        if token.kind == 'number':
            return int(token.text, 0), token.text
        if token.text in self.interface.constants:
            return self.interface.constants[token.text].value, token.text
        return self.fail(f'expected a number or a constant, not "{token.text}"', token)

    # --- the parts of a file --------------------------------------------------------------------

    def parse(self):
        self.interface.comment = self.next.comment
        self.take('interface')
        self.interface.name = self.name('the interface')
        self.take(';')
        parts = {'constant': self.constant, 'struct': self.struct, 'method': self.method}
        while self.next.kind != 'end':
            token = self.take()
            if token.text not in parts:
                self.fail(f'expected constant, struct or method, not "{token.text}"', token)
            parts[token.text](token)
        if not self.interface.methods:
            self.fail(f'interface {self.interface.name} has no methods')
        return self.interface

    def constant(self, start):
        name = self.name('a constant', CONSTANT)
        if name in self.interface.constants:
            self.fail(f'two constants are named {name}', start)
        self.take('=')
        value, text = self.number()
        self.take(';')
        self.interface.constants[name] = Constant(name, value, text, start.comment)

    def struct(self, start):
        name = self.name('a struct')
        if name in self.interface.structs:
            self.fail(f'two structs are named {name}', start)
        self.take('{')
        fields, size, alignment = [], 0, 1
        while not self.accept('}'):
            entry, place = self.struct_field(fields)
            width = 1 if entry.type == 'char' else INTEGERS[entry.type]
            if size % width:
                self.fail(f'field {entry.name} would be padded: it stands at byte {size}', place)
            size += width * max(entry.count, 1)
            alignment = max(alignment, width)
            fields.append(entry)
        self.take(';')
        if not fields:
            self.fail(f'struct {name} is empty', start)
        if size % 8:
            self.fail(f'struct {name} has {size} bytes, which is not a multiple of 8', start)
        self.interface.structs[name] = Struct(name, tuple(fields), size, start.comment)

    def struct_field(self, others):
        place = self.take()
        if place.text not in INTEGERS and place.text != 'char':
            self.fail(f'expected a field of an integer type or char, not "{place.text}"', place)
        name = self.name('a field')
        if name in (other.name for other in others):
            self.fail(f'two fields are named {name}', place)
        count = 0
        if self.accept('['):
            count = self.number()[0]
            self.take(']')
            if not 1 <= count <= MESSAGE_BYTES:
                self.fail(f'an array of {count}', place)
        self.take(';')
        return Field(place.text, name, count), place

    def method(self, start):
        name = self.name('a method')
        if name in (other.name for other in self.interface.methods):
            self.fail(f'two methods are named {name}', start)
        if len(self.interface.methods) == MAX_METHODS:
            self.fail(f'more than {MAX_METHODS} methods', start)
        self.take('(')
        parameters = []
        while not self.accept(')'):
            if parameters:
                self.take(',')
            parameters.append(self.parameter(parameters))
        later = self.accept('later')
        errors = self.errors() if self.accept('errors') else ()
        self.take(';')
        method = Method(name, len(self.interface.methods) + 1, tuple(parameters), errors,
                        later, start.comment)
        self.check_limits(method, start)
        self.interface.methods.append(method)

    def errors(self):
        names = []
        while not names or self.accept(','):
            token = self.take()
            if token.text not in self.known_errors:
                self.fail(f'{token.text} is no error of orrery/errors.h', token)
            names.append(token.text)
        return tuple(names)

    def parameter(self, others):
        direction = self.take()
        if direction.text not in ('in', 'out'):
            self.fail(f'expected in or out, not "{direction.text}"', direction)
        parameter = self.typed(direction.text)
        if parameter.name in RESERVED:
            self.fail(f'a parameter cannot be named {parameter.name}', direction)
        if parameter.name in (other.name for other in others):
            self.fail(f'two parameters are named {parameter.name}', direction)
        return parameter

    def typed(self, direction):
        token = self.take()
        if token.text in INTEGERS:
            return Parameter(direction, 'integer', token.text, self.name('a parameter'))
        if token.text == 'cap':
            return Parameter(direction, 'cap', 'cap_t', self.name('a parameter'))
        if token.text == 'struct':
            name = self.name('a struct')
            if name not in self.interface.structs:
                self.fail(f'no struct {name} before this', token)
            return Parameter(direction, 'struct', f'struct {name}', self.name('a parameter'),
                             size=self.interface.structs[name].size)
        if token.text in ('string', 'bytes'):
            name = self.name('a parameter')
            self.take('[')
            limit, text = self.number()
            self.take(']')
            if not 1 <= limit <= MESSAGE_BYTES:
                self.fail(f'a limit of {limit} for {name}', token)
            return Parameter(direction, token.text, '', name, limit, text)
        return self.fail('expected a type: an integer, struct NAME, string, bytes or cap, '
                         f'not "{token.text}"', token)

    def check_limits(self, method, start):
        words_in = 1 + len(method.some('in', 'integer')) + len(method.some('out', 'string',
                                                                           'bytes'))
        checks = (
            (len(method.parameters), MAX_PARAMETERS, 'parameters'),
            (words_in, MESSAGE_WORDS, 'words in (number, integers, room for the answer)'),
            (len(method.some('out', 'integer', 'string', 'bytes')), MESSAGE_WORDS,
             'words out (integers, a length)'),
            (method.bulk('in') + method.bulk('out'), MESSAGE_BYTES, 'bytes in and out'),
            (len(method.some('in', 'cap')), 1, 'capabilities in'),
            (len(method.some('out', 'cap')), 1, 'capabilities out'),
            (len(method.some('out', 'string', 'bytes')), 1, 'strings or buffers out'),
        )
        for count, limit, what in checks:
            if count > limit:
                self.fail(f'method {method.name} has {count} {what}, at most {limit} are allowed',
                          start)


def load(path, errors):
    """One interface. Raises IdlError."""
    if not path.is_file():
        raise IdlError(f'{path}: error: no such file')
    return Parser(path, path.read_text(encoding='utf-8'), errors).parse()


def load_errors(path):
    """The names of the errors in orrery/errors.h."""
    return re.findall(r'\bX\((E_[A-Z]+),', path.read_text(encoding='utf-8'))
