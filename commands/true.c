// SPDX-License-Identifier: MIT
#include "common.h"

int main(int argc, char **argv)
{
    command_begin(argc, argv, "true\nsucceeds");
    return 0;
}
