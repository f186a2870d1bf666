// SPDX-License-Identifier: MIT
// Deliberate violations: their names, and the functions that commit them. Each takes 1; with 0 it
// does the same as it should be done, up to the last byte that is good.
#ifndef GUEST_VIOLATION_H
#define GUEST_VIOLATION_H

#include <orrery/types.h>

// clang-format off
#ifdef SANITIZE_ADDRESS
#define ADDRESS_KINDS(kind) \
    kind("use-after-free", violate_use_after_free) \
    kind("write-after-free", violate_write_after_free) \
    kind("double-free", violate_double_free) \
    kind("wrong-free", violate_wrong_free) \
    kind("left", violate_left) \
    kind("right", violate_right) \
    kind("right-of-large", violate_right_of_large) \
    kind("page-after-free", violate_page_after_free) \
    kind("page-double-free", violate_page_double_free) \
    kind("page-wrong-order", violate_page_wrong_order) \
    kind("stack", violate_stack) \
    kind("stack-left", violate_stack_left) \
    kind("stack-after-scope", violate_stack_after_scope) \
    kind("global", violate_global) \
    kind("memcpy", violate_memcpy) \
    kind("memset", violate_memset) \
    kind("text", violate_text) \
    kind("snprintf", violate_snprintf) \
    kind("copy-from-user", violate_copy_from_user) \
    kind("copy-to-user", violate_copy_to_user) \
    kind("null", violate_null) \
    kind("user", violate_user) \
    kind("wild", violate_wild) \
    kind("shadow", violate_shadow) \
    kind("interrupt", violate_interrupt)
#else
#define ADDRESS_KINDS(kind)
#endif

#ifdef SANITIZE_UNDEFINED
#define UNDEFINED_KINDS(kind) \
    kind("add", violate_add) \
    kind("subtract", violate_subtract) \
    kind("multiply", violate_multiply) \
    kind("divide", violate_divide) \
    kind("divide-by-zero", violate_divide_by_zero) \
    kind("negate", violate_negate) \
    kind("shift", violate_shift) \
    kind("shift-out", violate_shift_out) \
    kind("index", violate_index) \
    kind("vla", violate_vla) \
    kind("bool", violate_bool) \
    kind("pointer", violate_pointer) \
    kind("misaligned", violate_misaligned) \
    kind("null-load", violate_null_load) \
    kind("null-member", violate_null_member) \
    kind("object-size", violate_object_size) \
    kind("null-argument", violate_null_argument) \
    kind("null-return", violate_null_return) \
    kind("builtin", violate_builtin) \
    kind("unreachable", violate_unreachable)
#else
#define UNDEFINED_KINDS(kind)
#endif
// clang-format on

#define VIOLATION_KINDS(kind) ADDRESS_KINDS(kind) UNDEFINED_KINDS(kind)
#define VIOLATION_DECLARED(name, function) void function(u64 wrong);
VIOLATION_KINDS(VIOLATION_DECLARED)

#define VIOLATION_NOT_INLINED __attribute__((noipa))

// What the compiler shall know nothing of.
static inline void *violation_unknown(void *pointer)
{
    __asm__ volatile("" : "+r"(pointer));
    return pointer;
}

static inline u64 violation_unknown_number(u64 number)
{
    __asm__ volatile("" : "+r"(number));
    return number;
}

#endif
