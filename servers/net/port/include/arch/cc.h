// SPDX-License-Identifier: MIT
// What lwIP needs to know of compiler and machine.
#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef BYTE_ORDER
#define BYTE_ORDER __BYTE_ORDER__
#define BIG_ENDIAN __ORDER_BIG_ENDIAN__
#define LITTLE_ENDIAN __ORDER_LITTLE_ENDIAN__
#endif

// Tells of a broken promise inside the network code, and stops the server, nothing else.
void net_assertion_failed(const char *message) __attribute__((noreturn));
#define LWIP_PLATFORM_ASSERT(message) net_assertion_failed(message)
#define LWIP_PLATFORM_DIAG(message)

uint32_t net_random(void);
#define LWIP_RAND() net_random()

// Returns the Internet checksum of a piece of memory, not complemented, in network order. Any
// alignment.
uint16_t net_checksum(const void *bytes, int count);
// Copies memory, and does as net_checksum for `to`. Both do not overlap. `from` may change
// meanwhile.
uint16_t net_checksum_copy(void *to, const void *from, int count);
// False while what is copied goes where nobody looks at checksums: then it only copies. Returns 0.
extern bool net_checksum_copies;

// lwIP's heap: 8-byte aligned memory, NULL when all that it may have is in use. net_lock held.
void *net_heap_alloc(size_t bytes);
void net_heap_free(void *memory);

#endif
