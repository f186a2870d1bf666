# SPDX-License-Identifier: MIT
# The net server: lwIP over the system's Ethernet interface, sockets for other processes.
PROGRAM := net
SRC := checksum.c ethernet.c main.c map.c ring.c session.c socket.c
DEPS := ipc
LIBS := lwip
