// SPDX-License-Identifier: MIT
// Reclaim: a ring of memory objects; each is asked in turn,
// and goes round its own pages in the manner of a clock.
#include "reclaim.h"

#include <kernel/spinlock.h>
#include <stddef.h>

static struct spinlock lock = SPINLOCK_INIT("reclaim", RANK_FCM);
static struct reclaimable *hand; // the next one to ask; circular
static u64 objects;

void reclaim_add(struct reclaimable *object)
{
    spin_lock(&lock);
    if (hand == NULL) {
        object->next = object;
        hand = object;
    } else {
        object->next = hand->next;
        hand->next = object;
    }
    objects++;
    spin_unlock(&lock);
}

void reclaim_remove(struct reclaimable *object)
{
    spin_lock(&lock);
    struct reclaimable *before = object;
    while (before->next != object)
        before = before->next;
    before->next = object->next;
    if (hand == object)
        hand = before == object ? NULL : before;
    objects--;
    spin_unlock(&lock);
}

// Returns the next object that is not ending, held, or NULL.
static struct reclaimable *next_object(void)
{
    struct reclaimable *found = NULL;

    spin_lock(&lock);
    for (u64 i = 0; i < objects && found == NULL; i++) {
        hand = hand->next;
        if (hand->hold(hand))
            found = hand;
    }
    spin_unlock(&lock);
    return found;
}

// Two rounds: the first may find only pages that were used lately, and marks them.
u64 reclaim_pages(u64 pages)
{
    u64 freed = 0;

    for (u64 tries = 2 * objects; tries > 0 && freed < pages; tries--) {
        struct reclaimable *object = next_object();
        if (object == NULL)
            break;
        freed += object->reclaim(object, pages - freed);
        object->put(object);
    }
    return freed;
}
