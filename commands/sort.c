// SPDX-License-Identifier: MIT
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool reverse, numbers;
static char **lines;
static size_t count, capacity;

static int compare(const void *one, const void *other)
{
    const char *a = *(char *const *)one, *b = *(char *const *)other;
    long first = numbers ? strtol(a, NULL, 10) : 0, second = numbers ? strtol(b, NULL, 10) : 0;
    int order = first != second ? (first < second ? -1 : 1) : strcmp(a, b);

    return reverse ? -order : order;
}

static bool add(char *line)
{
    if (count == capacity) {
        size_t more = capacity == 0 ? 64 : 2 * capacity;
        char **larger = realloc(lines, more * sizeof(*lines));
        if (larger == NULL)
            return false;
        lines = larger;
        capacity = more;
    }
    lines[count++] = line;
    return true;
}

// Returns the file's contents with a NUL behind; NULL: an error (errno).
static char *read_text(int file)
{
    size_t bytes = 0, room = 0;
    char *text = NULL;

    for (;;) {
        if (room - bytes < 2) {
            room = 2 * room + 4096;
            char *larger = realloc(text, room);
            if (larger == NULL)
                return NULL;
            text = larger;
        }
        ssize_t got = read(file, text + bytes, room - bytes - 1);
        if (got <= 0) {
            text[bytes] = '\0';
            return got == 0 ? text : NULL;
        }
        bytes += (size_t)got;
    }
}

static int read_lines(int file, const char *name)
{
    char *line = read_text(file);

    if (line == NULL)
        return complain(name);
    while (*line != '\0') {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        if (!add(line))
            return complain(name);
        if (end == NULL)
            break;
        line = end + 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    command_begin(argc, argv,
                  "sort [-r] [-n] [FILE …]\nprints all lines in order; -r: backwards, -n: by the "
                  "numbers that they begin with");
    for (int option; (option = getopt(argc, argv, "rn")) != -1;) {
        if (option == '?')
            return command_usage();
        reverse |= option == 'r';
        numbers |= option == 'n';
    }
    int status = each_file(argc, argv, optind, read_lines);
    if (count > 1)
        qsort(lines, count, sizeof(*lines), compare);
    for (size_t i = 0; i < count; i++)
        puts(lines[i]);
    return status;
}
