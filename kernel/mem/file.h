// SPDX-License-Identifier: MIT
// FCMFile: memory objects whose pages a server supplies. File pages are the root's, and the clean
// ones are what reclaim takes when memory is short.
#ifndef KERNEL_MEM_FILE_H
#define KERNEL_MEM_FILE_H

#include "fcm.h"
#include "reclaim.h"

struct endpoint;
struct fr;

// Those who wait for one page.
struct file_request {
    struct file_request *next;
    u64 page;
    bool sent; // the server has been asked
    struct fault_wait *waiters;
};

struct file {
    struct fcm fcm; // its users_lock guards the requests too
    struct fr *fr;
    u32 server;          // pid of the process that supplies the pages
    volatile bool dead;  // it has ended
    volatile bool retry; // something could not be sent yet
    volatile bool dirty; // there may be dirty pages that the server has not been told of
    volatile bool gone;  // FILE_GONE is still to be sent
    struct file_request *requests;
    struct reclaimable reclaimable;
    u64 hand;                     // page where reclaim goes on
    struct file *next, *previous; // all files
};

static inline struct file *file_of(struct fcm *fcm)
{
    return (struct file *)fcm;
}

// Starts the thread that sends later what could not be sent at once. With the first file. Returns 0
// or E_NOMEM.
s64 pager_start(void);
// Has it try again soon. After what is to be sent has been stored.
void pager_later(void);
// Makes a file, which takes over fr. Returns NULL if out of memory; fr is then still the caller's.
struct file *file_create(const char *name, u64 bytes, u32 server, struct fr *fr);
bool fcm_is_file(const struct fcm *fcm);

// ---- pages (file_pages.c) -----------------------------------------------------------------------
// The three below: thread context, no lock held, for the server. supply: see sys_file_supply. take:
// E_NOENT when the page is not there.
s64 file_supply(struct file *file, u64 page, const void *from, s64 status);
s64 file_take(struct file *file, u64 page, void *to);
void file_resize(struct file *file, u64 bytes, bool invalidate);

// Finds the next dirty page at or after *page that the server has not been told of, and marks it as
// told. file_mark_unwritten takes the mark back.
bool file_next_unwritten(struct file *file, u64 *page);
void file_mark_unwritten(struct file *file, u64 page);

// Returns whether a page is to go. It may unmap the page and change its entry, which has a frame.
// The caller holds the page's lock.
typedef bool file_page_test(struct file *file, u64 page, u64 *entry);
// Frees the frames of one leaf, or of all from the one with page first on, of those that which()
// names; the first tells how many. Thread context, no lock of a page held.
u32 file_drop_leaf(struct file *file, struct page_leaf *leaf, file_page_test *which);
void file_drop(struct file *file, u64 first, file_page_test *which);
// Unmaps a frame from all regions. The caller holds the page's lock.
void file_unmap_page(struct file *file, u64 page, u64 frame);

// ---- fault-around (file_around.c) ---------------------------------------------------------------
// Maps pages beside one that a fault has mapped to be read, with prot. Only pages that are there,
// in the same leaf and 64 KB, and as the region has them. With the lock of the page held, and of
// the region's own page if it has some.
void file_map_around(struct file *file, struct fault *fault, struct page_leaf *leaf, u64 page,
                     u32 prot);

// ---- reclaim (file_reclaim.c) -------------------------------------------------------------------
// Makes the file's clean pages reclaimable, until reclaim_remove. Thread context, no lock held.
void file_reclaim_begin(struct file *file);

// ---- requests (file_request.c) ------------------------------------------------------------------
// Queues a wait for a page that is not there; FAULT_WAIT, FAULT_BAD when the server or the space is
// ending, FAULT_NO_MEMORY. Whoever called fault() then calls file_pump. The page's lock is held.
s64 file_wait(struct file *file, u64 page, struct fault_wait *wait);
// Ends the waits for a page.
void file_complete(struct file *file, u64 page, s64 status);
void file_complete_all(struct file *file, s64 status);
// Sends what the server has to be told, as far as its queue has room. The rest follows later by
// itself.
void file_pump(struct file *file);
// Tells E_PEER to whoever of this space waits for a page. Thread context, no lock held.
void files_cancel_waits(struct address_space *space);
// Add a file to the list of all files, and remove it.
void files_add(struct file *file);
void files_remove(struct file *file);
// Calls work for each file of a server, or of all (0), that wants() it, with a reference held.
void files_each(bool (*wants)(struct file *file, u64 argument), u64 argument,
                void (*work)(struct file *file));

// ---- FR (fr.c) ----------------------------------------------------------------------------------
// Makes a File Representative, by which the kernel speaks to a file's server. It takes a reference
// to the endpoint of its own. Returns NULL if out of memory.
struct fr *fr_create(struct endpoint *endpoint, u64 token);
void fr_destroy(struct fr *fr); // no call is under way any more, or it holds a generation
coid_t fr_coid(const struct fr *fr);
// Sends FILE_FETCH, FILE_WRITE or FILE_GONE. Returns 0, E_AGAIN if the server's queue is full,
// E_PEER or E_NOMEM. No lock held.
s64 fr_tell(struct fr *fr, u64 what, u64 offset);
// Sends MEMORY_GONE, if need be later, and then ends the FR. No lock held.
void fr_memory_gone(struct fr *fr, u64 bytes);
void frs_retry(void); // for the pager

#endif
