// SPDX-License-Identifier: MIT
// The account of sleep locks' queues, from the records of their logs: who waited where, how often,
// how long. Nothing in a record is trusted.
#ifndef KOV_SLEEP_ACCOUNT_H
#define KOV_SLEEP_ACCOUNT_H

#include <orrery/types.h>

// What there is room for. Records beyond are refused, so that no machine can fill the memory.
#define SLEEP_OBJECTS_MAX 65536
#define SLEEP_QUEUES_MAX 65536
#define SLEEP_THREADS_MAX 16384      // of a queue
#define SLEEP_CHANGES_MAX (1u << 20) // of all queues together, and
#define SLEEP_CHANGED_MAX (1u << 24) // the members after each

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
    u32 lost;      // records of the object just before this one
};

struct sleep_object {
    u32 pid;
    coid_t coid;
    u64 logged, lost, buffer_bytes; // as the machine tells
    u64 told;                       // of the lost ones, by its records
    u64 ticks;                      // of its queues
};

struct sleep_thread {
    u32 thread;
    u64 waits, ticks, longest;
};

struct sleep_member {
    u32 thread;
    u64 since;
};

// A change of a queue. Its members afterwards are members[first … first + count - 1] of the queue.
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
    u64 operations[SLEEP_OPERATIONS]; // how many records of each
    u64 waits;                        // whose length is known, or that last until the end
    u64 ticks, longest;               // of these: all together, the longest
    u64 unknown;                      // waits of which a part was lost
    u64 still;                        // waits that have not ended
    u32 length, length_max;           // threads in it: last, most
    u64 changed;                      // time of the last change
    double length_ticks;              // integral of the length over time
    struct sleep_member *members;     // now
    size_t member_count, member_capacity;
    struct sleep_thread *threads; // after sleep_account_end: those that waited most come first
    size_t thread_count, thread_capacity;
    struct sleep_change *changes; // only when the account keeps them
    size_t change_count, change_capacity;
    u32 *change_members;
    size_t change_member_count, change_member_capacity;
};

struct sleep_account {
    bool keep_changes;
    u64 begin, end;               // time base
    size_t changes, changed;      // that are kept: changes, members after them
    struct sleep_object *objects; // by pid, then COID; after the end: longest waiting time first
    size_t object_count, object_capacity;
    struct sleep_queue *queues; // by pid, COID and queue; after the end as the objects
    size_t queue_count, queue_capacity;
};

// What the machine tells of an object; lost: since the logging began. When more was lost than its
// records have told, the rest comes with a later record.
void sleep_account_object(struct sleep_account *account, u32 pid, coid_t coid, u64 logged, u64 lost,
                          u64 buffer_bytes);
// The object's next record. False: it is none that can be, or there is no room.
bool sleep_account_record(struct sleep_account *account, u32 pid, coid_t coid,
                          const struct sleep_record *record);
// The last record has come: waits that have not ended count up to `end`. Sorts.
void sleep_account_end(struct sleep_account *account, u64 end);
void sleep_account_free(struct sleep_account *account);

#endif
