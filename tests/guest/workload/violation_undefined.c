// SPDX-License-Identifier: MIT
// Undefined behaviour, one function a check that the compiler makes.
#include "violation.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <stdint.h>

struct member {
    u64 first, second;
};

static volatile s32 sink;
static volatile u64 wide_sink;

static s32 unknown_int(s32 value)
{
    return (s32)violation_unknown_number((u64)value);
}

void violate_add(u64 wrong)
{
    sink = unknown_int(INT32_MAX) + unknown_int((s32)wrong);
}

void violate_subtract(u64 wrong)
{
    sink = unknown_int(INT32_MIN) - unknown_int((s32)wrong);
}

void violate_multiply(u64 wrong)
{
    wide_sink = (u64)((s64)violation_unknown_number(INT64_MAX) * unknown_int(1 + (s32)wrong));
}

void violate_divide(u64 wrong)
{
    sink = unknown_int(INT32_MIN) / unknown_int(wrong ? -1 : 1);
}

void violate_divide_by_zero(u64 wrong)
{
    sink = unknown_int(7) / unknown_int(wrong ? 0 : 1);
}

void violate_negate(u64 wrong)
{
    sink = -unknown_int(wrong ? INT32_MIN : -INT32_MAX);
}

void violate_shift(u64 wrong)
{
    wide_sink = violation_unknown_number(1) << violation_unknown_number(63 + wrong);
}

void violate_shift_out(u64 wrong)
{
    sink = unknown_int(3) << unknown_int(wrong ? 31 : 29);
}

void violate_index(u64 wrong)
{
    static volatile u32 table[4];

    sink = (s32)table[violation_unknown_number(3 + wrong)];
}

void violate_vla(u64 wrong)
{
    u8 variable[unknown_int(wrong ? -1 : 1)];

    violation_unknown(variable);
}

void violate_bool(u64 wrong)
{
    u8 byte = (u8)(1 + wrong);

    sink = *(bool *)violation_unknown(&byte);
}

void violate_pointer(u64 wrong)
{
    const u8 *pointer = (u8 *)violation_unknown_number(UINT64_MAX - 7);

    wide_sink = (u64)(pointer + violation_unknown_number(7 + wrong));
}

void violate_misaligned(u64 wrong)
{
    u64 words[2] = {0};

    wide_sink = *(u64 *)violation_unknown((u8 *)words + 4 * wrong);
}

void violate_null_load(u64 wrong)
{
    u64 word = 0;

    wide_sink = *(u64 *)violation_unknown(wrong ? NULL : &word);
}

void violate_null_member(u64 wrong)
{
    struct member object = {0};
    struct member *pointer = violation_unknown(wrong ? NULL : &object);

    wide_sink = (u64)&pointer->second;
}

void violate_object_size(u64 wrong)
{
    struct member object = {0};
    const u8 *bytes = (const u8 *)&object;

    wide_sink = *(const u64 *)(bytes + violation_unknown_number(wrong ? sizeof(object) : 0));
}

static VIOLATION_NOT_INLINED __attribute__((nonnull)) void must_not_be_null(void *pointer)
{
    violation_unknown(pointer);
}

void violate_null_argument(u64 wrong)
{
    must_not_be_null(violation_unknown(wrong ? NULL : &wrong));
}

static VIOLATION_NOT_INLINED __attribute__((returns_nonnull)) void *nothing_if(u64 wrong)
{
    return violation_unknown(wrong ? NULL : (void *)&wide_sink);
}

void violate_null_return(u64 wrong)
{
    wide_sink = (u64)nothing_if(wrong);
}

void violate_builtin(u64 wrong)
{
    sink = __builtin_ctzl(violation_unknown_number(1 - wrong));
}

void violate_unreachable(u64 wrong)
{
    if (violation_unknown_number(wrong) != 0)
        __builtin_unreachable();
}
