// SPDX-License-Identifier: MIT
// Links points and handlers by what observers want.
#include <kernel/panic.h>
#include <kernel/patch.h>
#include <kernel/points.h>
#include <kernel/wait.h>
#include <stddef.h>

struct point {
    u32 *place;
    u32 *label; // NULL: the handlers stand in its place
    u64 event;
    // With a label, not 0: a fast path gives way here, unless `event` has handlers of these events.
    // Without one: 0, a fast path's point, where all the wanted ones are, the first one first; not
    // 0, where the wanted one is, a function, if it is alone.
    u64 performs;
};
// boot/orrery.ld; handlers of an event stand together, in their order, behind the event's first.
extern const struct point points_start[], points_end[];
extern const struct handler handlers_start[], handlers_end[];

#define POINTS_MAX 96
#define HANDLERS_MAX 96
static struct mutex mutex = MUTEX_INIT("points", MUTEX_POINTS); // of what follows
static bool begun;
static u32 before[POINTS_MAX];          // own instructions of places,
static u32 exits_before[HANDLERS_MAX];  // … and of exits
static const struct observer *changing; // what it will want:
static u64 next_wants;

// ---- who wants what -----------------------------------------------------------------------------

static u64 wanted_bits(const struct handler *handler)
{
    if (handler->observer == NULL) // an event's first, or a lifetime's
        return 0;
    return handler->wants & (handler->observer == changing ? next_wants : handler->observer->wants);
}

// Returns the first wanted handler of an event from `at` on that has code, or NULL.
static const struct handler *next_wanted(u64 event, const struct handler *at)
{
    for (; at < handlers_end; at++)
        if (at->event == event && at->tell != NULL && wanted_bits(at) != 0)
            return at;
    return NULL;
}

// Returns the only wanted handler of an event, or NULL.
static const struct handler *alone(u64 event)
{
    const struct handler *first = next_wanted(event, handlers_start);

    return first == NULL || next_wanted(event, first + 1) != NULL ? NULL : first;
}

static bool is_wanted(u64 event)
{
    for (const struct handler *at = handlers_start; at < handlers_end; at++)
        if (at->event == event && wanted_bits(at) != 0)
            return true;
    return false;
}

// Returns the bits of an observer for which a fast path's point has handlers.
static u64 handled(u64 event, const struct observer *observer)
{
    u64 bits = 0;

    for (const struct handler *at = handlers_start; at < handlers_end; at++)
        if (at->event == event && at->observer == observer)
            bits |= at->wants;
    return bits;
}

static bool is_veto(const struct point *point)
{
    return point->label != NULL && point->performs != 0;
}

static bool must_give_way(const struct point *point)
{
    for (const struct handler *at = handlers_start; at < handlers_end; at++)
        if ((point->performs >> at->event & 1) != 0 &&
            (wanted_bits(at) & ~handled(point->event, at->observer)) != 0)
            return true;
    return false;
}

// ---- telling ------------------------------------------------------------------------------------

static inline bool is_wanted_now(const struct handler *handler)
{
    return handler->observer == NULL ||
           (__atomic_load_n(&handler->observer->wants, __ATOMIC_RELAXED) & handler->wants) != 0;
}

// The first of an event's handlers, which does nothing, and what tells those behind it, where
// happens_NAME goes unless there is only one (tell.S). Another
// event's first, or what boot/orrery.ld puts last, ends them.
#define EVENT_TELLS(name, parameters, arguments)                                                   \
    void tell_##name parameters;                                                                   \
    extern const struct handler name##_handlers[];                                                 \
    const struct handler name##_handlers[1]                                                        \
        __attribute__((used, section(".handlers." #name ".0"))) = {{.event = EVENT_##name}};       \
    void tell_##name parameters                                                                    \
    {                                                                                              \
        const struct handler *at = name##_handlers;                                                \
        __asm__("" : "+r"(at)); /* the others are no elements of this array */                     \
        while ((++at)->event == EVENT_##name)                                                      \
            if (is_wanted_now(at))                                                                 \
                ((name##_handler *)at->tell) arguments;                                            \
    }
TOLD_EVENTS(EVENT_TELLS)

// ---- words --------------------------------------------------------------------------------------

static u32 branch_to_next(const u32 *place, u64 event, const struct handler *from, u32 own)
{
    const struct handler *next = next_wanted(event, from);

    return next != NULL ? ppc_branch(place, (const void *)next->tell) : own;
}

static u32 word_of_point(const struct point *point)
{
    u32 own = before[point - points_start];

    if (point->label == NULL && point->performs == 0)
        return branch_to_next(point->place, point->event, handlers_start, own);
    if (point->label == NULL) {
        const struct handler *only = alone(point->event);
        return only != NULL ? ppc_branch_to(point->place, only->tell) : own;
    }
    bool on = is_veto(point) ? must_give_way(point) : is_wanted(point->event);
    return on ? ppc_branch(point->place, point->label) : own;
}

static u32 word_of_exit(const struct handler *handler)
{
    return branch_to_next(handler->exit, handler->event, handler + 1,
                          exits_before[handler - handlers_start]);
}

// ---- changes ------------------------------------------------------------------------------------

static bool open; // a batch

static void patch(u32 *place, u32 word)
{
    if (*place == word)
        return;
    if (!open)
        patch_begin();
    open = true;
    patch_word(place, word);
}

static void patched(void)
{
    if (open)
        patch_end();
    open = false;
}

// Links all points that are fast paths' vetoes, or all others.
static void link_points(bool vetoes)
{
    for (const struct point *at = points_start; at < points_end; at++)
        if (is_veto(at) == vetoes)
            patch(at->place, word_of_point(at));
}

static void link_exits(void)
{
    for (const struct handler *at = handlers_start; at < handlers_end; at++)
        if (at->exit != NULL)
            patch(at->exit, word_of_exit(at));
}

static void give_way(void)
{
    for (const struct point *at = points_start; at < points_end; at++)
        if (is_veto(at))
            patch(at->place, ppc_branch(at->place, at->label));
    patched();
}

static bool fast_paths_change(void)
{
    for (const struct point *at = points_start; at < points_end; at++)
        if (at->label == NULL && at->performs == 0 && *at->place != word_of_point(at))
            return true;
    for (const struct handler *at = handlers_start; at < handlers_end; at++)
        if (at->exit != NULL && *at->exit != word_of_exit(at))
            return true;
    return false;
}

static void begin(void)
{
    KASSERT(points_end - points_start <= POINTS_MAX);
    KASSERT(handlers_end - handlers_start <= HANDLERS_MAX);
    for (u32 i = 0; i < (u64)(points_end - points_start); i++)
        before[i] = *points_start[i].place;
    for (u32 i = 0; i < (u64)(handlers_end - handlers_start); i++)
        exits_before[i] = handlers_start[i].exit != NULL ? *handlers_start[i].exit : 0;
    begun = true;
}

// If handlers of fast paths change, the fast paths give way meanwhile.
void observer_wants(struct observer *observer, u64 wants)
{
    mutex_lock(&mutex);
    if (!begun)
        begin();
    changing = observer;
    next_wants = wants;
    bool fast = fast_paths_change();
    if (fast)
        give_way();
    __atomic_store_n(&observer->wants, wants, __ATOMIC_RELEASE);
    changing = NULL;
    if (!fast)
        link_points(true);
    link_points(false);
    link_exits();
    patched();
    if (fast) {
        link_points(true);
        patched();
    }
    mutex_unlock(&mutex);
}
