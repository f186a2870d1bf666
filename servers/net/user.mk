# SPDX-License-Identifier: MIT
# The net server: lwIP over the system's Ethernet interface, sockets for other processes.
PROGRAM := net
SRC := checksum.c ethernet.c heap.c main.c server.c session.c session_calls.c socket.c \
    socket_bytes.c \
    socket_connection.c socket_end.c socket_held.c socket_list.c socket_methods.c
DEPS := ipc socket-memory
LIBS := lwip
