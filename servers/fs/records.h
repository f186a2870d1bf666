// SPDX-License-Identifier: MIT
// Record locks: ranges of bytes of files that processes have for themselves, or share for reading.
// They bind those alone who ask for them. Any thread.
#ifndef FS_RECORDS_H
#define FS_RECORDS_H

#include "node.h"

#define RECORDS_OF_PROCESS_MAX 256 // locks
#define RECORDS_WAITS_MAX 16       // calls of a process that wait
#define RECORDS_MAX 8192           // locks of all
#define RECORDS_ALL_WAITS_MAX 256  // calls of all
#define RECORDS_RESERVED 4         // the last of as many parts: for processes that have a right

// A lock, or what is asked for. The kind is FS_LOCK_READ or FS_LOCK_WRITE.
struct record_range {
    u32 pid, kind;
    u64 start, last; // bytes
};

// Gives the process the range, in place of what it has there; FS_LOCK_NONE: takes that away.
// call: the request that waits, as fs_server_lock's, if others have what is in the way; 0: it does
// not. Returns 0, E_AGAIN (others have it), E_BUSY (it would wait for itself), E_LIMIT, E_NOMEM or
// IPC_LATER.
s64 records_set(struct node *node, const struct record_range *range, u64 call);
// Changes *range into a lock of another process that is in its way, the first by start. Returns
// false if there is none.
bool records_find(struct node *node, struct record_range *range);
// The process has closed the file: what it has there goes.
void records_close(struct node *node, u32 pid);
bool records_any(void); // whether that has anything to do
// Ends what belongs to processes that have ended.
void records_sweep(bool (*alive)(u32 pid, void *context), void *context);

#endif
