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

// Of lengths around the steps in which a long copy goes; nothing beside it is touched.
static void long_copies(void)
{
    static const unsigned lengths[] = {40,  63,  64,  65,  96,  97,  127, 128,  129,  160, 161,
                                       191, 255, 256, 257, 271, 272, 273, 1000, 4095, 4096};
    static unsigned char from[4200], to[4200];
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    for (unsigned n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        for (unsigned place = 0; place < 40 * 17; place++) {
            unsigned a = place % 17, b = place / 17, length = lengths[n], wrong = 0;
            unsigned end = b + length + 40;
            memset(to, 0xee, end);
            EXPECT(memcpy(to + b, from + a, length) == to + b);
            for (unsigned i = 0; i < end; i++)
                wrong += to[i] != (i - b < length ? from[a + i - b] : 0xee);
            EXPECT(wrong == 0);
        }
    }
}

static void fills(void)
{
    static const unsigned lengths[] = {0, 1, 7, 8, 9, 63, 64, 65, 511, 512, 513, 640, 2000};
    static unsigned char to[2200];
    for (unsigned n = 0; n < 2 * sizeof lengths / sizeof *lengths; n++) {
        for (unsigned at = 0; at < 136; at++) {
            unsigned length = lengths[n / 2], value = n % 2 * 0x15a, wrong = 0;
            for (unsigned i = 0; i < sizeof to; i++)
                to[i] = 0xee;
            EXPECT(memset(to + at, (int)value, length) == to + at);
            for (unsigned i = 0; i < sizeof to; i++)
                wrong += to[i] != (i - at < length ? (unsigned char)value : 0xee);
            EXPECT(wrong == 0);
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
    long_copies();
    fills();
    overlapping();
    searches();
    comparisons();
    tokens();
    building();
}
