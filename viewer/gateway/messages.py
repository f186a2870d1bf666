#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads messages.def and writes what comes from it.

messages.py --c|--ts|--vectors|--doc OUT FILE.def

--c OUT: messages.h and messages.c, the gateway's side: limits, rules for JSON, layout of frames.
--ts OUT: messages.ts, the browser's side; what topics say is read field by field.
--vectors OUT: vectors.c, which writes frames of every kind with values that the browser's tests
know (tests/unit/gateway/vectors.h).
--doc OUT: rewrites the part of a page between the lines
<!-- messages --> and <!-- end of messages -->.
"""

import argparse
import os
import re
import sys
from dataclasses import dataclass, field

CALL = re.compile(r"^(client|gateway|watched|said|acted|frame|limit)\((.*)\)$")
PART = re.compile(r'\s*("(?:[^"\\])*"|[^,]+?)\s*(?:,|$)')
NAME = r"[a-z][a-z0-9_]*"
FIELD = re.compile(rf"^(text|integer|u32|number|flag|list|object)(\??) ({NAME})$")
SAID = re.compile(rf"^({NAME}(?:\[\])?)(\??) ({NAME})(?: \[([^\]]+)\])?$")
COLUMN = re.compile(rf"^(u8|u16|u32|f32|f64) ({NAME})$")
BYTES = {"u8": 1, "u16": 2, "u32": 4, "f32": 4, "f64": 8}
C_TYPES = {"u8": "u8", "u16": "u16", "u32": "u32", "f32": "float", "f64": "double"}
ARRAYS = {"u8": "Uint8Array", "u16": "Uint16Array", "u32": "Uint32Array", "f32": "Float32Array",
          "f64": "Float64Array"}
TS_TYPES = {"text": "string", "integer": "number", "u32": "number", "number": "number",
            "flag": "boolean", "list": "unknown[]", "object": "Record<string, unknown>"}
SAID_TYPES = {"text": "string", "lines": "string", "integer": "number", "number": "number",
              "flag": "boolean"}
HEADER_BYTES = 32


class DefError(Exception):
    """A description that is wrong; the text names the line."""


@dataclass(frozen=True)
class Entry:
    kind: str
    name: str
    text: str
    parts: tuple  # fields (type, optional, name; with a unit if said) or columns (type, name)
    number: int = 0
    frame: str = ""


@dataclass
class Schema:
    client: list = field(default_factory=list)
    gateway: list = field(default_factory=list)
    watched: list = field(default_factory=list)
    said: list = field(default_factory=list)
    acted: list = field(default_factory=list)
    frame: list = field(default_factory=list)
    limit: list = field(default_factory=list)


def matched(pattern, part, place):
    found = pattern.match(part)
    if not found:
        raise DefError(f"{place}: '{part}' is no field")
    return found


def fields(parts, place):
    return tuple((found[1], bool(found[2]), found[3])
                 for found in (matched(FIELD, part, place) for part in parts))


def entry(kind, parts, place):
    if kind == "limit":
        return Entry(kind, parts[0], parts[2].strip('"'), (), int(parts[1]))
    if kind == "frame":
        columns = tuple(matched(COLUMN, part, place).groups() for part in parts[3:])
        return Entry(kind, parts[1], parts[2].strip('"'), columns, int(parts[0]))
    if kind == "watched":
        return Entry(kind, parts[0], parts[2].strip('"'), fields(parts[3:], place),
                     frame=parts[1].strip("-"))
    if kind == "said":
        found = [matched(SAID, part, place) for part in parts[2:]]
        return Entry(kind, parts[0], parts[1].strip('"'),
                     tuple((one[1], bool(one[2]), one[3], one[4]) for one in found))
    return Entry(kind, parts[0], parts[1].strip('"'), fields(parts[2:], place))


def check_said(schema):
    """Each part is one that stands above, so there is no circle."""
    known = set(SAID_TYPES)
    for one in schema.said:
        for kind, _, name, _ in one.parts:
            if kind.removesuffix("[]") not in known:
                raise DefError(f"said {one.name}: {name} is of no known type: {kind}")
        known.add(one.name)


def read(path):
    schema = Schema()
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            place = f"{os.path.basename(path)}:{number}"
            line = line.strip()
            if not line or line.startswith("//"):
                continue
            call = CALL.match(line)
            if not call:
                raise DefError(f"{place}: no description: {line}")
            parts = [one for one in PART.findall(call[2]) if one]
            known = getattr(schema, call[1])
            known.append(entry(call[1], parts, place))
            if len({(one.name) for one in known}) != len(known):
                raise DefError(f"{place}: {known[-1].name} stands here twice")
    frames = {one.name for one in schema.frame}
    for one in schema.watched:
        if one.frame and one.frame not in frames:
            raise DefError(f"watched {one.name}: there is no frame {one.frame}")
    check_said(schema)
    if len({one.number for one in schema.frame}) != len(schema.frame):
        raise DefError("two frames have the same number")
    return schema


# ---- C -------------------------------------------------------------------------------------------

def c_header(schema):
    yield "// Generated from messages.def."
    yield "#ifndef KOV_MESSAGES_H\n#define KOV_MESSAGES_H\n"
    yield "#include <jansson.h>\n#include <orrery/types.h>"
    yield "#include <stdbool.h>\n#include <stddef.h>\n"
    for one in schema.limit:
        yield f"#define {one.name} {one.number}u // {one.text}"
    yield f"\n#define FRAME_HEAD_BYTES {HEADER_BYTES}u"
    yield "#define FRAME_WHOLE 1u\n#define FRAME_LEFT_OUT 2u\n"
    for kind in ("client", "watched", "acted"):
        names = ", ".join(f"{kind.upper()}_{one.name.upper()}" for one in getattr(schema, kind))
        yield f"enum {kind}_kind {{ {names}, {kind.upper()}_KINDS }};"
    names = ", ".join(f"FRAME_{one.name.upper()} = {one.number}" for one in schema.frame)
    yield f"enum frame_kind {{ {names} }};\n"
    yield """// Of a frame before its columns.
