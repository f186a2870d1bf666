// SPDX-License-Identifier: MIT
// A TCP connection to the machine of the thread's link.
#ifndef KOV_CONNECT_H
#define KOV_CONNECT_H

// Connects within the time limit and makes *fd non-blocking. Returns KOV_OK, or KOV_CONNECTION with
// a message printed. It does not see link_end while it looks up the address of a name.
int connect_socket(int *fd);

#endif
