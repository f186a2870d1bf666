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
    REGION_STACK,         // the same, below it one guard page that is never given out
    REGION_COMMIT,        // anonymous, but only pages that sys_region_commit made exist
    REGION_SHARED,        // pages of a memory object, shared by all who map it
    REGION_PRIVATE,       // pages of a memory object or file, copy-on-write
};

struct sys_region {
    u64 address;  // page-aligned; 0: choose one, and tell
    u64 bytes;    // multiple of 4 KB, > 0
    u32 kind;     // enum region_kind
    u32 prot;     // PROT_*
    cap_t memory; // REGION_SHARED, REGION_PRIVATE
    u32 flags;    // REGION_DISTRIBUTED
    u64 offset;   // into memory, page-aligned
    u64 backed;   // REGION_PRIVATE: so many bytes are the memory's, zeroes behind them; 0: all
};
#define REGION_DISTRIBUTED 1u // anonymous: the distributed implementation of FCM

// In the caller's (0) or a not yet started child's space (E_BUSY: it has been). 0;
// E_EXIST when it overlaps; E_NOMEM;
// E_LIMIT.
s64 sys_region_create(cap_t process, struct sys_region *region);
s64 sys_region_destroy(u64 address);           // the region that begins there
s64 sys_region_resize(u64 address, u64 bytes); // its end moves; grows only into free space
// Whole pages of one region; splits nothing: protection is kept by page.
// REGION_PRIVATE text: not W.
s64 sys_region_protect(u64 address, u64 bytes, u32 prot);
// REGION_COMMIT: makes zeroed pages exist with this protection (again: protection only), or none.
// REGION_SHARED of sys_memory_new's memory, with the region's protection: makes all its pages
// exist. Either maps them, too, so touching them cannot fail. E_NOMEM while there still is memory
// for pages that are merely touched.
s64 sys_region_commit(u64 address, u64 bytes, u32 prot);
s64 sys_region_decommit(u64 address, u64 bytes);
// Replaces one instruction of the caller's own text, in a page of its own from then on; all CPUs
// execute the new one on return. E_INVAL: not executable; E_AGAIN: old was not there.
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

// Zero-filled memory of its own, to be mapped REGION_SHARED by whoever holds the capability.
s64 sys_memory_new(const char *name, u64 bytes);
s64 sys_memory_bytes(cap_t memory);
// From now on nobody can map it to write to it; regions that there are stay as they are. For who
// made it, before others have the capability: E_PERM.
s64 sys_memory_seal(cap_t memory);
s64 sys_initrd(void); // RIGHT_INITRD: the initial file system, read-only, as a memory object

// A file of a server: pages are asked for by EVENT_MESSAGE {badge = token; words: FILE_FETCH,
// offset, bytes (4 KB)}, at most one request a page at a time, and answered by sys_file_supply.
// FILE_WRITE tells of a dirty page to fetch with sys_file_take; FILE_GONE: nobody maps
// or holds it any more.
#define FILE_FETCH 1
#define FILE_WRITE 2
#define FILE_GONE 3
// endpoint: the caller's own, else E_PERM.
s64 sys_file_create(cap_t endpoint, u64 token, const char *name, u64 bytes);
// status 0: 4 KB at from are the page (short last page: zero-filled by the caller); else the error
// that those who wait for it get.
s64 sys_file_supply(cap_t file, u64 offset, const void *from, s64 status);
s64 sys_file_take(cap_t file, u64 offset, void *to);
// New length; pages beyond it, and with invalidate all clean pages, are dropped.
s64 sys_file_resize(cap_t file, u64 bytes, bool invalidate);

#endif
