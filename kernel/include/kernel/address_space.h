// SPDX-License-Identifier: MIT
// Address spaces (S000 §2.4.3): a Process's Regions over FCMs, and its HAT. Also faults, and the
// kernel's own access to user memory.
#ifndef KERNEL_ADDRESS_SPACE_H
#define KERNEL_ADDRESS_SPACE_H

#include <kernel/frame.h>
#include <orrery/memory.h>

struct address_space;
struct fcm;
struct file;
struct process;

// Whose memory ends first when it is short (kernel/mem/pm.c).
enum memory_class {
    MEMORY_PLAIN,  // processes without rights
    MEMORY_RIGHTS, // programs with some
    MEMORY_SERVER, // of a server's priority
    MEMORY_FIRST,  // the first process, which starts servers again
    MEMORY_CLASSES
};

// Creates an empty space with a HAT (and its own PID for the MMU) and a PM. limit in bytes, 0:
// none. Returns NULL if out of memory. Thread context, as for all functions here unless noted.
struct address_space *space_create(struct process *process, u64 limit, enum memory_class class);
u64 space_limit(const struct address_space *space); // 0: none
// Marks that the process is ending. Waiting faults finish with E_PEER, and every later fault is
// FAULT_BAD. Call it before you wait for the dispatchers, so that none stays blocked on a page.
void space_end(struct address_space *space);
// Removes all regions but the wired ones. Its dispatchers have ended; system calls on it may still
// come.
void space_clear(struct address_space *space);
// Frees all regions, frames and tables; no CPU runs in it any more. (Look-ups of others, like a
// scan's space_coids, stay harmless until their generation ends.)
void space_destroy(struct address_space *space);
// Makes it this CPU's space (PIDR). With NULL the CPU has no user addresses. No effect if it is
// already. Soft-masked.
void space_switch(struct address_space *space);
// Returns the tag of a CPU that runs in it (orrery/pmu_model.h); the low half is the value for
// PIDR.
u64 space_tag(const struct address_space *space);
// Sets the upper half of the tag: MODEL_TAG_OF_PID with or without MODEL_TAG_EXCLUDED. Any context.
void space_set_owner(struct address_space *space, u64 owner);
u64 space_resident_pages(const struct address_space *space);
// Sets the domain in which the logs account its pages, as proc/domain.c keeps it. Any context.
void space_set_domain(struct address_space *space, u32 kept);
u64 space_faults(const struct address_space *space);
u32 space_coids(struct address_space *space, coid_t *out,
                u32 max); // Regions, HAT, PM: for the scan

// Begins to hold a memory object in the space's account, for a capability of it, and ends that
// (kernel/mem/holding.h). The first returns 0, E_LIMIT or E_NOMEM.
s64 space_hold(struct address_space *space, struct fcm *memory);
void space_let_go(struct address_space *space, struct fcm *memory);

// Adds kernel-made pages to a process at a fixed address: resident, user-accessible, not counted
// against limits, freed with the space. For dispatcher pages, message and inspection buffers.
// *wired: the kernel's (linear) address of bytes contiguous zeroed bytes. Returns 0, E_INVAL,
// E_NOMEM, E_LIMIT, E_EXIST, or E_PEER: the space is ending.
s64 space_wire(struct address_space *space, u64 address, u64 bytes, void **wired);

// The functions behind the calls of orrery/memory.h, for any space. sys_region_* call them for the
// caller's.
// readable: the caller may only read the memory.
s64 space_region_create(struct address_space *space, struct sys_region *region, struct fcm *memory,
                        bool readable);
s64 space_region_destroy(struct address_space *space, u64 address);
s64 space_region_resize(struct address_space *space, u64 address, u64 bytes);
s64 space_region_protect(struct address_space *space, u64 address, u64 bytes, u32 prot);
s64 space_region_commit(struct address_space *space, u64 address, u64 bytes, u32 prot);
s64 space_region_decommit(struct address_space *space, u64 address, u64 bytes);
s64 space_text_patch(struct address_space *space, u64 address, u32 old, u32 new);
s64 space_region_list(struct address_space *space, u64 *cursor, void *buffer, u64 bytes);

// ---- faults ------------------------------------------------------------------------------------

