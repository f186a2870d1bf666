// SPDX-License-Identifier: MIT
// A socket's memory in the caller's address space: used by server and clients.
#ifndef NET_MAP_H
#define NET_MAP_H

#include <orrery/memory.h>

// Maps NET_SOCKET_BYTES of a memory object, readable and writable. Returns 0, E_INVAL (it is
// smaller, or no memory object), E_NOMEM or E_LIMIT.
s64 net_map(cap_t memory, void **address);
void net_unmap(void *address);

#endif
