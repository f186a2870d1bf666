// SPDX-License-Identifier: MIT
// The table of record locks. One lock guards all of it: it is short, and no read or write asks for
// it.
#include "records.h"

#include <ipc/fs.h>
#include <stdlib.h>
#include <user/ipc.h>
#include <user/process.h>

#define BUCKETS 64

// A process that has locks, or waits.
struct owner {
    struct owner *next;
    u32 pid;
    u32 records, waits;
    bool used;          // by a call that is under way
    bool seen;          // by a search for who waits for whom
    struct owner *todo; // there
};

struct record {
    struct record *next; // of the bucket: by start
    struct node *node;   // held
    struct owner *owner;
    u32 kind;
    u64 start, last;
};

struct waiting {
    struct waiting *next; // in order of arrival
    struct node *node;    // held
    struct owner *owner;
    u64 call;
    struct record_range range;
};

static struct {
    struct mutex lock;
    struct record *records[BUCKETS];
    struct owner *owners[BUCKETS];
    struct waiting *waiting;
    u32 record_count, wait_count;
} table;

static struct record **bucket_of(const struct node *node)
{
    return &table.records[node->id % BUCKETS];
}

// ---- owners ------------------------------------------------------------------------------------

static struct owner *find_owner(u32 pid)
{
    struct owner *owner = table.owners[pid % BUCKETS];
    while (owner != NULL && owner->pid != pid)
        owner = owner->next;
    return owner;
}

static struct owner *owner_of(u32 pid)
{
    struct owner *owner = find_owner(pid);
    if (owner == NULL && (owner = calloc(1, sizeof(*owner))) != NULL) {
        owner->pid = pid;
        owner->next = table.owners[pid % BUCKETS];
        table.owners[pid % BUCKETS] = owner;
    }
    return owner;
}

// Frees an owner that has nothing.
static void owner_free_empty(struct owner *owner)
{
    if (owner->records > 0 || owner->waits > 0 || owner->used)
        return;
    struct owner **link = &table.owners[owner->pid % BUCKETS];
    while (*link != owner)
        link = &(*link)->next;
    *link = owner->next;
    free(owner);
}

// ---- who is in whose way ------------------------------------------------------------------------

static bool in_the_way(const struct record *record, const struct node *node,
                       const struct record_range *range)
{
    return record->node == node && record->owner->pid != range->pid &&
           record->start <= range->last && record->last >= range->start &&
           (record->kind == FS_LOCK_WRITE || range->kind == FS_LOCK_WRITE);
}

// Returns the first lock behind after (NULL: of all) that is in the way, or NULL.
static const struct record *next_in_the_way(struct node *node, const struct record_range *range,
                                            const struct record *after)
{
    const struct record *record = after != NULL ? after->next : *bucket_of(node);
    while (record != NULL && !in_the_way(record, node, range))
        record = record->next;
    return record;
}

// Puts the owners of what is in the way before todo, those that have not been seen.
static struct owner *add_blockers(struct node *node, const struct record_range *range,
                                  struct owner *todo)
{
    const struct record *record = NULL;
    while ((record = next_in_the_way(node, range, record)) != NULL) {
        struct owner *owner = record->owner;
        if (owner->seen)
            continue;
        owner->seen = true;
        owner->todo = todo;
        todo = owner;
    }
    return todo;
}

// Would the process, if it waited, wait for itself? Looks at each owner once.
static bool would_wait_for_itself(struct node *node, const struct record_range *range)
{
    for (u32 i = 0; i < BUCKETS; i++) {
        for (struct owner *owner = table.owners[i]; owner != NULL; owner = owner->next)
            owner->seen = false;
    }
    struct owner *todo = add_blockers(node, range, NULL);
    while (todo != NULL) {
        const struct owner *owner = todo;
        todo = owner->todo;
        if (owner->pid == range->pid)
            return true;
        for (struct waiting *waiting = table.waiting; waiting != NULL && owner->waits > 0;
             waiting = waiting->next) {
            if (waiting->owner == owner)
                todo = add_blockers(waiting->node, &waiting->range, todo);
        }
    }
    return false;
}

// ---- ranges ------------------------------------------------------------------------------------

static bool may_have(const struct owner *owner, u32 more)
{
    u32 all = table.record_count + more;
    return owner->records + more <= RECORDS_OF_PROCESS_MAX && all <= RECORDS_MAX &&
           (all <= RECORDS_MAX - RECORDS_MAX / RECORDS_RESERVED ||
            process_has_right(owner->pid, RIGHT_ALL));
}

