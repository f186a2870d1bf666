// SPDX-License-Identifier: MIT
// Sources of events (S001 §4.3): which there are, which are on, and what their events are.
#include "profiles.h"

#include <orrery/pmu.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/time.h>

#define NAME_MAX 23

struct source profile_sources[PROFILE_SOURCES];
static u32 used; // atomic

u32 profile_source_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

// ---- adding -------------------------------------------------------------------------------------

static bool is_good_counter(const struct profile_source *source)
{
    return source->filter != 0 && (source->filter & ~(SYS_PMU_KERNEL | SYS_PMU_USER)) == 0 &&
           source->period >= SYS_PERIOD_MIN && source->period <= SYS_PERIOD_MAX;
}

static bool is_good_timer(const struct profile_source *source)
{
    return source->cpu < user_cpu_count() && source->period >= PROFILE_TIMER_MIN &&
           source->period <= PROFILE_TIMER_MAX;
}

static bool is_good(const struct profile_source *source)
{
    if (!profile_name_is_good(source->name, NAME_MAX))
        return false;
    switch (source->kind) {
    case PROFILE_COUNTER:
        return is_good_counter(source);
    case PROFILE_TIMER:
        return is_good_timer(source);
    case PROFILE_OWN:
        return true;
    default:
        return false;
    }
}

static bool is_known(const struct profile_source *source)
{
    for (u32 i = 0; i < used; i++) {
        const struct profile_source *other = &profile_sources[i].is;
        if (strcmp(other->name, source->name) == 0 ||
            (source->kind == PROFILE_COUNTER && other->kind == PROFILE_COUNTER &&
             source->event == other->event))
            return true;
    }
    return false;
}

static s64 add(const struct profile_source *source)
{
    const struct context *context = profile_context_get(source->context);
    if (!is_good(source))
        return E_INVAL;
    if (context == NULL)
        return E_NOENT;
    if (is_known(source))
        return E_EXIST;
    if (used == PROFILE_SOURCES)
        return E_LIMIT;
    profile_sources[used] = (struct source){.is = *source, .context = context, .number = used + 1};
    __atomic_store_n(&used, used + 1, __ATOMIC_RELEASE);
    return used;
}

s64 profile_source_add(const struct profile_source *source)
{
    mutex_lock(&profiles_mutex);
    s64 result = add(source);
    mutex_unlock(&profiles_mutex);
    return result;
}

// ---- on and off ---------------------------------------------------------------------------------

static u32 mask_of(enum profile_kind kind)
{
    u32 mask = 0;
    for (u32 i = 0; i < used; i++)
        if (profile_sources[i].is.kind == kind)
            mask |= 1u << i;
    return mask;
}

static u32 mask_on(void)
{
    u32 mask = 0;
    for (u32 i = 0; i < used; i++)
        if (profile_sources[i].on)
            mask |= 1u << i;
    return mask;
}

static void stop(u32 mask)
{
    for (u32 left = mask & mask_on(); left != 0; left &= left - 1) {
        struct source *source = &profile_sources[__builtin_ctz(left)];
        __atomic_store_n(&source->on, false, __ATOMIC_RELEASE);
        if (source->is.kind == PROFILE_TIMER)
            profile_ticks_stop(source);
    }
}

static s64 start(u32 mask)
{
    for (u32 left = mask; left != 0; left &= left - 1) {
        struct source *source = &profile_sources[__builtin_ctz(left)];
        s64 error = source->is.kind == PROFILE_TIMER ? profile_ticks_start(source) : 0;
        if (error != 0) {
            stop(mask);
            return error;
        }
        __atomic_store_n(&source->on, true, __ATOMIC_RELEASE);
    }
    return 0;
}

// Samples these counters and no others. Without a session, all counters are off.
static s64 set_counters(u32 mask)
{
    s64 error = profile_counters_set(mask);
    if (error != 0)
        stop(mask_of(PROFILE_COUNTER));
    return error;
}

