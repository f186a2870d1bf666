// SPDX-License-Identifier: MIT
// Page Managers keep account of who may have how many page frames (S000 §2.4.3). Each address space
// has one; pages that belong to no process are the root's. Frames come from the PageAllocator.
#ifndef KERNEL_MEM_PM_H
#define KERNEL_MEM_PM_H

#include <co/object.h>
#include <kernel/address_space.h>

struct holdings;
struct pm;

// Makes a PM with one reference, of limit bytes at most (0: none). Returns NULL if out of memory.
// Thread context, no lock held, as all here unless said otherwise.
struct pm *pm_create(u64 limit, enum memory_class class);
struct pm *pm_root(void);      // with a new reference
struct pm *pm_of_caller(void); // of the current process, else the root; with a new reference
void pm_hold(struct pm *pm);
void pm_put(struct pm *pm);
coid_t pm_coid(const struct pm *pm);
u64 pm_limit(const struct pm *pm); // bytes, 0: none
// Returns whether more pages are free than are kept from it, if need be after reclaiming some.
bool pm_has_room(const struct pm *pm);
// Does as pm_has_room for so many pages that are asked for in advance. Such a request is refused
// first, so that the asker still gets the pages that it merely touches.
bool pm_has_room_to_commit(const struct pm *pm, u64 pages);
bool pm_has_rights(const struct pm *pm);          // of its process
bool pm_has_room_for_kernel(const struct pm *pm); // as memory_for_kernel
void pm_set_domain(struct pm *pm, u32 kept);      // of the logs (proc/domain.h). Any context
u64 pm_pages(const struct pm *pm); // frames of data in use, without translation tables

// Allocates a page frame with undefined contents. Returns its physical address, E_LIMIT or E_NOMEM.
// When memory is short, files' clean pages are reclaimed first.
s64 pm_alloc(struct pm *pm);
// Gives a frame back. Any context but PMI; locks held have rank < RANK_PM.
void pm_free(struct pm *pm, u64 page);
// Charges the account with a page that is no frame of it, such as nodes of page maps. Returns 0,
// E_LIMIT or E_NOMEM. pm_uncharge takes it back.
s64 pm_charge(struct pm *pm);
void pm_uncharge(struct pm *pm);
// Raises the limit by tables that the kernel needs for pages of its own, or takes that back.
void pm_allow(struct pm *pm, s64 pages);
// Allocates a zeroed page for translation tables: counted against the limit, but not as data.
void *pm_table_alloc(struct pm *pm);
void pm_table_free(struct pm *pm, void *table);

// Counts pages of another's account that the process holds towards its limit. Returns 0 or E_LIMIT.
s64 pm_hold_pages(struct pm *pm, u64 pages);
void pm_release_pages(struct pm *pm, u64 pages);
struct holdings *pm_holdings(struct pm *pm); // holding.h

void pm_init(void);
s64 pm_alloc_root(void); // pm_alloc of the root

#endif