static void insert(struct record *record)
{
    struct record **link = bucket_of(record->node);
    while (*link != NULL && (*link)->start < record->start)
        link = &(*link)->next;
    record->next = *link;
    *link = record;
}

static void add(struct record *record, struct node *node, struct owner *owner, u32 kind, u64 start,
                u64 last)
{
    *record =
        (struct record){.node = node, .owner = owner, .kind = kind, .start = start, .last = last};
    node_hold(node);
    owner->records++;
    table.record_count++;
    insert(record);
}

static void remove_at(struct record **link)
{
    struct record *record = *link;
    *link = record->next;
    record->owner->records--;
    table.record_count--;
    node_put(record->node);
    free(record);
}

// The range and those of the same kind that it touches become one.
static struct record_range merged(const struct node *node, const struct record_range *range)
{
    struct record_range all = *range;
    for (const struct record *record = *bucket_of(node); record != NULL; record = record->next) {
        if (record->node != node || record->owner->pid != range->pid ||
            record->kind != range->kind ||
            (record->start > range->last && record->start - 1 > range->last) ||
            (record->last < range->start && record->last + 1 < range->start))
            continue;
        all.start = record->start < all.start ? record->start : all.start;
        all.last = record->last > all.last ? record->last : all.last;
    }
    return all;
}

// Returns the process's lock that the range leaves on both sides, or NULL.
static struct record *split_by(const struct node *node, const struct record_range *range)
{
    struct record *record = *bucket_of(node);
    while (record != NULL && (record->node != node || record->owner->pid != range->pid ||
                              record->start >= range->start || record->last <= range->last))
        record = record->next;
    return record;
}

// Takes the range out of the process's locks, none of which it splits.
static void carve(const struct node *node, const struct record_range *range)
{
    struct record *moved = NULL;
    for (struct record **link = bucket_of(node); *link != NULL;) {
        struct record *record = *link;
        bool touched = record->node == node && record->owner->pid == range->pid &&
                       record->start <= range->last && record->last >= range->start;
        if (touched && record->start >= range->start && record->last <= range->last) {
            remove_at(link);
            continue;
        }
        if (touched && record->start < range->start)
            record->last = range->start - 1;
        else if (touched) { // it begins behind the range from now on: at most one does
            *link = record->next;
            record->start = range->last + 1;
            moved = record;
            continue;
        }
        link = &record->next;
    }
    if (moved != NULL)
        insert(moved);
}

// Returns how many of the process's locks lie in the range.
static u32 covered_by(const struct node *node, const struct record_range *range)
{
    u32 count = 0;
    for (const struct record *record = *bucket_of(node); record != NULL; record = record->next)
        count += record->node == node && record->owner->pid == range->pid &&
                 record->start >= range->start && record->last <= range->last;
    return count;
}

// Sets what nobody is in the way of.
static s64 set(struct node *node, struct owner *owner, const struct record_range *asked)
{
    struct record_range range = merged(node, asked);
    struct record *both = split_by(node, &range), *spares[2] = {NULL, NULL};
    u32 more = (range.kind != FS_LOCK_NONE) + (both != NULL), less = covered_by(node, &range);
    if (more > less && !may_have(owner, more - less))
        return E_LIMIT;
    for (u32 i = 0; i < more; i++) {
        if ((spares[i] = malloc(sizeof(struct record))) == NULL) {
            free(spares[0]);
            return E_NOMEM;
        }
    }
    if (both != NULL) {
        u64 last = both->last;
        both->last = range.start - 1;
        add(spares[--more], node, owner, both->kind, range.last + 1, last);
    }
    carve(node, &range);
    if (more > 0)
        add(spares[0], node, owner, range.kind, range.start, range.last);
    return 0;
}

// ---- calls that wait ----------------------------------------------------------------------------

static void answer_at(struct waiting **link, s64 status)
{
    struct waiting *waiting = *link;
    *link = waiting->next;
    waiting->owner->waits--;
    table.wait_count--;
    fs_answer_lock(waiting->call, status);
    owner_free_empty(waiting->owner);
    node_put(waiting->node);
    free(waiting);
}

// Gives those that wait what nobody is in the way of any more. What one gets can make way for
// others: it may have had more there before.
static void serve(void)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (struct waiting **link = &table.waiting; *link != NULL;) {
            struct waiting *waiting = *link;
            if (sys_process_rights(waiting->owner->pid) < 0) { // no sweep has come along yet
                answer_at(link, E_STALE);
                continue;
            }
            if (next_in_the_way(waiting->node, &waiting->range, NULL) != NULL) {
                link = &waiting->next;
                continue;
            }
            answer_at(link, set(waiting->node, waiting->owner, &waiting->range));
            moved = true;
        }
    }
}