struct frame_head {
    u8 kind, flags;
    u32 rows, topic, sequence;
    double t0, complete;
};
void frame_head_write(u8 *frame, const struct frame_head *head);
// For one browser: the id of its watch, which frame of it this is, and flags besides.
void frame_address(u8 *frame, u32 topic, u32 sequence, u8 flags);

// What is wrong with a message of a browser, or with the parameters of its watch or act; NULL:
// nothing. *kind tells which it is.
const char *message_check(const json_t *message, enum client_kind *kind);
const char *watch_check(const json_t *watch, enum watched_kind *kind);
const char *act_check(const json_t *act, enum acted_kind *kind);
"""
    for one in schema.frame:
        yield f"// {one.text or one.name}\nstruct frame_{one.name} {{"
        for kind, name in one.parts:
            yield f"    {C_TYPES[kind]} *{name};"
        yield "};"
        yield f"size_t frame_{one.name}_bytes(u32 rows); // with its head"
        yield f"void frame_{one.name}_lay(u8 *frame, u32 rows, struct frame_{one.name} *columns);\n"
    yield "#endif"


def c_rules(name, kind, entries):
    for one in entries:
        rows = ", ".join(f'{{"{field_name}", FIELD_{field_type.upper()}, {str(optional).lower()}}}'
                         for field_type, optional, field_name in one.parts)
        comma = ", " if rows else ""
        yield f"static const struct rule {name}_{one.name}[] = {{{rows}{comma}{{0}}}};"
    yield f"static const struct rules {name}_rules[{kind}] = {{"
    for one in entries:
        yield f'    {{"{one.name}", {name}_{one.name}}},'
    yield "};\n"


def c_source(schema):
    yield """// Generated from messages.def.
#include "messages.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little endian");

enum field_type {
    FIELD_TEXT, FIELD_INTEGER, FIELD_U32, FIELD_NUMBER, FIELD_FLAG, FIELD_LIST, FIELD_OBJECT
};
struct rule {
    const char *name;
    enum field_type type;
    bool optional;
};
struct rules {
    const char *name;
    const struct rule *fields;
};
"""
    yield from c_rules("client", "CLIENT_KINDS", schema.client)
    yield from c_rules("watched", "WATCHED_KINDS", schema.watched)
    yield from c_rules("acted", "ACTED_KINDS", schema.acted)
    yield """static bool is_whole(const json_t *value, json_int_t most)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= most;
}

static bool has_type(const json_t *value, enum field_type type)
{
    switch (type) {
    case FIELD_TEXT:
        return json_is_string(value) && json_string_length(value) <= TEXT_CHARACTERS;
    case FIELD_INTEGER:
        return is_whole(value, 1LL << 53);
    case FIELD_U32:
        return is_whole(value, UINT32_MAX);
    case FIELD_NUMBER:
        return json_is_number(value) && isfinite(json_number_value(value));
    case FIELD_FLAG:
        return json_is_boolean(value);
    case FIELD_LIST:
        return json_is_array(value);
    default:
        return json_is_object(value);
    }
}

