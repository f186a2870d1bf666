// SPDX-License-Identifier: MIT
// Fixed-size integer names used across the system.
#ifndef ORRERY_TYPES_H
#define ORRERY_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

// Clustered-object identifier: the byte offset of the object's LTT entry from r13 (r13.h).
// 0 is never a valid COID.
typedef u64 coid_t;

#define ORRERY_MAX_CPUS 8

// Returns the struct of this type whose member the pointer points at.
#define container_of(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a) (((x) + ((a)-1)) & ~((__typeof__(x))(a)-1))
#define ALIGN_DOWN(x, a) ((x) & ~((__typeof__(x))(a)-1))

static inline u64 min_u64(u64 a, u64 b)
{
    return a < b ? a : b;
}

#endif
