// SPDX-License-Identifier: MIT
// The account of sleep locks' queues, from the records of their logs: who waited where, how often,
// how long. It trusts nothing in a record.
#ifndef KOV_SLEEP_ACCOUNT_H
#define KOV_SLEEP_ACCOUNT_H

#include <orrery/types.h>

// Limits, so that no machine can fill the memory. Records beyond them are refused.
#define SLEEP_OBJECTS_MAX 65536
#define SLEEP_QUEUES_MAX 65536
#define SLEEP_THREADS_MAX 16384      // of one queue
#define SLEEP_CHANGES_MAX (1u << 20) // of all queues together
#define SLEEP_CHANGED_MAX (1u << 24) // members after each change, of all queues together

enum sleep_operation { // as in the protocol
    SLEEP_ENQUEUE = 1,
    SLEEP_DEQUEUE = 2,
    SLEEP_WAKEUP = 3,
    SLEEP_PRESENT = 4,
    SLEEP_OPERATIONS
};

struct sleep_record {
    u64 time;
    u64 queue;
    u32 thread, length;
    u32 operation; // enum sleep_operation
    u32 lost;      // records of the object that were lost just before this one
};

struct sleep_object {
    u32 pid;
    coid_t coid;
    u64 logged, lost, buffer_bytes; // as the machine tells them
    u64 told;                       // the lost ones that its records have told
    u64 ticks;                      // waiting time of its queues
};

struct sleep_thread {
    u32 thread;
    u64 waits, ticks, longest;
};

struct sleep_member {
    u32 thread;
    u64 since;
};

// A change of a queue. After it, the queue's members are members[first … first + count - 1].
struct sleep_change {
    u64 time;
    u32 thread, length, operation, lost;
    u32 count;
    size_t first;
};

struct sleep_queue {
    u32 pid;
    coid_t coid;
    u64 queue;                        // address of the lock word
    u64 operations[SLEEP_OPERATIONS]; // number of records of each
    u64 waits;                        // those of known length, and those that last until the end
    u64 ticks, longest;               // of these waits: all together, the longest
    u64 unknown;                      // waits of which a part was lost
    u64 still;                        // waits that have not ended yet
    u32 length, length_max;           // threads in it: now, at most
    u64 changed;                      // time of the last change
    double length_ticks;              // integral of the length over time
    struct sleep_member *members;     // now
    size_t member_count, member_capacity;
    struct sleep_thread *threads; // after sleep_account_end: longest waiting time first
    size_t thread_count, thread_capacity;
    struct sleep_change *changes; // only when the account keeps them
    size_t change_count, change_capacity;
    u32 *change_members;
    size_t change_member_count, change_member_capacity;
};

struct sleep_account {
    bool keep_changes;
    u64 begin, end;               // time base
    size_t changes, changed;      // how many are kept: changes, members after them
    struct sleep_object *objects; // by pid, then COID; after the end: longest waiting time first
    size_t object_count, object_capacity;
    struct sleep_queue *queues; // by pid, COID and queue; after the end like the objects
    size_t queue_count, queue_capacity;
};

// Adds what the machine tells of an object. `lost` counts since the logging began. If more records
// were lost than the object's records have told, a later record tells the rest.
void sleep_account_object(struct sleep_account *account, u32 pid, coid_t coid, u64 logged, u64 lost,
                          u64 buffer_bytes);
// Adds the object's next record. Returns false if it is impossible, or if there is no room.
bool sleep_account_record(struct sleep_account *account, u32 pid, coid_t coid,
                          const struct sleep_record *record);
// Ends the account after the last record. Waits that have not ended count up to `end`. Sorts
// objects, queues and threads.
void sleep_account_end(struct sleep_account *account, u64 end);
void sleep_account_free(struct sleep_account *account);

#endif
