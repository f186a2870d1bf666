// SPDX-License-Identifier: MIT
// The DCI server as a process. It ends only if it cannot open its streams. Then init starts it
// again.
#include "serve.h"

#include <stdlib.h>

int main(void)
{
    dci_serve();
    return EXIT_FAILURE;
}
