// SPDX-License-Identifier: MIT
// Functions that the linker puts a check in front of (sanitize.mk has their list).
#ifndef KERNEL_SANITIZE_COPIES_H
#define KERNEL_SANITIZE_COPIES_H

#include <orrery/types.h>
#include <stdarg.h>

#include "exception/fpu.h"

#define WRAPPED(result, name, ...)                                                                 \
    result __real_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__);

WRAPPED(void *, memcpy, void *to, const void *from, size_t bytes)
WRAPPED(void *, memset, void *memory, int value, size_t bytes)
WRAPPED(void, frame_zero, u64 frame)
WRAPPED(s64, user_copy, void *to, const void *from, u64 bytes)
WRAPPED(s64, user_copy_string, char *to, const char *from, u64 max)
WRAPPED(int, safe_read_bytes, void *to, const void *from, u64 bytes)
WRAPPED(void, fpu_save, struct fpu_state *state)
WRAPPED(void, fpu_load, const struct fpu_state *state)

WRAPPED(void *, memmove, void *to, const void *from, size_t bytes)
WRAPPED(int, memcmp, const void *one, const void *other, size_t bytes)
WRAPPED(void *, memchr, const void *memory, int value, size_t bytes)
WRAPPED(size_t, strlen, const char *text)
WRAPPED(int, strcmp, const char *one, const char *other)
WRAPPED(int, strncmp, const char *one, const char *other, size_t max)
WRAPPED(int, strncasecmp, const char *one, const char *other, size_t max)
WRAPPED(char *, strchr, const char *text, int value)
WRAPPED(char *, strrchr, const char *text, int value)
WRAPPED(size_t, strcspn, const char *text, const char *set)
WRAPPED(char *, strcpy, char *to, const char *from)
WRAPPED(char *, strncpy, char *to, const char *from, size_t max)
WRAPPED(size_t, strlcpy, char *to, const char *from, size_t room)
WRAPPED(int, vsnprintf, char *to, size_t room, const char *format, va_list arguments)
WRAPPED(int, snprintf, char *to, size_t room, const char *format, ...)

#endif
