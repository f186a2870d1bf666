// SPDX-License-Identifier: MIT
// Patterns of texts and of names of files, for rows of values.def.
#include "rows.h"

#include <fcntl.h>
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUPS 4

long matched(const char *pattern, int how, const char *text, int group)
{
    regex_t compiled;
    regmatch_t found[GROUPS];
    if (regcomp(&compiled, pattern, how) != 0)
        return -3;
    int result = regexec(&compiled, text, GROUPS, found, 0);
    regfree(&compiled);
    if (result != 0)
        return result == REG_NOMATCH ? -1 : -2;
    return found[group].rm_so < 0 ? -4 : found[group].rm_so * 100 + found[group].rm_eo;
}

long matched_inside(const char *pattern, const char *text, int how)
{
    regex_t compiled;
    if (regcomp(&compiled, pattern, REG_NOSUB) != 0)
        return -3;
    int result = regexec(&compiled, text, 0, NULL, how);
    regfree(&compiled);
    return result;
}

long compiled(const char *pattern, int how)
{
    regex_t compiled;
    int result = regcomp(&compiled, pattern, how);
    if (result != 0)
        return result;
    regfree(&compiled);
    return 0;
}

long groups_of(const char *pattern)
{
    regex_t compiled;
    if (regcomp(&compiled, pattern, REG_EXTENDED) != 0)
        return -3;
    long groups = (long)compiled.re_nsub;
    regfree(&compiled);
    return groups;
}

// The text, and how many bytes it takes, also where there is less room.
long explained(int error)
{
    char all[100], less[4];
    size_t bytes = regerror(error, NULL, all, sizeof(all));
    return bytes == strlen(all) + 1 && bytes > sizeof(less) &&
           regerror(error, NULL, less, sizeof(less)) == bytes && strlen(less) == sizeof(less) - 1 &&
           memcmp(less, all, sizeof(less) - 1) == 0;
}

void patterns_prepare(void)
{
    static const char *const files[] = {"names/b.c", "names/a.c", "names/.c", "names/[x]",
                                        "names/in/a.c"};
    mkdir("names", 0755);
    mkdir("names/in", 0755);
    for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        close(open(files[i], O_WRONLY | O_CREAT, 0644));
}

long globbed(const char *pattern, int how, const char *names)
{
    char all[200] = "";
    glob_t found = {0};
    int result = glob(pattern, how, NULL, &found);
    for (size_t i = 0; result == 0 && i < (size_t)found.gl_pathc; i++) {
        strcat(all, i > 0 ? " " : "");
        strcat(all, found.gl_pathv[i]);
    }
    if (result == 0)
        globfree(&found);
    return result != 0 ? result : strcmp(all, names) == 0;
}

// A second pattern's names behind the first's, behind free places.
long globbed_twice(void)
{
    glob_t found = {.gl_offs = 1};
    bool good = glob("names/*.c", GLOB_DOOFFS, NULL, &found) == 0 &&
                glob("names/i*", GLOB_DOOFFS | GLOB_APPEND, NULL, &found) == 0 &&
                found.gl_pathc == 3 && found.gl_pathv[0] == NULL &&
                strcmp(found.gl_pathv[1], "names/a.c") == 0 &&
                strcmp(found.gl_pathv[3], "names/in") == 0 && found.gl_pathv[4] == NULL;
    good = good && glob("none/*", GLOB_DOOFFS | GLOB_APPEND, NULL, &found) == GLOB_NOMATCH &&
           found.gl_pathc == 3;
    globfree(&found);
    return good;
}
