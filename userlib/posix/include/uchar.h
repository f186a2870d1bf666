// SPDX-License-Identifier: MIT
// Characters of 16 and 32 bits. Texts of bytes are UTF-8, whatever the locale.
#ifndef _UCHAR_H
#define _UCHAR_H

#include <stddef.h>
#include <wchar.h>

#ifndef __cplusplus
typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;
#endif

size_t mbrtoc16(char16_t *__restrict to, const char *__restrict from, size_t bytes,
                mbstate_t *__restrict state);
size_t mbrtoc32(char32_t *__restrict to, const char *__restrict from, size_t bytes,
                mbstate_t *__restrict state);
size_t c16rtomb(char *__restrict to, char16_t character, mbstate_t *__restrict state);
size_t c32rtomb(char *__restrict to, char32_t character, mbstate_t *__restrict state);

#endif
