// SPDX-License-Identifier: MIT
// test-overflow: the first process of its machine. With an argument: one of its children.
#include <expect.h>

#include "tests.h"

int main(int argc, char **argv)
{
    if (argc > 1)
        return child_role(argv[1]);
    refusals();
    exact_counts();
    children();
    storm();
    return expect_report("test-overflow");
}
