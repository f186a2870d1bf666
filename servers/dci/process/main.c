// SPDX-License-Identifier: MIT
// The DCI server as a process. It serves until its streams cannot be had at all;
// then init starts it again.
#include "serve.h"

#include <stdlib.h>

int main(void)
{
    dci_serve();
    return EXIT_FAILURE;
}
