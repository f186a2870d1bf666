// SPDX-License-Identifier: MIT
// Reference counts that cannot fail silently. A count knows the type of its object, and where the
// last reference was given back. A reference that is given back twice, or taken of an ended object,
// causes a panic that names both places. A count that has become absurdly high stays so for ever:
// the object is then never freed, which is the lesser evil.
#ifndef KERNEL_REFS_H
#define KERNEL_REFS_H

#include <kernel/spinlock.h>
#include <orrery/held.h>

// From this value on a count no longer changes. One below 0 as a signed number is wrong or stuck.
#define REFS_STUCK (UINT64_MAX / 2 + 1)

// Four letters, which name the type in a panic.
#define REFS_KIND(a, b, c, d) ((u32)(a) << 24 | (u32)(b) << 16 | (u32)(c) << 8 | (u32)(d))

struct refs {
    u64 count;
    u32 kind; // REFS_KIND; anything else: another type of object, or a freed one
    u32 reserved;
    u64 ended_at; // address of the code that gave back the last one
};

// Panics with what went wrong with a count, at an address of code. Only for the functions here,
// like the next two.
_Noreturn void refs_wrong(const struct refs *refs, u32 kind, const char *what, u64 place);
// Handle the rare cases after a reference has been taken, or given back, of a count that was
// `before`. The latter returns what is left.
void refs_got(struct refs *refs, u32 kind, u64 before, u64 place);
u64 refs_gave(struct refs *refs, u32 kind, u64 before, u64 place);

// Starts with one reference, the creator's.
static inline void refs_init(struct refs *refs, u32 kind)
{
    *refs = (struct refs){.count = 1, .kind = kind};
}

// Takes another reference. The caller has one.
static inline __attribute__((always_inline)) void refs_get(struct refs *refs, u32 kind)
{
    u64 before = refs->kind == kind ? atomic_add(&refs->count, 1) : 0;

    if (__builtin_expect((s64)(before - 1) < 0, 0))
        refs_got(refs, kind, before, (u64)__builtin_return_address(0));
}

// Takes a reference of an object found in a list. The caller holds the list's lock, so the object
// has not been freed. Returns false if it is ending.
bool refs_try_get(struct refs *refs, u32 kind);

// Gives a reference back. Returns the number that is left. Whoever gets 0 sees all that was done
// with the object before. A panic names the caller of the function that contains this.
static inline __attribute__((always_inline)) u64 refs_put(struct refs *refs, u32 kind)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    u64 before = refs->kind == kind ? atomic_add(&refs->count, UINT64_MAX) : 0;

    if (__builtin_expect((s64)(before - 2) < 0, 0))
        return refs_gave(refs, kind, before, (u64)__builtin_return_address(0));
    return before - 1;
}

#endif
