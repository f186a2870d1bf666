// SPDX-License-Identifier: MIT
// Calls through a mediator, and the pool of mediators. There is a fixed number: a caller may still
// be on its way to one long after its swap, and only quiescence says when none is.
#include "mediator.h"

#include <co/swap.h>

#define MEDIATORS 8
#define WAIT_US 50
#define TIDY_US 2000

static struct mediator mediators[MEDIATORS];
static struct co_lock pool_lock;
static u64 lingering; // atomic: mediators that linger, or are being tidied

void co_swap_init(void)
{
    co_platform_lock_init(&pool_lock, "co mediators", CO_LOCK_TABLE);
}

// ---- the pool ----------------------------------------------------------------------------------

// A rep may have served several CPUs; this destroys each once.
static void destroy_old(struct mediator *mediator)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && mediator->destroy_rep != NULL; cpu++) {
        struct co_rep *rep = mediator->old[cpu];
        for (u32 other = cpu; other < ORRERY_MAX_CPUS && rep != NULL; other++) {
            if (mediator->old[other] == rep)
                mediator->old[other] = NULL;
        }
        if (rep == NULL)
            continue;
        rep->magic = 0;
        mediator->destroy_rep(NULL, rep);
    }
}

static bool is_deserted(const struct mediator *mediator)
{
    return co_grace_over(&mediator->grace, true) &&
           (__atomic_load_n(&mediator->word, __ATOMIC_ACQUIRE) & MEDIATOR_CALLS) == 0;
}

// Claims a mediator that nobody can be in any more, for this caller to tidy.
static struct mediator *next_deserted(bool *lingers)
{
    struct mediator *found = NULL;
    co_platform_lock(&pool_lock);
    for (u32 i = 0; i < MEDIATORS && found == NULL; i++) {
        if (mediators[i].state != MEDIATOR_LINGERS)
            continue;
        *lingers = true;
        if (is_deserted(&mediators[i]))
            found = &mediators[i];
    }
    if (found != NULL)
        found->state = MEDIATOR_TAKEN;
    co_platform_unlock(&pool_lock);
    return found;
}

static void set_state(struct mediator *mediator, enum mediator_state state)
{
    co_platform_lock(&pool_lock);
    mediator->state = state;
    co_platform_unlock(&pool_lock);
}

u64 co_swap_tidy(void)
{
    bool lingers;
    struct mediator *mediator;
    if (__atomic_load_n(&lingering, __ATOMIC_ACQUIRE) == 0)
        return 0; // reapers ask this each time they wake
    do {
        lingers = false;
        mediator = next_deserted(&lingers);
        if (mediator != NULL) {
            destroy_old(mediator);
            mediator->rep.root = NULL;
            set_state(mediator, MEDIATOR_FREE);
            __atomic_fetch_sub(&lingering, 1, __ATOMIC_RELEASE);
        }
    } while (mediator != NULL);
    return lingers ? co_platform_microseconds(TIDY_US) : 0;
}

// Pool lock held.
static struct mediator *find_free(const struct co_root *root)
{
    struct mediator *free = NULL;
    for (u32 i = 0; i < MEDIATORS; i++) {
        if (mediators[i].state == MEDIATOR_FREE)
            free = &mediators[i];
        else if (mediators[i].rep.root == root)
            return NULL;
    }
    return free;
}

struct mediator *co_mediator_take(struct co_root *root)
{
    co_swap_tidy();
    co_platform_lock(&pool_lock);
    struct mediator *mediator = find_free(root);
    if (mediator != NULL) {
        mediator->state = MEDIATOR_TAKEN;
        mediator->rep = (struct co_rep){
            .ops = (const struct co_ops *)co_mediator_ops, .root = root, .coid = root->coid};
        __atomic_store_n(&mediator->word, 0, __ATOMIC_RELAXED);
    }
    co_platform_unlock(&pool_lock);
    return mediator;
}

void co_mediator_drop(struct mediator *mediator)
{
    co_grace_begin(&mediator->grace);
    __atomic_fetch_add(&lingering, 1, __ATOMIC_RELEASE);
    set_state(mediator, MEDIATOR_LINGERS);
    co_platform_reaper_wake(co_platform_cpu());
}

// ---- calls -------------------------------------------------------------------------------------

#ifdef __powerpc64__
#define LR_HOME 16
#define STACK_MAX 0x10000
#define MEDIATION 0xb8 // in mediator.S's frame

extern const char co_mediator_return[];

// Each frame's own LR home was written by the function that it called.
bool co_mediator_recurs(const struct mediator *mediator)
{
    u64 first = (u64)__builtin_frame_address(0), sp = first, next;
    while ((next = *(const u64 *)sp) > sp && next - first < STACK_MAX) {
        sp = next;
        const struct co_mediation *call = (const struct co_mediation *)(sp + MEDIATION);
        if (*(const u64 *)(sp + LR_HOME) == (u64)co_mediator_return && call->in == mediator)
            return true;
    }
    return false;
}
#endif

static bool must_wait(const struct mediator *mediator, u64 word)
{
    return (word & MEDIATOR_CLOSED) != 0 && co_platform_can_wait() && !co_mediator_recurs(mediator);
}

// Counts a call in. Returns false when the swap is over. Who cannot wait passes a closed mediator:
// the one inside may be waiting for it.
static bool count_in(struct mediator *mediator)
{
    bool counted = false;
    u64 word = __atomic_load_n(&mediator->word, __ATOMIC_ACQUIRE);
    while ((word & MEDIATOR_DONE) == 0 && !counted) {
        if ((word & MEDIATOR_MOVING) == 0) {
            if (must_wait(mediator, word))
                co_platform_wait(WAIT_US);
            else
                counted = __atomic_compare_exchange_n(&mediator->word, &word, word + 1, false,
                                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
        }
        if (!counted)
            word = __atomic_load_n(&mediator->word, __ATOMIC_ACQUIRE);
    }
    return counted;
}

static void note(struct mediator *mediator, u64 method, struct co_mediation *call)
{
    u32 thread = co_platform_thread();
    u64 *place = &mediator->inside[thread % MEDIATOR_PLACES];
    call->in = mediator;
    call->mine = (u64)thread << 8 | method;
    call->before = __atomic_exchange_n(place, call->mine, __ATOMIC_RELAXED);
    if (call->before >> 8 != thread)
        call->before = 0;
}

// Leaves the mediator's word last: from then on it may be another object's.
void co_mediator_leave(const struct co_mediation *call)
{
    struct mediator *mediator = call->in;
    u64 mine = call->mine;
    __atomic_compare_exchange_n(&mediator->inside[(call->mine >> 8) % MEDIATOR_PLACES], &mine,
                                call->before, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&mediator->word, 1, __ATOMIC_RELEASE);
}

struct co_rep *co_mediator_enter(struct co_rep *self, u64 method, struct co_mediation *call)
{
    struct mediator *mediator = (struct mediator *)self;
    call->in = NULL;
    if (!count_in(mediator)) {
        u64 *entry = co_ltt_entry(co_platform_cpu(), self->coid);
        return (struct co_rep *)__atomic_load_n(entry, __ATOMIC_ACQUIRE);
    }
    note(mediator, method, call);
    struct co_rep *rep;
    s64 error = co_miss_aside(self->root, &rep);
    if (error == 0)
        return rep;
    co_mediator_leave(call);
    call->in = NULL;
    return (struct co_rep *)error;
}