static const struct rule *find_rule(const struct rule *rules, const char *name)
{
    for (; rules->name != NULL; rules++)
        if (strcmp(rules->name, name) == 0)
            return rules;
    return NULL;
}

// The field `type` or `kind`, which says whose rules these are, is not among them.
static const char *check_fields(const json_t *message, const struct rule *rules,
                                const struct rule *more, const char *what)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)message, name, value) {
        const struct rule *rule = find_rule(rules, name);
        if (rule == NULL && more != NULL)
            rule = find_rule(more, name);
        if (rule == NULL && strcmp(name, what) != 0)
            return "a field that does not belong there";
        if (rule != NULL && !has_type(value, rule->type))
            return "a field of a wrong type or size";
    }
    for (; rules->name != NULL; rules++)
        if (!rules->optional && json_object_get(message, rules->name) == NULL)
            return "a field is missing";
    return NULL;
}

// The index of the rules that the field names, or -1.
static int find_rules(const struct rules *all, int count, const json_t *message, const char *field)
{
    const char *name = json_string_value(json_object_get(message, field));
    for (int i = 0; name != NULL && i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return i;
    return -1;
}

const char *message_check(const json_t *message, enum client_kind *kind)
{
    int found = find_rules(client_rules, CLIENT_KINDS, message, "type");
    if (found < 0)
        return "not a message that there is";
    *kind = (enum client_kind)found;
    return check_fields(message, client_rules[found].fields, NULL, "type");
}

static const struct rule common[] = {
    {"type", FIELD_TEXT, false},
    {"id", FIELD_INTEGER, false},
    {"machine", FIELD_TEXT, false},
    {0}};

const char *watch_check(const json_t *watch, enum watched_kind *kind)
{
    int found = find_rules(watched_rules, WATCHED_KINDS, watch, "kind");
    if (found < 0)
        return "there is no topic of that kind";
    *kind = (enum watched_kind)found;
    return check_fields(watch, watched_rules[found].fields, common, "kind");
}

const char *act_check(const json_t *act, enum acted_kind *kind)
{
    int found = find_rules(acted_rules, ACTED_KINDS, act, "do");
    if (found < 0)
        return "there is no act of that name";
    *kind = (enum acted_kind)found;
    return check_fields(act, acted_rules[found].fields, common, "do");
}

void frame_head_write(u8 *frame, const struct frame_head *head)
{
    memset(frame, 0, FRAME_HEAD_BYTES);
    frame[0] = head->kind;
    frame[1] = head->flags;
    memcpy(frame + 4, &head->rows, 4);
    memcpy(frame + 8, &head->topic, 4);
    memcpy(frame + 12, &head->sequence, 4);
    memcpy(frame + 16, &head->t0, 8);
    memcpy(frame + 24, &head->complete, 8);
}

void frame_address(u8 *frame, u32 topic, u32 sequence, u8 flags)
{
    frame[1] |= flags;
    memcpy(frame + 8, &topic, 4);
    memcpy(frame + 12, &sequence, 4);
}

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}
"""
    for one in schema.frame:
        total = " + ".join(f"padded({BYTES[kind]} * (size_t)rows)" for kind, _ in one.parts)
        yield f"""size_t frame_{one.name}_bytes(u32 rows)
{{
    return FRAME_HEAD_BYTES + {total};
}}

