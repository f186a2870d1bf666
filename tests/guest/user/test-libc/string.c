// SPDX-License-Identifier: MIT
// string.h: copies at every alignment, searches, comparisons.
#include "tests.h"

#include <string.h>
#include <strings.h>

static void copies(void)
{
    static char from[128], to[128], expected[128];
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (char)(i * 7 + 1);
    for (unsigned a = 0; a < 9; a++) {
        for (unsigned b = 0; b < 9; b++) {
            for (unsigned length = 0; length < 40; length++) {
                memset(to, 0, sizeof to);
                memset(expected, 0, sizeof expected);
                for (unsigned i = 0; i < length; i++)
                    expected[b + i] = from[a + i];
                memcpy(to + b, from + a, length);
                EXPECT(memcmp(to, expected, sizeof to) == 0);
            }
        }
    }
}

static void overlapping(void)
{
    char text[] = "abcdefghijklmnopqrstuvwxyz";
    memmove(text + 3, text, 20);
    EXPECT(strcmp(text, "abcabcdefghijklmnopqrstxyz") == 0);
    memmove(text, text + 3, 20);
    EXPECT(strncmp(text, "abcdefghijklmnopqrst", 20) == 0);
}

static void searches(void)
{
    const char *text = "the quick brown fox";
    EXPECT(strchr(text, 'q') == text + 4);
    EXPECT(strchr(text, 'z') == NULL);
    EXPECT(strchr(text, 0) == text + 19);
    EXPECT(strrchr(text, 'o') == text + 17);
    EXPECT(strstr(text, "brown") == text + 10);
    EXPECT(strstr(text, "") == text);
    EXPECT(strstr(text, "browner") == NULL);
    EXPECT(memchr(text, 'x', 19) == text + 18);
    EXPECT(memchr(text, 'x', 18) == NULL);
    EXPECT(strspn(text, "eht") == 3);
    EXPECT(strcspn(text, "qk") == 4);
    EXPECT(strpbrk(text, "xf") == text + 16);
    EXPECT(strnlen(text, 5) == 5 && strnlen(text, 50) == 19);
}

static void comparisons(void)
{
    EXPECT(strcmp("abc", "abd") < 0 && strcmp("abd", "abc") > 0 && strcmp("", "") == 0);
    EXPECT(strcmp("\x80", "\x01") > 0); // as unsigned
    EXPECT(strncmp("abcx", "abcy", 3) == 0 && strncmp("abcx", "abcy", 4) < 0);
    EXPECT(strcasecmp("Hello", "hELLO") == 0 && strncasecmp("Hellx", "hELLO", 4) == 0);
    EXPECT(memcmp("\0\1", "\0\2", 2) < 0);
}

static void tokens(void)
{
    char text[] = ",,one,,two;three,";
    char *save;
    EXPECT(strcmp(strtok_r(text, ",;", &save), "one") == 0);
    EXPECT(strcmp(strtok_r(NULL, ",;", &save), "two") == 0);
    EXPECT(strcmp(strtok_r(NULL, ",;", &save), "three") == 0);
    EXPECT(strtok_r(NULL, ",;", &save) == NULL);
}

static void building(void)
{
    char text[16] = "ab";
    strcat(text, "cd");
    strncat(text, "efgh", 2);
    EXPECT(strcmp(text, "abcdef") == 0);
    strncpy(text, "xy", 5);
    EXPECT(memcmp(text, "xy\0\0\0f", 6) == 0);
    EXPECT(strlcpy(text, "0123456789abcdefgh", sizeof text) == 18 && strlen(text) == 15);
    EXPECT(strerror(2) != NULL && strlen(strerror(2)) > 0);
}

void test_string(void)
{
    copies();
    overlapping();
    searches();
    comparisons();
    tokens();
    building();
}