// A page that a fault waits for. done() runs in a thread when the page is there (0) or will not
// come (error).
struct fault_wait {
    struct fault_wait *next;
    void (*done)(struct fault_wait *wait, s64 status);
    struct address_space *space; // filled in by space_fault
};
enum fault_result {
    FAULT_RESOLVED, // retry
    FAULT_BAD,      // no region, or no right: an exception in the program
    FAULT_NO_MEMORY,
    FAULT_WAIT, // wait is queued; done() will be called
};
// In place of a wait: FAULT_WAIT, with nothing queued. For attempts that hardly ever have to wait.
#define FAULT_TRY ((struct fault_wait *)1)
// Handles a user address that could not be translated or was refused. access: PROT_R, PROT_W or
// PROT_X. With wait NULL the thread blocks, and FAULT_WAIT does not occur (kernel access). No lock
// held.
enum fault_result space_fault(struct address_space *space, u64 address, u32 access,
                              struct fault_wait *wait);

// ---- kernel access to user memory ---------------------------------------------------------------

// Copy from and to the current process. Return 0 or E_FAULT; they never fault. Addresses outside of
// USER_START … USER_END are E_FAULT. May block for a page.
s64 copy_from_user(void *to, u64 from, u64 bytes);
s64 copy_to_user(u64 to, const void *from, u64 bytes);
// Copies a NUL-terminated text of at most max bytes, NUL included. Returns its length; E_FAULT;
// E_INVAL: longer.
s64 copy_string_from_user(char *to, u64 from, u64 max);
// Access any space, page by page through the linear map, after making pages resident. Return 0,
// E_FAULT or E_NOMEM. space_write is the loader's: it also writes to private pages that the process
// itself may not write, and updates the instruction cache.
s64 space_read(struct address_space *space, void *to, u64 from, u64 bytes);
// Does as space_read, within one page, without waiting: E_FAULT if it is not resident.
s64 space_peek(struct address_space *space, void *to, u64 from, u64 bytes);
s64 space_write(struct address_space *space, u64 to, const void *from, u64 bytes);
// Handles a kernel-mode data fault on a user address, for the exception handler. Returns true:
// retry; false: fixup.
bool space_kernel_fault(const struct frame *frame);

// ---- memory objects ----------------------------------------------------------------------------

// References to FCMs, as capabilities hold them.
void fcm_hold(struct fcm *fcm);
void fcm_put(struct fcm *fcm);
// Gives back a short-lived reference. A file's server is not told, unless another reference has
// gone meanwhile.
void fcm_put_quietly(struct fcm *fcm);
// Returns the file with the caller's reference, if this process serves it. Else gives the reference
// back and returns NULL with *error: E_INVAL: not a file; E_PERM: another process's.
struct file *file_get_served(struct fcm *memory, u32 server, s64 *error);
void file_put_served(struct file *file);
// Creates anonymous memory (FCMComputation), or one of existing physical memory, like the initrd.
// Returns NULL if out of memory.
struct fcm *fcm_create_anonymous(const char *name, u64 bytes, bool distributed);
struct fcm *fcm_create_physical(const char *name, u64 physical, u64 bytes);
// Creates anonymous memory of resident pages that the kernel writes and processes can only read, in
// the caller's account. at: the kernel's (linear) address of each page.
struct fcm *fcm_create_published(const char *name, u64 pages, void *at[]);
u64 fcm_bytes(const struct fcm *fcm);
coid_t fcm_coid(const struct fcm *fcm);
bool fcm_is_anonymous(const struct fcm *fcm); // made by fcm_create_anonymous
// Gives all pages of anonymous memory frames, which stay as long as there is a reference. Stores
// their addresses, one a page. E_NOMEM or E_LIMIT. Thread context, no lock held.
s64 fcm_make_resident(struct fcm *fcm, u64 frames[]);
// Gives the calling process a capability for it, with the caller's reference. Returns the
// capability, or an error after it has given the reference back. fcm NULL: E_NOMEM.
s64 fcm_hand_out(struct fcm *fcm);
// Notes that the process with this pid has ended: waiting and later requests for pages of its files
// fail with E_PEER. Thread context, no lock held; from process end.
void memory_process_ended(u32 pid);

// Sets up MMU PIDs, the root PageManager and the zero page.
void memory_objects_init(void);

#endif
