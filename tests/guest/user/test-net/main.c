// SPDX-License-Identifier: MIT
// Sockets, part by part, against the net server, all through the machine's own address. The last
// line is "test-net: N passed, M failed".
#include "tests.h"

int main(int argc, char **argv)
{
    if (argc > 1)
        return child_main(argc, argv);
    test_calls();
    test_streams();
    test_many();
    test_wakes();
    test_hostile();
    test_ends();
    return expect_report("test-net");
}
