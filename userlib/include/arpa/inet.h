// SPDX-License-Identifier: MIT
// IPv4 addresses as text.
#ifndef _ARPA_INET_H
#define _ARPA_INET_H

#include <netinet/in.h>

in_addr_t inet_addr(const char *text);                    // INADDR_NONE: not an address
int inet_aton(const char *text, struct in_addr *address); // 1, or 0: not an address
char *inet_ntoa(struct in_addr address);                  // a static buffer
int inet_pton(int family, const char *text, void *address);
const char *inet_ntop(int family, const void *address, char *text, socklen_t bytes);

#endif
