// SPDX-License-Identifier: MIT
// Searches for the literal text. "^" before it and "$" behind it tie it to the line's beginning and
// end.
#include "common.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 4096

static const char *text;
static bool at_start, at_end, invert, ignore_case, count_only, with_names;
static u64 found;

static bool same(char a, char b)
{
    return ignore_case ? tolower((unsigned char)a) == tolower((unsigned char)b) : a == b;
}

static bool matches_at(const char *at)
{
    const char *wanted = text;

    while (*wanted != 0 && *at != 0 && same(*at, *wanted)) {
        at++;
        wanted++;
    }
    return *wanted == 0 && (!at_end || *at == 0);
}

static bool matches(const char *line)
{
    do
        if (matches_at(line))
            return true;
    while (!at_start && *line++ != 0);
    return false;
}

static int search(int file, const char *name)
{
    char line[LINE_BYTES];
    u64 here = 0;

    FILE *in = fdopen(dup(file), "r");
    if (in == NULL)
        return complain(name);
    while (fgets(line, sizeof(line), in) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (matches(line) == invert)
            continue;
        here++;
        if (!count_only)
            printf("%s%s%s\n", with_names ? name : "", with_names ? ":" : "", line);
    }
    fclose(in);
    if (count_only)
        printf("%s%s%lu\n", with_names ? name : "", with_names ? ":" : "", here);
    found += here;
    return 0;
}

int main(int argc, char **argv)
{
    command_begin(argc, argv,
                  "grep [-v] [-i] [-c] TEXT [FILE …]\nprints lines with a text (^TEXT, TEXT$: at "
                  "the beginning, end)\n-v: those without; -i: whatever the case; -c: how many");
    for (int option; (option = getopt(argc, argv, "vic")) != -1;) {
        if (option == '?')
            return command_usage();
        invert |= option == 'v';
        ignore_case |= option == 'i';
        count_only |= option == 'c';
    }
    if (optind == argc)
        return command_usage();
    char *pattern = argv[optind];
    at_start = pattern[0] == '^';
    size_t length = strlen(pattern);
    at_end = length > (at_start ? 1u : 0u) && pattern[length - 1] == '$';
    if (at_end)
        pattern[length - 1] = 0;
    text = pattern + at_start;
    with_names = argc - optind > 2;
    int status = each_file(argc, argv, optind + 1, search);
    return status != 0 ? 2 : found == 0;
}
