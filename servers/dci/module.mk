# SPDX-License-Identifier: MIT
# The DCI server: what viewers talk to.
MODULE := dci
KERNEL_SRC := client.c frame.c input.c objects.c queue.c requests.c sampling.c server.c session.c \
    token.c tracing.c workloads.c
DEPS := orrery net trace
LIBS := nanopb
