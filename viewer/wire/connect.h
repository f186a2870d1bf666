// SPDX-License-Identifier: MIT
// A TCP connection to the machine that the settings name.
#ifndef KOV_CONNECT_H
#define KOV_CONNECT_H

// Connects within the time limit; *fd is non-blocking. KOV_OK, or KOV_CONNECTION with a message
// printed.
int connect_socket(int *fd);

#endif
