// SPDX-License-Identifier: MIT
// Words as a shell would expand them. newlib forks one that prints them; here there is no fork, and
// the shell cannot print them so.
#include <wordexp.h>

int wordexp(const char *restrict words, wordexp_t *restrict result, int flags)
{
    (void)words, (void)result, (void)flags;
    return WRDE_NOSYS;
}

void wordfree(wordexp_t *words)
{
    (void)words; // wordexp allocates nothing
}
