// SPDX-License-Identifier: MIT
// Contents of files as memory that their users share.
#include "share.h"

#include "pages.h"

#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdlib.h>
#include <user/ipc.h>
#include <user/time.h>

static struct {
    struct mutex lock; // guards all this, and every node's share and every state's writer
    cap_t memory;
    u64 id; // 0: there are no states so far
    struct fs_state *states;
    u64 taken[(SHARES_MAX + 63) / 64];
} shares;

static cap_t kernel_endpoint;

void share_start(cap_t endpoint)
{
    kernel_endpoint = endpoint;
}

static struct fs_state *state_of(const struct share *share)
{
    return &shares.states[share->index];
}

// ---- memory ------------------------------------------------------------------------------------

// Maps memory with all its pages. A page that was allocated at its first use could be refused,
// which would end this server.
static void *map(cap_t memory, u64 bytes)
{
    struct sys_region region = {
        .bytes = bytes, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};
    if (sys_region_create(0, &region) != 0)
        return NULL;
    if (sys_region_commit(region.address, bytes, region.prot) == 0)
        return (void *)(uintptr_t)region.address;
    sys_region_destroy(region.address);
    return NULL;
}

static void *make(const char *name, u64 bytes, cap_t *memory)
{
    s64 made = sys_memory_new(name, bytes);
    if (made < 0)
        return NULL;
    *memory = (cap_t)made;
    void *at = map(*memory, bytes);
    if (at == NULL)
        sys_cap_drop(*memory);
    return at;
}

// Makes the states, with the lock held. Only this server's own mapping can write, because it is
// made before the seal.
static bool make_states(void)
{
    if (shares.id != 0)
        return true;
    void *at = make("file states", FS_STATES_BYTES, &shares.memory);
    if (at == NULL)
        return false;
    if (sys_memory_seal(shares.memory) != 0) {
        sys_region_destroy((uintptr_t)at);
        sys_cap_drop(shares.memory);
        return false;
    }
    shares.states = at;
    shares.id = time_now() | 1;
    return true;
}

static bool take_index(u32 *index)
{
    for (u32 i = 0; i < SHARES_MAX; i++) {
        if ((shares.taken[i / 64] & 1UL << i % 64) != 0)
            continue;
        shares.taken[i / 64] |= 1UL << i % 64;
        *index = i;
        return true;
    }
    return false;
}

static void return_index(u32 index)
{
    mutex_lock(&shares.lock);
    shares.taken[index / 64] &= ~(1UL << index % 64);
    mutex_unlock(&shares.lock);
}

// Ends the account of a share whose memory has ended.
static void share_close(struct share *share)
{
    pages_return(share->bytes / PAGE);
    ipc_badge_destroy(share->badge);
    free(share);
}

static s64 on_gone(struct ipc_request *request)
{
    if (request->call != 0 || request->pid != 0)
        return E_NOTSUP; // only the kernel tells
    share_close(request->context);
    return 0;
}

// Makes the memory, of which the kernel tells when it has ended. Returns false if it cannot.
static bool make_contents(struct share *share)
{
    share->base = make("file contents", share->bytes, &share->memory);
    if (share->base == NULL)
        return false;
    if (sys_memory_watch(share->memory, kernel_endpoint, share->badge) == 0)
        return true;
    sys_region_destroy((uintptr_t)share->base);
    sys_cap_drop(share->memory);
    return false;
}

static bool make_watched(struct share *share)
{
    if (ipc_badge_create(on_gone, share, &share->badge) != 0)
        return false;
    if (make_contents(share))
        return true;
    ipc_badge_destroy(share->badge);
    return false;
}

struct share *share_create(u64 bytes)
{
    struct share *share = calloc(1, sizeof(*share));
    if (share == NULL)
        return NULL;
    share->references = 1;
    share->bytes = bytes;
    mutex_lock(&shares.lock);
    bool taken = make_states() && take_index(&share->index);
    mutex_unlock(&shares.lock);
    if (taken && pages_take(bytes / PAGE)) {
        if (make_watched(share))
            return share;
        pages_return(bytes / PAGE);
    }
    if (taken)
        return_index(share->index);
    free(share);
    return NULL;
}