void frame_{one.name}_lay(u8 *frame, u32 rows, struct frame_{one.name} *columns)
{{
    u8 *at = frame + FRAME_HEAD_BYTES;
    memset(at, 0, frame_{one.name}_bytes(rows) - FRAME_HEAD_BYTES);"""
        for index, (kind, name) in enumerate(one.parts):
            yield f"    columns->{name} = ({C_TYPES[kind]} *)(void *)at;"
            if index + 1 < len(one.parts):
                yield f"    at += padded({BYTES[kind]} * (size_t)rows);"
        yield "}\n"


# ---- test vectors --------------------------------------------------------------------------------

# Of a row and a column, both from 0, by the column's type; viewer/web/test/vectors.test.ts has the
# same. Row 3 has no known numbers.
VECTOR_VALUES = {"u8": "({0}) + 1", "u16": "(({0}) + 1) * 701", "u32": "(({0}) + 1) * 40000003u",
                 "f32": "row == 3 ? NAN : (float)({0}) + 0.5f",
                 "f64": "row == 3 ? NAN : ({0}) * 1e9 + 0.1"}


def vectors_source(schema):
    yield """// Generated from messages.def.
#include "vectors.h"
#include "messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static u8 *begin(u8 kind, u32 rows, size_t bytes)
{
    u8 *frame = malloc(bytes);
    struct frame_head head = {kind, rows == 1 ? FRAME_WHOLE : 0, rows, 4294967290u + rows, 7 * rows,
                              rows * 1e9, rows == 0 ? (double)NAN : 2.5e9};
    frame_head_write(frame, &head);
    return frame;
}

static void end(FILE *file, u8 *frame, size_t bytes)
{
    u32 size = (u32)bytes;
    fwrite(&size, sizeof(size), 1, file);
    fwrite(frame, bytes, 1, file);
    free(frame);
}
"""
    for one in schema.frame:
        bytes_of = f"frame_{one.name}_bytes(rows)"
        yield f"""static void write_{one.name}(FILE *file, u32 rows)
{{
    u8 *frame = begin({one.number}, rows, {bytes_of});
    struct frame_{one.name} columns;
    frame_{one.name}_lay(frame, rows, &columns);
    for (u32 row = 0; row < rows; row++) {{"""
        for index, (kind, name) in enumerate(one.parts):
            value = VECTOR_VALUES[kind].format(f"row * 20 + {index}")
            yield f"        columns.{name}[row] = ({C_TYPES[kind]})({value});"
        yield f"    }}\n    end(file, frame, {bytes_of});\n}}\n"
    yield """int vectors_write(const char *path)
{
    static const u32 counts[] = {0, 1, 5};
    FILE *file = fopen(path, "wb");
    for (int i = 0; file != NULL && i < 3; i++) {"""
    for one in schema.frame:
        yield f"        write_{one.name}(file, counts[i]);"
    yield "    }\n    return file != NULL && fclose(file) == 0 ? 0 : 1;\n}"


# ---- TypeScript ----------------------------------------------------------------------------------

def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def ts_message(prefix, one, tag):
    yield f"/** {one.text} */\nexport interface {prefix}{camel(one.name)} {{"
    yield f'  {tag}: "{one.name}";'
    for kind, optional, name in one.parts:
        yield f"  {name}{'?' if optional else ''}: {TS_TYPES[kind]};"
    yield "}"


def small_camel(name):
    return name[0] + camel(name)[1:]


def said_type(kind):
    plain = kind.removesuffix("[]")
    return SAID_TYPES.get(plain, f"Said{camel(plain)}") + ("[]" if kind != plain else "")


def said_reader(kind, value):
    plain = kind.removesuffix("[]")
    if kind != plain:
        return (f"fields.texts({value})" if plain in SAID_TYPES
                else f"fields.list({value}).map(readSaid{camel(plain)})")
    if plain in SAID_TYPES:
        return f"fields.{'number' if plain == 'integer' else plain}({value})"
    return f"readSaid{camel(plain)}({value})"


def ts_said(one):
    name = f"Said{camel(one.name)}"
    yield f"/** {one.text or one.name} */\nexport interface {name} {{"
    for kind, _, part, unit in one.parts:
        comment = f"  /** {unit} */\n" if unit else ""
        yield f"{comment}  {small_camel(part)}: {said_type(kind)};"
    yield f"}}\n\nexport function read{name}(said: unknown): {name} {{"
    yield "  const data = fields.object(said);\n  return {"
    for kind, _, part, _ in one.parts:
        yield f"    {small_camel(part)}: {said_reader(kind, f'data.{part}')},"
    yield "  };\n}\n"


def ts_source(schema):
    yield "// Generated from viewer/gateway/messages.def.\n"
    yield 'import * as fields from "./said_fields.ts";\n'
    for one in schema.limit:
        yield f"/** {one.text} */\nexport const {one.name} = {one.number};"
    for prefix, entries, tag in (("Client", schema.client, "type"),
                                 ("Gateway", schema.gateway, "type"),
                                 ("Watched", schema.watched, "kind"),
                                 ("Acted", schema.acted, "do")):
        for one in entries:
            yield from ts_message(prefix, one, tag)
        names = " | ".join(f"{prefix}{camel(one.name)}" for one in entries)
        yield f"export type {prefix}Message = {names};\n"
    for one in schema.said:
        yield from ts_said(one)
    yield f"""export const FRAME_HEAD_BYTES = {HEADER_BYTES};
export const FRAME_WHOLE = 1;
export const FRAME_LEFT_OUT = 2;

export interface FrameHead {{
  kind: number;
  flags: number;
  rows: number;
  topic: number;
  sequence: number;
  t0: number;
  complete: number;
}}

/** The head of a frame, or undefined where there is none. */
export function decodeHead(buffer: ArrayBuffer): FrameHead | undefined {{
  if (buffer.byteLength < FRAME_HEAD_BYTES) return undefined;
  const view = new DataView(buffer);
  return {{
    kind: view.getUint8(0),
    flags: view.getUint8(1),
    rows: view.getUint32(4, true),
    topic: view.getUint32(8, true),
    sequence: view.getUint32(12, true),
    t0: view.getFloat64(16, true),
    complete: view.getFloat64(24, true),
  }};
}}

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;
"""
    for one in schema.frame:
        name = f"Frame{camel(one.name)}"
        yield f"/** {one.text or one.name} */\nexport interface {name} {{"
        yield f'  kind: "{one.name}";\n  head: FrameHead;'
        for kind, column in one.parts:
            yield f"  {column}: {ARRAYS[kind]};"
        yield "}\n"
        total = " + ".join(f"padded({BYTES[kind]} * rows)" for kind, _ in one.parts)
        yield (f"function decode{camel(one.name)}"
               f"(buffer: ArrayBuffer, head: FrameHead): {name} | undefined {{")
        yield "  const rows = head.rows;"
        yield f"  if (buffer.byteLength !== FRAME_HEAD_BYTES + {total}) return undefined;"
        yield f"  {'let' if len(one.parts) > 1 else 'const'} at = FRAME_HEAD_BYTES;"
        for index, (kind, column) in enumerate(one.parts):
            # With a suffix, as a column may be called `class`.
            yield f"  const {column}Column = new {ARRAYS[kind]}(buffer, at, rows);"
            if index + 1 < len(one.parts):
                yield f"  at += padded({BYTES[kind]} * rows);"
        columns = ", ".join(f"{column}: {column}Column" for _, column in one.parts)
        yield f'  return {{ kind: "{one.name}", head, {columns} }};\n}}\n'
    yield f"export type Frame = {' | '.join('Frame' + camel(one.name) for one in schema.frame)};\n"
    yield """/** A frame by its kind, or undefined where it is none of this schema. */
export function decodeFrame(buffer: ArrayBuffer): Frame | undefined {
  const head = decodeHead(buffer);
  switch (head?.kind) {"""
    for one in schema.frame:
        yield f"    case {one.number}:\n      return decode{camel(one.name)}(buffer, head);"
    yield "    default:\n      return undefined;\n  }\n}"


# ---- the page ------------------------------------------------------------------------------------

def doc_part(part):
    if len(part) == 2:
        return f"{part[1]} {part[0]}"
    kind, optional, name, *unit = part
    return f"{name} {kind}" + "?" * optional + (f" ({unit[0]})" if any(unit) else "")


def doc_table(title, entries, first):
    yield f"| {title} | {first} | what |\n|---|---|---|"
    for one in entries:
        parts = ", ".join(map(doc_part, one.parts))
        name = f"{one.number} {one.name}" if one.kind == "frame" else one.name
        yield f"| `{name}` | {parts or '–'} | {one.text} |"
    yield ""


def doc(schema):
    yield from doc_table("from a browser", schema.client, "fields")
    yield from doc_table("from the gateway", schema.gateway, "fields")
    yield from doc_table("topic", schema.watched, "parameters")
    yield from doc_table("what such a topic or answer says", schema.said, "fields")
    yield from doc_table("act", schema.acted, "parameters")
    yield from doc_table("frame", schema.frame, "columns")
    yield "| limit | value | of what |\n|---|---|---|"
    for one in schema.limit:
        yield f"| `{one.name}` | {one.number:,} | {one.text} |"


def rewrite_page(path, lines):
    begin, end = "<!-- messages -->\n", "<!-- end of messages -->\n"
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(begin)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--c", metavar="FOLDER")
    parser.add_argument("--ts", metavar="FOLDER")
    parser.add_argument("--vectors", metavar="FOLDER")
    parser.add_argument("--doc", metavar="PAGE")
    parser.add_argument("definitions")
    options = parser.parse_args()
    try:
        schema = read(options.definitions)
    except DefError as error:
        sys.exit(str(error))
    if options.c:
        write(os.path.join(options.c, "messages.h"), c_header(schema))
        write(os.path.join(options.c, "messages.c"), c_source(schema))
    if options.ts:
        write(os.path.join(options.ts, "messages.ts"), ts_source(schema))
    if options.vectors:
        write(os.path.join(options.vectors, "vectors.c"), vectors_source(schema))
    if options.doc:
        rewrite_page(options.doc, list(doc(schema)))


if __name__ == "__main__":
    main()
