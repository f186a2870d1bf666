// SPDX-License-Identifier: MIT
// Undefined behaviour. Code with checks calls these functions, with the compiler's names and
// records. The host of that code, the kernel or a program, decides what happens then.
#ifndef RUNTIME_UNDEFINED_H
#define RUNTIME_UNDEFINED_H

#include <orrery/types.h>

struct undefined_location {
    const char *file;
    u32 line, column;
};

struct undefined_type {
    u16 kind; // 0: integer
    u16 info; // of an integer: bit 0: signed; above: logarithm of its bits
    char name[];
};

// One record for most checks; it has the types that a check needs.
struct undefined_check {
    struct undefined_location where;
    const struct undefined_type *types[2];
};

struct undefined_access {
    struct undefined_location where;
    const struct undefined_type *type;
    u8 log_alignment;
    u8 how; // number of a word in the list of src/undefined.c
};

struct undefined_argument {
    struct undefined_location where;
    struct undefined_location attribute;
    s32 number;
};

struct undefined_builtin {
    struct undefined_location where;
    u8 which; // 0: ctz, 1: clz
};

// Integers are passed by value, or by address if they have more than 64 bits.
void __ubsan_handle_add_overflow(const struct undefined_check *check, u64 left, u64 right);
void __ubsan_handle_sub_overflow(const struct undefined_check *check, u64 left, u64 right);
void __ubsan_handle_mul_overflow(const struct undefined_check *check, u64 left, u64 right);
void __ubsan_handle_divrem_overflow(const struct undefined_check *check, u64 left, u64 right);
void __ubsan_handle_negate_overflow(const struct undefined_check *check, u64 value);
void __ubsan_handle_shift_out_of_bounds(const struct undefined_check *check, u64 value, u64 by);
void __ubsan_handle_out_of_bounds(const struct undefined_check *check, u64 index);
void __ubsan_handle_vla_bound_not_positive(const struct undefined_check *check, u64 bound);
void __ubsan_handle_load_invalid_value(const struct undefined_check *check, u64 value);
void __ubsan_handle_pointer_overflow(const struct undefined_check *check, u64 base, u64 result);
void __ubsan_handle_type_mismatch_v1(const struct undefined_access *access, u64 address);
void __ubsan_handle_nonnull_arg(const struct undefined_argument *argument);
void __ubsan_handle_nonnull_return_v1(const struct undefined_location *attribute,
                                      const struct undefined_location *where);
void __ubsan_handle_invalid_builtin(const struct undefined_builtin *builtin);
_Noreturn void __ubsan_handle_builtin_unreachable(const struct undefined_check *check);

// The host reports it and ends what runs here. It returns only if it is already reporting.
void undefined_found(const struct undefined_location *where, const char *what);
_Noreturn void undefined_end(void);

#endif
