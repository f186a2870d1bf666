// SPDX-License-Identifier: MIT
// Texts that the shell runs, for rows of values.def.
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static long ended(int status)
{
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

long ran(const char *command)
{
    return ended(system(command));
}

long said(const char *command, const char *text)
{
    char all[200];
    FILE *from = popen(command, "r");
    if (from == NULL)
        return -3;
    all[fread(all, 1, sizeof(all) - 1, from)] = '\0';
    long status = ended(pclose(from));
    return strcmp(all, text) == 0 ? status : -4;
}

// What is written before the end is seen arrives.
long told(const char *command, const char *text)
{
    FILE *to = popen(command, "w");
    if (to == NULL)
        return -3;
    fputs(text, to);
    return ended(pclose(to));
}

long popened(const char *how)
{
    FILE *file = popen("true", how);
    return file == NULL ? -1 : pclose(file);
}

// Two at once: each has its own end, and its own status.
long streams_differ(void)
{
    char text[10] = "";
    FILE *from = popen("cat", "w"), *to = popen("echo abc; exit 4", "r");
    if (from == NULL || to == NULL)
        return -3;
    return fgets(text, sizeof(text), to) == text && strcmp(text, "abc\n") == 0 &&
           ended(pclose(from)) == 0 && ended(pclose(to)) == 4;
}
