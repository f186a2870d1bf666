// SPDX-License-Identifier: MIT
// Calls that fail leave the caller's memory as it was, and calls that succeed write no more than
// they say: every call that writes there, from the table of calls, with arguments of all kinds.
#include "leaks.h"

#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <orrery/monitors.h>
#include <orrery/place.h>
#include <orrery/pmu.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>
#include <syscalls/shapes.h>

#define PARAMETERS 8
#define BYTES_MAX 65536
#define GUARD_BYTES 256
#define NOWHERE (USER_START + 8) // nothing is mapped there
#define LOOKED_AT 8192           // of long buffers, in most rounds

struct parameter {
    u8 kind;
    u32 bytes;
    s32 length;
};
struct shape {
    u32 number;
    const char *name;
    u32 count;
    struct parameter parameters[PARAMETERS];
};

#define ROW(number, name, ...)                                                                     \
    {number,                                                                                       \
     #name,                                                                                        \
     sizeof((struct parameter[]){__VA_ARGS__}) / sizeof(struct parameter),                         \
     {__VA_ARGS__}},
static const struct shape shapes[] = {SYSCALL_SHAPES(ROW)};

static u8 buffers[PARAMETERS][BYTES_MAX + GUARD_BYTES], before[BYTES_MAX + GUARD_BYTES];

// ---- arguments ----------------------------------------------------------------------------------

static u64 any(const u64 *values, u32 count)
{
    return values[(u32)rand() % count];
}

static u64 any_value(void)
{
    static const u64 values[] = {0,      1,          2,         7,         64,         0xfff,
                                 0x1000, UINT32_MAX, 1ul << 31, 1ul << 40, UINT64_MAX, NOWHERE};
    return any(values, ARRAY_SIZE(values));
}

static u64 any_length(u32 most)
{
    const u64 lengths[] = {0, 1, 8, 64, 512, 2560, most, most + 1ul, most + 8ul, UINT64_MAX};
    return any(lengths, ARRAY_SIZE(lengths));
}

static u64 any_place(u32 index)
{
    const u64 bad[] = {0, NOWHERE, UINT64_MAX - 7, 0xc000000000001000, USER_END - 4};
    return rand() % 4 == 0 ? any(bad, ARRAY_SIZE(bad)) : (u64)buffers[index];
}

// How much of a buffer may be written at most, if all lengths are right.
static u32 room(const struct shape *shape, u32 index, const u64 *arguments)
{
    const struct parameter *parameter = &shape->parameters[index];
    u64 bytes = parameter->length < 0 ? parameter->bytes : arguments[(u32)parameter->length];
    return bytes < parameter->bytes ? (u32)bytes : parameter->bytes;
}

static u32 choose(const struct shape *shape, u64 *arguments)
{
    u32 most = 0;

    for (u32 i = 0; i < shape->count; i++) {
        const struct parameter *parameter = &shape->parameters[i];
        arguments[i] = parameter->kind == SHAPE_VALUE    ? any_value()
                       : parameter->kind == SHAPE_LENGTH ? any_length(parameter->bytes)
                                                         : any_place(i);
    }
    for (u32 i = 0; i < shape->count; i++) {
        u32 bytes = shape->parameters[i].kind <= SHAPE_LENGTH ? 0 : room(shape, i, arguments);
        most = bytes > most ? bytes : most;
    }
    return most + GUARD_BYTES;
}

// ---- what has been written ----------------------------------------------------------------------

// What stands in every buffer: a pattern, and a number that an inout parameter may be.
static void fill(const struct shape *shape, u32 bytes)
{
    u64 number = any_value();

    memset(before, CLIENT_FILL, bytes);
    if (rand() % 2 == 0)
        memcpy(before, &number, sizeof(number));
    for (u32 i = 0; i < shape->count; i++)
        memcpy(buffers[i], before, bytes);
}

// Bytes from the beginning that a call with this result may have written.
static u64 may_be_written(const struct shape *shape, u32 index, const u64 *arguments, s64 result)
{
    u32 kind = shape->parameters[index].kind;
    u64 bytes = room(shape, index, arguments);

    if (kind == SHAPE_TOLD)
        return bytes;
    if (kind <= SHAPE_IN || result < 0)
        return 0;
    return kind == SHAPE_RESULT && (u64)result < bytes ? (u64)result : bytes;
}

static u32 look(const struct shape *shape, const u64 *arguments, s64 result, u32 bytes)
{
    u32 wrong = 0;

    for (u32 i = 0; i < shape->count; i++) {
        u64 first = may_be_written(shape, i, arguments, result);
        if (memcmp(buffers[i] + first, before + first, bytes - first) == 0)
            continue;
        tell("FAIL %s: parameter %u is written beyond %lu bytes, result %ld\n", shape->name, i,
             first, result);
        wrong++;
    }
    return wrong;
}

static s64 enter(const struct shape *shape, const u64 *arguments)
{
    struct registers registers = registers_of(CLIENT);

    registers.gpr[0] = shape->number;
    memcpy(&registers.gpr[3], arguments, shape->count * sizeof(u64));
    registers_call(&registers);
    return (s64)registers.gpr[3];
}

// Returns how much was wrong. A call that never fails here would say nothing.
static u32 try(const struct shape *shape, u32 rounds, u32 *calls)
{
    u32 wrong = 0, failures = 0, made = 0;

    for (u32 i = 0; made < rounds && wrong == 0; i++) {
        u64 arguments[PARAMETERS];
        u32 bytes = choose(shape, arguments);
        if (bytes > LOOKED_AT && i % 8 != 0)
            continue;
        fill(shape, bytes);
        s64 result = enter(shape, arguments);
        wrong += look(shape, arguments, result, bytes);
        failures += result < 0;
        made++;
    }
    *calls += made;
    return wrong + (failures == 0);
}

u32 shapes_wrong(u32 rounds, u32 *calls)
{
    u32 wrong = 0;

    *calls = 0;
    srand(42);
    for (u32 i = 0; i < ARRAY_SIZE(shapes); i++)
        wrong += try(&shapes[i], rounds, calls);
    tell("%u calls that write to the caller's memory\n", (u32)ARRAY_SIZE(shapes));
    return wrong;
}
