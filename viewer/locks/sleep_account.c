// SPDX-License-Identifier: MIT
// The account of sleep locks' queues, record by record.
#include "locks/sleep_account.h"
#include "tools/memory.h"

#include <orrery/lower_bound.h>

#include <stdlib.h>
#include <string.h>

// ---- objects and queues ------------------------------------------------------------------------

static int compare_u64(u64 left, u64 right)
{
    return left < right ? -1 : left > right;
}

static int compare_object(const struct sleep_object *object, u32 pid, coid_t coid)
{
    int order = compare_u64(object->pid, pid);
    return order != 0 ? order : compare_u64(object->coid, coid);
}

static struct sleep_object *object_of(struct sleep_account *account, u32 pid, coid_t coid)
{
    size_t low = LOWER_BOUND(at, account->object_count,
                             compare_object(&account->objects[at], pid, coid) < 0);
    if (low < account->object_count && compare_object(&account->objects[low], pid, coid) == 0)
        return &account->objects[low];
    if (account->object_count == SLEEP_OBJECTS_MAX)
        return NULL;
    account->objects = memory_grow(account->objects, account->object_count,
                                   &account->object_capacity, sizeof(*account->objects));
    memmove(&account->objects[low + 1], &account->objects[low],
            (account->object_count++ - low) * sizeof(*account->objects));
    account->objects[low] = (struct sleep_object){.pid = pid, .coid = coid};
    return &account->objects[low];
}

static int compare_queue(const struct sleep_queue *at, u32 pid, coid_t coid, u64 queue)
{
    int order = compare_u64(at->pid, pid);
    order = order != 0 ? order : compare_u64(at->coid, coid);
    return order != 0 ? order : compare_u64(at->queue, queue);
}

// Returns the first queue that is not before this one.
static size_t place_of(const struct sleep_account *account, u32 pid, coid_t coid, u64 queue)
{
    return LOWER_BOUND(at, account->queue_count,
                       compare_queue(&account->queues[at], pid, coid, queue) < 0);
}

static u32 length_before(const struct sleep_record *record)
{
    bool longer = record->operation == SLEEP_ENQUEUE || record->operation == SLEEP_PRESENT;
    return longer ? record->length - (record->length > 0) : record->length + 1;
}

static struct sleep_queue *queue_of(struct sleep_account *account, u32 pid, coid_t coid,
                                    const struct sleep_record *record)
{
    size_t place = place_of(account, pid, coid, record->queue);
    if (place < account->queue_count &&
        compare_queue(&account->queues[place], pid, coid, record->queue) == 0)
        return &account->queues[place];
    if (account->queue_count == SLEEP_QUEUES_MAX)
        return NULL;
    account->queues = memory_grow(account->queues, account->queue_count, &account->queue_capacity,
                                  sizeof(*account->queues));
    memmove(&account->queues[place + 1], &account->queues[place],
            (account->queue_count++ - place) * sizeof(*account->queues));
    account->queues[place] = (struct sleep_queue){.pid = pid,
                                                  .coid = coid,
                                                  .queue = record->queue,
                                                  .changed = account->begin,
                                                  .length = length_before(record)};
    return &account->queues[place];
}

// ---- waits -------------------------------------------------------------------------------------

static struct sleep_thread *thread_of(struct sleep_queue *queue, u32 thread)
{
    for (size_t i = 0; i < queue->thread_count; i++) {
        if (queue->threads[i].thread == thread)
            return &queue->threads[i];
    }
    queue->threads = memory_grow(queue->threads, queue->thread_count, &queue->thread_capacity,
                                 sizeof(*queue->threads));
    queue->threads[queue->thread_count] = (struct sleep_thread){.thread = thread};
    return &queue->threads[queue->thread_count++];
}

static void count_wait(struct sleep_queue *queue, const struct sleep_member *member, u64 end)
{
    u64 ticks = end > member->since ? end - member->since : 0;
    struct sleep_thread *thread = thread_of(queue, member->thread);
    thread->waits++;
    thread->ticks += ticks;
    thread->longest = ticks > thread->longest ? ticks : thread->longest;
    queue->waits++;
    queue->ticks += ticks;
    queue->longest = ticks > queue->longest ? ticks : queue->longest;
}

static size_t member_place(const struct sleep_queue *queue, u32 thread)
{
    size_t place = 0;
    while (place < queue->member_count && queue->members[place].thread != thread)
        place++;
    return place;
}

static void remove_member(struct sleep_queue *queue, size_t place)
{
    memmove(&queue->members[place], &queue->members[place + 1],
            (--queue->member_count - place) * sizeof(*queue->members));
}

static void enter(struct sleep_queue *queue, u32 thread, u64 time)
{
    size_t place = member_place(queue, thread);
    if (place < queue->member_count) { // impossible: the end of the last wait was lost
        remove_member(queue, place);
        queue->unknown++;
    }
    queue->members = memory_grow(queue->members, queue->member_count, &queue->member_capacity,
                                 sizeof(*queue->members));
    queue->members[queue->member_count++] = (struct sleep_member){thread, time};
}

static void leave(struct sleep_queue *queue, u32 thread, u64 time)
{
    size_t place = member_place(queue, thread);
    if (place == queue->member_count) {
        queue->unknown++;
        return;
    }
    count_wait(queue, &queue->members[place], time);
    remove_member(queue, place);
}

