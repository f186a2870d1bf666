# SPDX-License-Identifier: MIT
# Sockets of the net server: BSD sockets, and streams (net/stream.h).
LIBRARY := socket
SRC := address.c bsd.c bsd_file.c bsd_options.c session.c socket.c stream.c
DEPS := ipc posix socket-memory
CLIENT_OF := net