// Counters first: they may be refused, and then nothing has begun.
static s64 switch_on(u32 mask)
{
    u32 counters = mask_of(PROFILE_COUNTER), before = mask_on();
    s64 error = 0;

    mask &= ~before;
    if ((mask & counters) != 0)
        error = profile_counters_set((before | mask) & counters);
    if (error == 0)
        error = start(mask);
    if (error != 0 && (mask & counters) != 0)
        set_counters(before & counters);
    return error;
}

static s64 switch_off(u32 mask)
{
    u32 counters = mask_of(PROFILE_COUNTER), on = mask_on();
    s64 error = 0;

    if ((mask & on & counters) != 0)
        error = set_counters(on & ~mask & counters);
    stop(mask);
    return error;
}

s64 profile_enable(u32 number, bool on)
{
    mutex_lock(&profiles_mutex);
    s64 error = E_INVAL;
    if (number <= used) {
        u32 mask = number == PROFILE_ALL ? (1u << used) - 1 : 1u << (number - 1);
        error = on ? switch_on(mask) : switch_off(mask);
    }
    mutex_unlock(&profiles_mutex);
    return error;
}

// ---- events -------------------------------------------------------------------------------------

void profile_event_comes(struct source *source, struct profile_event *event)
{
    event->source = source->number;
    event->number = __atomic_add_fetch(&source->events, 1, __ATOMIC_RELAXED);
    if (!trace_enabled(TRACE_MAJOR_PROGRAM))
        return;
    profile_context_write(source->context, event);
    __atomic_fetch_add(&source->written, 1, __ATOMIC_RELAXED);
}

void profile_event_interrupted(const struct source *source, struct profile_event *event)
{
    const struct user_state *state = user_interrupted();

    event->cpu = user_cpu();
    event->thread = user_running();
    event->no_thread = event->thread == 0 ? E_NOENT : 0;
    if (state == NULL) {
        event->no_pc = event->no_callers = event->thread == 0 ? E_NOENT : E_BUSY;
        return;
    }
    event->no_pc = event->no_callers = 0;
    event->pc = state->pc;
    if (profile_context_wants_callers(source->context))
        event->caller_count = user_stack_walk(state, event->callers, PROFILE_CALLERS);
}

// chain: return addresses, the first at the trigger.
static void note_chain(const u64 *chain, u32 count, struct profile_event *event)
{
    event->no_pc = event->no_callers = count == 0 ? E_NOENT : 0;
    if (count == 0)
        return;
    event->pc = chain[0];
    event->caller_count = count - 1;
    memcpy(event->callers, &chain[1], event->caller_count * sizeof(u64));
}

static struct source *own_source(u32 number)
{
    if (number == 0 || number > profile_source_used())
        return NULL;
    struct source *source = &profile_sources[number - 1];
    return source->is.kind == PROFILE_OWN && __atomic_load_n(&source->on, __ATOMIC_ACQUIRE) ? source
                                                                                            : NULL;
}

// The walk begins with where this function returns to.
__attribute__((noinline)) void profile_triggered(u32 number, u64 a, u64 b)
{
    struct profile_event event = {.a = a, .b = b, .no_object = E_NOTSUP};
    u64 chain[1 + PROFILE_CALLERS];
    u32 before = user_disable(), count = 0;
    struct source *source = own_source(number);

    if (source != NULL) {
        event.time = time_now();
        event.cpu = user_cpu();
        event.thread = user_running();
        event.no_thread = event.thread == 0 ? E_NOENT : 0;
        if (event.thread != 0)
            count = user_stack_walk_here(chain, 1 + PROFILE_CALLERS);
        note_chain(chain, count, &event);
        profile_event_comes(source, &event);
    }
    user_enable(before);
}

s64 profile_source_count(u32 number, struct profile_source_counts *counts)
{
    if (number == 0 || number > profile_source_used())
        return E_INVAL;
    const struct source *source = &profile_sources[number - 1];
    *counts = (struct profile_source_counts){
        .events = __atomic_load_n(&source->events, __ATOMIC_RELAXED),
        .written = __atomic_load_n(&source->written, __ATOMIC_RELAXED),
        .missed = __atomic_load_n(&source->missed, __ATOMIC_RELAXED)};
    return 0;
}