// Forgets who waits in the queues of an object: records were lost, so nobody knows that any more.
static void forget_members(struct sleep_account *account, u32 pid, coid_t coid)
{
    for (size_t i = place_of(account, pid, coid, 0);
         i < account->queue_count && account->queues[i].pid == pid &&
         account->queues[i].coid == coid;
         i++)
        account->queues[i].member_count = 0;
}

static void advance(struct sleep_queue *queue, u64 time)
{
    if (time > queue->changed) {
        queue->length_ticks += (double)queue->length * (double)(time - queue->changed);
        queue->changed = time;
    }
}

static void keep_change(struct sleep_queue *queue, const struct sleep_record *record)
{
    queue->changes = memory_grow(queue->changes, queue->change_count, &queue->change_capacity,
                                 sizeof(*queue->changes));
    queue->changes[queue->change_count++] =
        (struct sleep_change){.time = record->time,
                              .thread = record->thread,
                              .length = record->length,
                              .operation = record->operation,
                              .lost = record->lost,
                              .count = (u32)queue->member_count,
                              .first = queue->change_member_count};
    for (size_t i = 0; i < queue->member_count; i++) {
        queue->change_members =
            memory_grow(queue->change_members, queue->change_member_count,
                        &queue->change_member_capacity, sizeof(*queue->change_members));
        queue->change_members[queue->change_member_count++] = queue->members[i].thread;
    }
}

// Returns whether there is room for one more thread, and for another change.
static bool has_room(const struct sleep_account *account, const struct sleep_queue *queue)
{
    if (queue->member_count == SLEEP_THREADS_MAX || queue->thread_count == SLEEP_THREADS_MAX)
        return false;
    return !account->keep_changes || (account->changes < SLEEP_CHANGES_MAX &&
                                      account->changed + queue->member_count < SLEEP_CHANGED_MAX);
}

// ---- what comes --------------------------------------------------------------------------------

void sleep_account_object(struct sleep_account *account, u32 pid, coid_t coid, u64 logged, u64 lost,
                          u64 buffer_bytes)
{
    struct sleep_object *object = object_of(account, pid, coid);
    if (object == NULL)
        return;
    object->logged = logged;
    object->lost = lost;
    object->buffer_bytes = buffer_bytes;
}

bool sleep_account_record(struct sleep_account *account, u32 pid, coid_t coid,
                          const struct sleep_record *record)
{
    if (record->operation == 0 || record->operation >= SLEEP_OPERATIONS)
        return false;
    struct sleep_object *object = object_of(account, pid, coid);
    if (object == NULL)
        return false;
    if (record->lost != 0) {
        forget_members(account, pid, coid);
        object->told += record->lost;
    }
    struct sleep_queue *queue = queue_of(account, pid, coid, record);
    if (queue == NULL || !has_room(account, queue))
        return false;
    advance(queue, record->time);
    queue->operations[record->operation]++;
    if (record->operation == SLEEP_ENQUEUE || record->operation == SLEEP_PRESENT)
        enter(queue, record->thread, record->time);
    else
        leave(queue, record->thread, record->time);
    queue->length = record->length;
    queue->length_max = record->length > queue->length_max ? record->length : queue->length_max;
    if (account->keep_changes) {
        keep_change(queue, record);
        account->changes++;
        account->changed += queue->member_count;
    }
    return true;
}

// ---- the end -----------------------------------------------------------------------------------

static int by_thread_time(const void *left, const void *right)
{
    const struct sleep_thread *a = left, *b = right;
    return a->ticks != b->ticks ? compare_u64(b->ticks, a->ticks)
                                : compare_u64(a->thread, b->thread);
}

static int by_queue_time(const void *left, const void *right)
{
    const struct sleep_queue *a = left, *b = right;
    return a->ticks != b->ticks ? compare_u64(b->ticks, a->ticks)
                                : compare_queue(a, b->pid, b->coid, b->queue);
}

static int by_object_time(const void *left, const void *right)
{
    const struct sleep_object *a = left, *b = right;
    return a->ticks != b->ticks ? compare_u64(b->ticks, a->ticks)
                                : compare_object(a, b->pid, b->coid);
}

static void end_queue(struct sleep_queue *queue, u64 end)
{
    advance(queue, end);
    for (size_t i = 0; i < queue->member_count; i++)
        count_wait(queue, &queue->members[i], end);
    queue->still = queue->member_count;
    if (queue->thread_count > 1)
        qsort(queue->threads, queue->thread_count, sizeof(*queue->threads), by_thread_time);
}

void sleep_account_end(struct sleep_account *account, u64 end)
{
    account->end = end;
    for (size_t i = 0; i < account->object_count; i++) {
        const struct sleep_object *object = &account->objects[i];
        if (object->lost > object->told) // lost after the last record
            forget_members(account, object->pid, object->coid);
    }
    for (size_t i = 0; i < account->queue_count; i++) {
        struct sleep_queue *queue = &account->queues[i];
        end_queue(queue, end);
        object_of(account, queue->pid, queue->coid)->ticks += queue->ticks;
    }
    if (account->queue_count > 1)
        qsort(account->queues, account->queue_count, sizeof(*account->queues), by_queue_time);
    if (account->object_count > 1)
        qsort(account->objects, account->object_count, sizeof(*account->objects), by_object_time);
}

void sleep_account_free(struct sleep_account *account)
{
    for (size_t i = 0; i < account->queue_count; i++) {
        free(account->queues[i].members);
        free(account->queues[i].threads);
        free(account->queues[i].changes);
        free(account->queues[i].change_members);
    }
    free(account->queues);
    free(account->objects);
    *account = (struct sleep_account){0};
}
