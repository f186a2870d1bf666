// SPDX-License-Identifier: MIT
// Reference counts that cannot go wrong silently. A count knows what it is a count of, and where
// the last reference was given back: a reference that is given back twice, or taken of something
// that has ended, is a panic that names both places. A count that has become absurdly high stays so
// for ever: the object is then never freed, which is the lesser evil.
#ifndef KERNEL_REFS_H
#define KERNEL_REFS_H

#include <kernel/spinlock.h>

// From here on a count does not move any more: one that is below 0 as a signed number
// is wrong or stuck.
#define REFS_STUCK (UINT64_MAX / 2 + 1)

// Four letters, which tell a panic what it was.
#define REFS_KIND(a, b, c, d) ((u32)(a) << 24 | (u32)(b) << 16 | (u32)(c) << 8 | (u32)(d))

struct refs {
    u64 count;
    u32 kind; // REFS_KIND; anything else: this is no such object, or one that has been freed
    u32 reserved;
    u64 ended_at; // address of the code that gave the last one back
};

// What went wrong with a count, at an address of code.
// Not to be called but by the functions here, as the next two.
_Noreturn void refs_wrong(const struct refs *refs, u32 kind, const char *what, u64 place);
// What is rare when a reference has been taken, or given back, of a count that was `before`; the
// latter returns what is left.
void refs_got(struct refs *refs, u32 kind, u64 before, u64 place);
u64 refs_gave(struct refs *refs, u32 kind, u64 before, u64 place);

// One reference, the creator's.
static inline void refs_init(struct refs *refs, u32 kind)
{
    *refs = (struct refs){.count = 1, .kind = kind};
}

// One more, by who has one.
static inline __attribute__((always_inline)) void refs_get(struct refs *refs, u32 kind)
{
    u64 before = refs->kind == kind ? atomic_add(&refs->count, 1) : 0;

    if (__builtin_expect((s64)(before - 1) < 0, 0))
        refs_got(refs, kind, before, (u64)__builtin_return_address(0));
}

// One for who has found the object in a list, whose lock it holds, which makes sure that it has not
// been freed. False:
// it is ending.
bool refs_try_get(struct refs *refs, u32 kind);

// The number of references that are left. What was done with the object before is seen by whoever
// gets 0. The place that a panic names is the caller of the function that this stands in.
static inline __attribute__((always_inline)) u64 refs_put(struct refs *refs, u32 kind)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    u64 before = refs->kind == kind ? atomic_add(&refs->count, UINT64_MAX) : 0;

    if (__builtin_expect((s64)(before - 2) < 0, 0))
        return refs_gave(refs, kind, before, (u64)__builtin_return_address(0));
    return before - 1;
}

// A pointer variable that holds a reference,
// given back where its scope ends if it is not NULL by then:
//     HELD(process) struct process *process = process_get(pid);
#define HELD(type) __attribute__((cleanup(type##_put_held)))

#endif
