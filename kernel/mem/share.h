// SPDX-License-Identifier: MIT
// Sharing translations: spaces that map the same pieces of a memory object read-only at the same
// addresses, such as the text of one program, use one SegmentHAT. What one of them has touched,
// none of the others faults for.
#ifndef KERNEL_MEM_SHARE_H
#define KERNEL_MEM_SHARE_H

#include <orrery/types.h>

struct fault;
struct fcm;
struct region;
struct segment;

// Returns whether the kind, protection and source of a region that is being made allow sharing.
bool share_is_possible(const struct region *region);
// Returns the shared segment for a fault that does not write, attached to the region's HAT. Returns
// NULL if the space's own is to be used. Thread context, no lock held.
struct segment *share_segment(const struct fault *fault);
// Removes a page's translations from all segments that share the object. The page's lock is held.
void share_unmap(struct fcm *fcm, u64 page, u64 frame);
// Ends sharing of an object that ends: nobody maps it.
void share_end(struct fcm *fcm);
// Lists the shared SegmentHATs of an object, for the scan: writes at most max COIDs, counts all
// when out is NULL. Returns how many.
u32 share_coids(struct fcm *fcm, coid_t *out, u32 max);

#endif
