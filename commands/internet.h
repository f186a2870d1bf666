// SPDX-License-Identifier: MIT
// For commands that use the network.
#ifndef COMMANDS_INTERNET_H
#define COMMANDS_INTERNET_H

// Connects. Returns a descriptor, or -1 after it has reported an error.
int internet_connect(const char *host, const char *port);
// Listens on a port of all addresses, or takes the next connection. Returns a descriptor, or -1
// after it has reported an error.
int internet_listen(const char *port);
int internet_accept(int listener);

#endif
