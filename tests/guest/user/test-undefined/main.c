// SPDX-License-Identifier: MIT
// Undefined behaviour in a program: `test-undefined KIND` does it, `test-undefined healthy` does
// the same as it should be done.
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the compiler shall know nothing of.
static void *unknown(void *pointer)
{
    __asm__ volatile("" : "+r"(pointer));
    return pointer;
}

static long add(int wrong)
{
    volatile int most = INT_MAX;

    return most + wrong;
}

static long shift(int wrong)
{
    volatile int by = 31 + wrong;

    return (long)(1U << by);
}

static long look_up(int wrong)
{
    static volatile int table[4];

    return table[3 + wrong];
}

static long load(int wrong)
{
    long word = 0;

    return *(long *)unknown(wrong ? NULL : &word);
}

static long load_misaligned(int wrong)
{
    long words[2] = {0};

    return *(long *)unknown((char *)words + 4 * wrong);
}

static long load_truth(int wrong)
{
    char byte = (char)(1 + wrong);

    return *(bool *)unknown(&byte);
}

static const struct {
    const char *name;
    long (*function)(int wrong);
} kinds[] = {
    {"add", add},
    {"shift", shift},
    {"index", look_up},
    {"null", load},
    {"misaligned", load_misaligned},
    {"bool", load_truth},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

int main(int argc, char *argv[])
{
    const char *kind = argc > 1 ? argv[1] : "healthy";
    bool healthy = strcmp(kind, "healthy") == 0;
    unsigned done = 0;
    long found = 0;

    for (unsigned i = 0; i < KINDS; i++) {
        if (!healthy && strcmp(kind, kinds[i].name) != 0)
            continue;
        found |= kinds[i].function(!healthy);
        done++;
    }
    printf("test-undefined: %u kinds, %ld\n", done, found);
    return healthy && done == KINDS ? EXIT_SUCCESS : EXIT_FAILURE;
}