static s64 put_aside(struct node *node, struct owner *owner, const struct record_range *range,
                     u64 call)
{
    if (would_wait_for_itself(node, range))
        return E_BUSY;
    u32 most = RECORDS_ALL_WAITS_MAX;
    if (!process_has_right(owner->pid, RIGHT_ALL))
        most -= most / RECORDS_RESERVED;
    if (owner->waits == RECORDS_WAITS_MAX || table.wait_count >= most)
        return E_LIMIT;
    struct waiting *waiting = malloc(sizeof(*waiting)), **link = &table.waiting;
    if (waiting == NULL)
        return E_NOMEM;
    *waiting = (struct waiting){.node = node, .owner = owner, .call = call, .range = *range};
    node_hold(node);
    while (*link != NULL)
        link = &(*link)->next;
    *link = waiting;
    owner->waits++;
    table.wait_count++;
    return IPC_LATER;
}

// ---- what others call ---------------------------------------------------------------------------

static s64 set_or_wait(struct node *node, struct owner *owner, const struct record_range *range,
                       u64 call)
{
    if (range->kind != FS_LOCK_NONE && next_in_the_way(node, range, NULL) != NULL)
        return call == 0 ? E_AGAIN : put_aside(node, owner, range, call);
    s64 status = set(node, owner, range);
    serve(); // less than before may be taken
    return status;
}

static bool is_other(u32 pid, void *context)
{
    return pid != *(const u32 *)context;
}

s64 records_set(struct node *node, const struct record_range *range, u64 call)
{
    s64 status = E_NOMEM;
    mutex_lock(&table.lock);
    struct owner *owner = owner_of(range->pid);
    if (owner != NULL) {
        owner->used = true;
        status = set_or_wait(node, owner, range, call);
        owner->used = false;
        owner_free_empty(owner);
    }
    mutex_unlock(&table.lock);
    // A sweep has the locks of who ends after this. Who ended before is found here.
    u32 pid = range->pid;
    if (sys_process_rights(pid) < 0)
        records_sweep(is_other, &pid);
    return status;
}

bool records_find(struct node *node, struct record_range *range)
{
    mutex_lock(&table.lock);
    const struct record *record = next_in_the_way(node, range, NULL);
    if (record != NULL)
        *range = (struct record_range){.pid = record->owner->pid,
                                       .kind = record->kind,
                                       .start = record->start,
                                       .last = record->last};
    mutex_unlock(&table.lock);
    return record != NULL;
}

bool records_any(void)
{
    return __atomic_load_n(&table.record_count, __ATOMIC_RELAXED) > 0 ||
           __atomic_load_n(&table.wait_count, __ATOMIC_RELAXED) > 0;
}

// Removes locks of a bucket that a function chooses.
static void remove_if(u64 bucket, bool (*chosen)(const struct record *record, void *context),
                      void *context)
{
    for (struct record **link = &table.records[bucket]; *link != NULL;) {
        struct owner *owner = (*link)->owner;
        if (!chosen(*link, context)) {
            link = &(*link)->next;
            continue;
        }
        remove_at(link);
        owner_free_empty(owner);
    }
}

struct closing {
    const struct node *node;
    u32 pid;
};

static bool is_closing(const struct record *record, void *context)
{
    const struct closing *closing = context;
    return record->node == closing->node && record->owner->pid == closing->pid;
}

void records_close(struct node *node, u32 pid)
{
    struct closing closing = {.node = node, .pid = pid};
    mutex_lock(&table.lock);
    if (find_owner(pid) != NULL) {
        remove_if(node->id % BUCKETS, is_closing, &closing);
        serve();
    }
    mutex_unlock(&table.lock);
}

struct sweep {
    bool (*alive)(u32 pid, void *context);
    void *context;
};

static bool has_ended(const struct record *record, void *context)
{
    const struct sweep *sweep = context;
    return !sweep->alive(record->owner->pid, sweep->context);
}

void records_sweep(bool (*alive)(u32 pid, void *context), void *context)
{
    struct sweep sweep = {.alive = alive, .context = context};
    if (!records_any())
        return;
    mutex_lock(&table.lock);
    for (struct waiting **link = &table.waiting; *link != NULL;) {
        if (alive((*link)->owner->pid, context))
            link = &(*link)->next;
        else
            answer_at(link, E_STALE);
    }
    for (u64 i = 0; i < BUCKETS; i++)
        remove_if(i, has_ended, &sweep);
    serve();
    mutex_unlock(&table.lock);
}
