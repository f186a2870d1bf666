// SPDX-License-Identifier: MIT
// Sockets, part by part, against the net server, all through the machine's own address. The last
// line is "test-net: N passed, M failed".
#include "tests.h"

#include <stdio.h>

static unsigned long passed, failed;

void expect(int condition, const char *file, int line, const char *text)
{
    if (condition) {
        __atomic_add_fetch(&passed, 1, __ATOMIC_RELAXED);
        return;
    }
    __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
    printf("FAILED %s:%d: %s\n", file, line, text);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child_main(argc, argv);
    test_calls();
    test_streams();
    test_many();
    test_hostile();
    test_ends();
    printf("test-net: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
