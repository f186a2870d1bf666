# SPDX-License-Identifier: MIT
# The network server: lwIP over the system's Ethernet interface, TCP streams for other servers.
MODULE := net
KERNEL_SRC := checksum.c interface.c run.c stream.c
DEPS := orrery
LIBS := lwip
