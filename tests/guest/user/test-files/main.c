// SPDX-License-Identifier: MIT
// POSIX files, part by part, against the fs server. The last line is "test-files: N passed,
// N failed".
#include "tests.h"

int main(int argc, char **argv)
{
    if (argc > 1)
        return child_main(argc, argv);
    test_contents();
    test_names();
    test_directories();
    test_descriptors();
    test_pipes();
    test_own_pipes();
    test_mappings();
    test_rights();
    test_running();
    test_direct();
    test_children();
    test_stdio();
    test_storm();
    test_killed();
    test_exhausted();
    return expect_report("test-files");
}
