// SPDX-License-Identifier: MIT
// POSIX files, part by part, against the fs server. The last line is "test-files: N passed, N failed".
#include "tests.h"

#include <stdio.h>
#include <unistd.h>

unsigned long passed, failed;

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
    test_contents();
    test_names();
    test_directories();
    test_descriptors();
    test_pipes();
    test_mappings();
    test_children();
    test_stdio();
    test_storm();
    printf("test-files: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