void share_hold(struct share *share)
{
    __atomic_add_fetch(&share->references, 1, __ATOMIC_RELAXED);
}

void share_put(struct share *share)
{
    if (__atomic_sub_fetch(&share->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    sys_region_destroy((uintptr_t)share->base);
    return_index(share->index);
    // If clients still hold the memory, on_gone settles, perhaps before this returns.
    if (sys_memory_leave(share->memory) != 1)
        share_close(share);
}

// ---- changes -----------------------------------------------------------------------------------

// The sequence is odd from before the first store of a change until after the last one.
void share_begin(const struct share *share)
{
    if (share == NULL)
        return;
    struct fs_state *state = state_of(share);
    __atomic_store_n(&state->sequence, state->sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void share_end(const struct share *share, u64 bytes, u64 span)
{
    if (share == NULL)
        return;
    struct fs_state *state = state_of(share);
    __atomic_store_n(&state->bytes, bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&state->span, span, __ATOMIC_RELAXED);
    __atomic_store_n(&state->sequence, state->sequence + 1, __ATOMIC_RELEASE);
}

// Sets the node's time. While the lock is free, a state has the same time and links as its node.
static void set_time(struct node *node, u64 date)
{
    node->time = date;
    if (node->share != NULL)
        __atomic_store_n(&state_of(node->share)->time, date, __ATOMIC_RELAXED);
}

static void set_links(const struct node *node)
{
    u64 links = __atomic_load_n(&node->parent, __ATOMIC_RELAXED) != NULL;
    __atomic_store_n(&state_of(node->share)->links, links, __ATOMIC_RELAXED);
}

void share_touch(struct node *node)
{
    if (node->share == NULL) { // and none comes meanwhile, because the file is locked
        node->time = time_date();
        return;
    }
    mutex_lock(&shares.lock);
    set_time(node, time_date());
    mutex_unlock(&shares.lock);
}

// Either this sees a new share, or share_set sees the new name.
void share_named(struct node *node)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&node->share, __ATOMIC_RELAXED) == NULL)
        return;
    mutex_lock(&shares.lock);
    if (node->share != NULL)
        set_links(node);
    mutex_unlock(&shares.lock);
}

// ---- who may write -----------------------------------------------------------------------------

static void set_writer(const struct share *share, u64 ticket)
{
    __atomic_store_n(&state_of(share)->writer, ticket, __ATOMIC_SEQ_CST);
}

void share_set(struct node *node, struct share *share)
{
    mutex_lock(&shares.lock);
    struct share *before = node->share;
    if (before != NULL)
        set_writer(before, 0);
    __atomic_store_n(&node->share, share, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (share != NULL) {
        set_time(node, node->time);
        set_links(node);
    }
    mutex_unlock(&shares.lock);
    if (before == NULL)
        return;
    share_begin(before);
    share_end(before, 0, 0);
    share_put(before);
}

s64 share_grant(struct node *node, const struct share *share, u64 ticket, bool sole)
{
    mutex_lock(&shares.lock);
    s64 status = share != NULL && node->share == share ? 0 : E_AGAIN;
    if (status == 0) {
        bool alone = sole && !__atomic_load_n(&node->mapped, __ATOMIC_SEQ_CST) &&
                     __atomic_load_n(&node->openings, __ATOMIC_SEQ_CST) == 1;
        node->written |= alone;
        set_writer(share, alone ? ticket : 0);
        set_time(node, time_date());
    }
    mutex_unlock(&shares.lock);
    return status;
}

void share_revoke(struct node *node)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&node->share, __ATOMIC_RELAXED) == NULL)
        return;
    mutex_lock(&shares.lock);
    if (node->share != NULL)
        set_writer(node->share, 0);
    mutex_unlock(&shares.lock);
}

bool share_was_written(struct node *node)
{
    mutex_lock(&shares.lock);
    bool written = node->written;
    node->written = false;
    mutex_unlock(&shares.lock);
    return written;
}

// ---- states ------------------------------------------------------------------------------------

s64 share_states(cap_t *memory)
{
    mutex_lock(&shares.lock);
    bool made = make_states();
    mutex_unlock(&shares.lock);
    if (!made)
        return E_LIMIT;
    *memory = shares.memory;
    return 0;
}

u64 share_states_id(void)
{
    return shares.id;
}
