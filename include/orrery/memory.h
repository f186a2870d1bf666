// SPDX-License-Identifier: MIT
// System calls on memory (S000 §2.4.3): regions of the address space, memory objects (FCMs) that
// several processes can map, and files whose pages a server supplies.
#ifndef ORRERY_MEMORY_H
#define ORRERY_MEMORY_H

#include <orrery/process.h>

#define PROT_R 1u
#define PROT_W 2u
#define PROT_X 4u // never with PROT_W: E_INVAL

enum region_kind {
    REGION_ANONYMOUS = 1, // zero-filled on demand, private
    REGION_STACK,         // like ANONYMOUS, with a guard page below it that is never given out
    REGION_COMMIT,        // anonymous, but only pages that sys_region_commit made exist
    REGION_SHARED,        // pages of a memory object, shared by all who map it
    REGION_PRIVATE,       // pages of a memory object or file, copy-on-write
};

struct sys_region {
    u64 address;  // page-aligned; 0: the kernel chooses one and stores it here
    u64 bytes;    // multiple of 4 KB, > 0
    u32 kind;     // enum region_kind
    u32 prot;     // PROT_*
    cap_t memory; // REGION_SHARED, REGION_PRIVATE
    u32 flags;    // REGION_DISTRIBUTED
    u64 offset;   // into memory, page-aligned
    u64 backed;   // REGION_PRIVATE: so many bytes are the memory's, zeroes behind them; 0: all
};
#define REGION_DISTRIBUTED 1u // anonymous: the distributed implementation of FCM

// Creates a region in the caller's space (process 0) or in that of a child not started yet. Returns
// 0. E_BUSY: the child has been started. E_EXIST: it overlaps another. E_NOMEM, E_LIMIT.
s64 sys_region_create(cap_t process, struct sys_region *region);
s64 sys_region_destroy(u64 address);           // the region that begins there
s64 sys_region_resize(u64 address, u64 bytes); // its end moves; grows only into free space
// Changes the protection of whole pages of one region, and does not split it: each page has its own
// protection. REGION_PRIVATE text cannot get PROT_W.
s64 sys_region_protect(u64 address, u64 bytes, u32 prot);
// Makes pages exist and maps them, so that touching them cannot fail. REGION_COMMIT: zeroed pages
// with this protection, or none; pages that exist only change their protection. REGION_SHARED of
// sys_memory_new's memory, and REGION_STACK, with the region's protection. E_NOMEM comes earlier
// than for pages that are merely touched.
s64 sys_region_commit(u64 address, u64 bytes, u32 prot);
s64 sys_region_decommit(u64 address, u64 bytes);
// Replaces one instruction of the caller's own text. The page becomes the caller's own. On return
// all CPUs execute the new instruction. E_INVAL: not executable. E_AGAIN: old was not there.
s64 sys_text_patch(u64 address, u32 old, u32 new);

struct sys_region_info {
    u64 address, bytes;
    u32 kind, prot;
    u64 offset;
    u64 resident_pages;
    coid_t region, memory; // kernel objects: Region, FCM
    char name[32];         // of the memory object
};
s64 sys_region_list(u32 pid, u64 *cursor, void *buffer, u64 bytes); // own, or RIGHT_MONITOR

// ---- memory objects ----------------------------------------------------------------------------

// Creates zero-filled memory. Whoever holds the capability can map it REGION_SHARED.
s64 sys_memory_new(const char *name, u64 bytes);
s64 sys_memory_bytes(cap_t memory);
// Forbids new writable mappings of the memory; existing regions stay as they are. Only its creator
// may do it, before others have the capability: E_PERM.
s64 sys_memory_seal(cap_t memory);
// Returns a capability for the same memory that gives reading alone: a REGION_SHARED of it is never
// writable (E_PERM), and all other calls that take memory refuse it (E_INVAL).
s64 sys_memory_readable(cap_t memory);
// Has the kernel send EVENT_MESSAGE {badge = token; words: MEMORY_GONE, bytes} when the memory has
// ended: nobody holds it or maps it any more, whoever got it. So its maker can account for it until
// then. endpoint: one of the caller's own. E_PERM: another's memory or endpoint. E_EXIST: somebody
// is told already.
#define MEMORY_GONE 4
s64 sys_memory_watch(cap_t memory, cap_t endpoint, u64 token);
// Gives the last capability for one's own memory back, after its last region. Returns 1: others
// still hold it, and MEMORY_GONE will come if that was asked for. Returns 0: it has ended, and no
// message comes. E_PERM: another's memory.
s64 sys_memory_leave(cap_t memory);
s64 sys_initrd(void); // RIGHT_INITRD: the initial file system, read-only, as a memory object

// A file of a server. The kernel asks for pages with EVENT_MESSAGE {badge = token; words:
// FILE_FETCH, offset, bytes (4 KB)}, with at most one request a page at a time. The server answers
// with sys_file_supply. FILE_WRITE announces a dirty page to fetch with sys_file_take. FILE_GONE:
// nobody maps or holds the file any more.
#define FILE_FETCH 1
#define FILE_WRITE 2
#define FILE_GONE 3
// endpoint: one of the caller's own, else E_PERM.
s64 sys_file_create(cap_t endpoint, u64 token, const char *name, u64 bytes);
// Supplies a page. With status 0 it is the 4 KB at from (the caller zero-fills a short last page).
// Any other status is the error that the waiting threads get.
s64 sys_file_supply(cap_t file, u64 offset, const void *from, s64 status);
s64 sys_file_take(cap_t file, u64 offset, void *to);
// Sets a new length. Drops the pages beyond it, and with invalidate all clean pages.
s64 sys_file_resize(cap_t file, u64 bytes, bool invalidate);

#endif
