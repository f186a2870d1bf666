// SPDX-License-Identifier: MIT
// Checks around functions that are not instrumented, in assembly or of the C library, of what they
// will access. The linker puts each in front of its function (sanitize.mk): __real_NAME is the
// function itself.
#include <kernel/memory.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "copies.h"
#include "report.h"
#include "shadow.h"

#define CHECK(address, bytes, write)                                                               \
    check((u64)(address), (bytes), (write), (u64)__builtin_return_address(0))

static void check(u64 address, u64 bytes, bool write, u64 pc)
{
    if (!shadow_allows(address, bytes))
        report_access(address, bytes, write, pc);
}

// ---- the kernel's own ---------------------------------------------------------------------------

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    CHECK(from, bytes, false);
    CHECK(to, bytes, true);
    return __real_memcpy(to, from, bytes);
}

void *__wrap_memset(void *memory, int value, size_t bytes)
{
    CHECK(memory, bytes, true);
    return __real_memset(memory, value, bytes);
}

void __wrap_frame_zero(u64 frame)
{
    CHECK(phys_to_virt(frame), PAGE_SIZE, true);
    __real_frame_zero(frame);
}

// One side is the user's, and may be anything.
s64 __wrap_user_copy(void *to, const void *from, u64 bytes)
{
    if ((u64)to >= LINEAR_BASE)
        CHECK(to, bytes, true);
    else
        CHECK(from, bytes, false);
    return __real_user_copy(to, from, bytes);
}

// max is the room that there is.
s64 __wrap_user_copy_string(char *to, const char *from, u64 max)
{
    CHECK(to, max, true);
    return __real_user_copy_string(to, from, max);
}

int __wrap_safe_read_bytes(void *to, const void *from, u64 bytes)
{
    CHECK(to, bytes, true);
    return __real_safe_read_bytes(to, from, bytes);
}

void __wrap_fpu_save(struct fpu_state *state)
{
    CHECK(state, sizeof(*state), true);
    __real_fpu_save(state);
}

void __wrap_fpu_load(const struct fpu_state *state)
{
    CHECK(state, sizeof(*state), false);
    __real_fpu_load(state);
}

// ---- the C library's ----------------------------------------------------------------------------

void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
    CHECK(from, bytes, false);
    CHECK(to, bytes, true);
    return __real_memmove(to, from, bytes);
}

int __wrap_memcmp(const void *one, const void *other, size_t bytes)
{
    CHECK(one, bytes, false);
    CHECK(other, bytes, false);
    return __real_memcmp(one, other, bytes);
}

void *__wrap_memchr(const void *memory, int value, size_t bytes)
{
    CHECK(memory, bytes, false);
    return __real_memchr(memory, value, bytes);
}

// Returns the bytes of a text of at most max, with its NUL if that is among them. What may not be
// read ends the search.
static u64 text_bytes(const char *text, u64 max)
{
    u64 bytes = 0;

    while (bytes < max && shadow_allows((u64)text + bytes, 1) && text[bytes] != '\0')
        bytes++;
    return bytes < max ? bytes + 1 : max;
}

#define CHECK_TEXT(text) CHECK(text, text_bytes((text), UINT64_MAX), false)
#define CHECK_TEXT_OF(text, max) CHECK(text, text_bytes((text), (max)), false)

size_t __wrap_strlen(const char *text)
{
    CHECK_TEXT(text);
    return __real_strlen(text);
}

int __wrap_strcmp(const char *one, const char *other)
{
    CHECK_TEXT(one);
    CHECK_TEXT(other);
    return __real_strcmp(one, other);
}

int __wrap_strncmp(const char *one, const char *other, size_t max)
{
    CHECK_TEXT_OF(one, max);
    CHECK_TEXT_OF(other, max);
    return __real_strncmp(one, other, max);
}

int __wrap_strncasecmp(const char *one, const char *other, size_t max)
{
    CHECK_TEXT_OF(one, max);
    CHECK_TEXT_OF(other, max);
    return __real_strncasecmp(one, other, max);
}

char *__wrap_strchr(const char *text, int value)
{
    CHECK_TEXT(text);
    return __real_strchr(text, value);
}

char *__wrap_strrchr(const char *text, int value)
{
    CHECK_TEXT(text);
    return __real_strrchr(text, value);
}

size_t __wrap_strcspn(const char *text, const char *set)
{
    CHECK_TEXT(text);
    CHECK_TEXT(set);
    return __real_strcspn(text, set);
}

char *__wrap_strcpy(char *to, const char *from)
{
    CHECK_TEXT(from);
    CHECK(to, __real_strlen(from) + 1, true);
    return __real_strcpy(to, from);
}

// Fills the rest with zeroes.
char *__wrap_strncpy(char *to, const char *from, size_t max)
{
    CHECK_TEXT_OF(from, max);
    CHECK(to, max, true);
    return __real_strncpy(to, from, max);
}

size_t __wrap_strlcpy(char *to, const char *from, size_t room)
{
    CHECK_TEXT(from);
    CHECK(to, room, true);
    return __real_strlcpy(to, from, room);
}

// What a %s names is not checked.
int __wrap_vsnprintf(char *to, size_t room, const char *format, va_list arguments)
{
    CHECK_TEXT(format);
    CHECK(to, room, true);
    return __real_vsnprintf(to, room, format, arguments);
}

int __wrap_snprintf(char *to, size_t room, const char *format, ...)
{
    va_list arguments;

    CHECK_TEXT(format);
    CHECK(to, room, true);
    va_start(arguments, format);
    int length = __real_vsnprintf(to, room, format, arguments);
    va_end(arguments);
    return length;
}
