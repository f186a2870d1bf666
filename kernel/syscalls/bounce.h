// SPDX-License-Identifier: MIT
// Kernel copies of what the pointers of a system call name. Made before the call acts, given back
// after it.
#ifndef KERNEL_SYSCALLS_BOUNCE_H
#define KERNEL_SYSCALLS_BOUNCE_H

#include <orrery/errors.h>
#include <orrery/types.h>

#define BOUNCE_SMALL 192 // bytes that need no allocation

struct bounce {
    void *memory; // the copy; NULL: none
    u64 user, bytes;
    u64 small[BOUNCE_SMALL / 8];
};

// Each makes *bounce for bytes at the user address. Returns 0, E_FAULT or E_NOMEM.
// - in: with the user's contents. in_optional: the same, but no copy for address 0.
// - out: zeroed. told: the same, but no bytes may be at any address.
// - result: with any contents. The call writes all that its result counts, and often there is much
// more room.
// - string: E_INVAL also, if the text is longer than bytes with its NUL.
s64 bounce_in(struct bounce *bounce, u64 user, u64 bytes);
s64 bounce_in_optional(struct bounce *bounce, u64 user, u64 bytes);
s64 bounce_out(struct bounce *bounce, u64 user, u64 bytes);
s64 bounce_told(struct bounce *bounce, u64 user, u64 bytes);
s64 bounce_result(struct bounce *bounce, u64 user, u64 bytes);
s64 bounce_string(struct bounce *bounce, u64 user, u64 bytes);

enum bounce_when {
    BOUNCE_ALWAYS,  // copy all of it back
    BOUNCE_SUCCESS, // unless the call failed
    BOUNCE_RESULT,  // as many bytes as the result says
};
// Copies back to the user. Returns result, or E_FAULT if the user's memory is not there.
s64 bounce_back(struct bounce *bounce, s64 result, enum bounce_when when);
void bounce_close(struct bounce *bounce);

// Returns whether the calling process has this right.
bool permitted(u32 right);

#endif
