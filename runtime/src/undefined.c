// SPDX-License-Identifier: MIT
// Makes a sentence of a failed check's record and operands. Kernel and programs share this code;
// each supplies its own host.
#include <runtime/undefined.h>
#include <stdarg.h>
#include <stdio.h>

#define TEXT_BYTES 192
#define KIND_INTEGER 0

static bool is_signed(const struct undefined_type *type)
{
    return type->kind == KIND_INTEGER && (type->info & 1) != 0;
}

static u32 bits_of(const struct undefined_type *type)
{
    return 1u << (type->info >> 1);
}

struct number {
    char text[24];
};

// Returns an operand as the source sees it.
static struct number number(const struct undefined_type *type, u64 value)
{
    struct number result;
    u32 unused = type->kind == KIND_INTEGER && bits_of(type) < 64 ? 64 - bits_of(type) : 0;

    if (type->kind == KIND_INTEGER && bits_of(type) > 64)
        snprintf(result.text, sizeof(result.text), "a value of %u bits", bits_of(type));
    else if (is_signed(type))
        snprintf(result.text, sizeof(result.text), "%ld", (long)((s64)(value << unused) >> unused));
    else
        snprintf(result.text, sizeof(result.text), "%lu",
                 (unsigned long)(value << unused >> unused));
    return result;
}

static void __attribute__((format(printf, 2, 3)))
found(const struct undefined_location *where, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    undefined_found(where, text);
}

static void overflow(const struct undefined_check *check, const char *operation, u64 left,
                     u64 right)
{
    const struct undefined_type *type = check->types[0];

    found(&check->where, "%s %s %s does not fit %s", number(type, left).text, operation,
          number(type, right).text, type->name);
}

void __ubsan_handle_add_overflow(const struct undefined_check *check, u64 left, u64 right)
{
    overflow(check, "+", left, right);
}

void __ubsan_handle_sub_overflow(const struct undefined_check *check, u64 left, u64 right)
{
    overflow(check, "-", left, right);
}

void __ubsan_handle_mul_overflow(const struct undefined_check *check, u64 left, u64 right)
{
    overflow(check, "*", left, right);
}

// The divisor is zero, or the least number is divided by -1.
void __ubsan_handle_divrem_overflow(const struct undefined_check *check, u64 left, u64 right)
{
    overflow(check, "/", left, right);
}

void __ubsan_handle_negate_overflow(const struct undefined_check *check, u64 value)
{
    found(&check->where, "-(%s) does not fit %s", number(check->types[0], value).text,
          check->types[0]->name);
}

// The shift is too far or negative, of a negative number, or moves bits out of a signed one.
void __ubsan_handle_shift_out_of_bounds(const struct undefined_check *check, u64 value, u64 by)
{
    found(&check->where, "shift of %s, %s, by %s", number(check->types[0], value).text,
          check->types[0]->name, number(check->types[1], by).text);
}

void __ubsan_handle_out_of_bounds(const struct undefined_check *check, u64 index)
{
    found(&check->where, "index %s of %s", number(check->types[1], index).text,
          check->types[0]->name);
}

void __ubsan_handle_vla_bound_not_positive(const struct undefined_check *check, u64 bound)
{
    found(&check->where, "an array of %s elements", number(check->types[0], bound).text);
}

void __ubsan_handle_load_invalid_value(const struct undefined_check *check, u64 value)
{
    found(&check->where, "%s is no value of %s", number(check->types[0], value).text,
          check->types[0]->name);
}

void __ubsan_handle_pointer_overflow(const struct undefined_check *check, u64 base, u64 result)
{
    found(&check->where, "pointer %#lx becomes %#lx", (unsigned long)base, (unsigned long)result);
}

void __ubsan_handle_type_mismatch_v1(const struct undefined_access *access, u64 address)
{
    static const char *const how[] = {"load of", "store to", "reference to", "member of",
                                      "call of", "call of",  "construction", "cast to",
                                      "cast to", "cast to",  "cast to",      "cast to"};
    u64 alignment = 1UL << access->log_alignment;
    const char *why = address == 0                       ? "NULL"
                      : (address & (alignment - 1)) != 0 ? "misaligned"
                                                         : "too small an object";
    found(&access->where, "%s %s at %#lx: %s (alignment %lu)",
          access->how < ARRAY_SIZE(how) ? how[access->how] : "use of", access->type->name,
          (unsigned long)address, why, (unsigned long)alignment);
}

void __ubsan_handle_nonnull_arg(const struct undefined_argument *argument)
{
    found(&argument->where, "argument %d is NULL, which it must not be", argument->number);
}

void __ubsan_handle_nonnull_return_v1(const struct undefined_location *attribute,
                                      const struct undefined_location *where)
{
    (void)attribute;
    undefined_found(where, "NULL is returned, which must not be");
}

void __ubsan_handle_invalid_builtin(const struct undefined_builtin *builtin)
{
    undefined_found(&builtin->where, builtin->which == 0 ? "number of trailing zeroes of 0"
                                                         : "number of leading zeroes of 0");
}

void __ubsan_handle_builtin_unreachable(const struct undefined_check *check)
{
    undefined_found(&check->where, "a place that must not be reached");
    undefined_end();
}
