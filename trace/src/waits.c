// SPDX-License-Identifier: MIT
// Reads what a program's threads wait for, whatever the byte order of who reads.
#include <trace/layout.h>
#include <trace/waits.h>

#define MUTEX_WAITED 1UL // somebody waits

// Returns false with 0 in *value if it cannot be read.
static bool read_word(const struct trace_waits *waits, u64 from, u64 *value)
{
    bool read =
        from % sizeof(*value) == 0 && waits->read(waits->context, value, from, sizeof(*value));
    *value = read ? TRACE_BE64(*value) : 0;
    return read;
}

bool trace_waits_open(struct trace_waits *waits, u64 layout, trace_waits_read read, void *context)
{
    struct thread_layout *at = &waits->layout;
    *waits = (struct trace_waits){.read = read, .context = context, .left = TRACE_WAITS_THREADS};
    if (layout == 0 || !read(context, at, layout, sizeof(*at)) ||
        TRACE_BE64(at->magic) != THREAD_LAYOUT_MAGIC)
        return false;
    at->first = TRACE_BE64(at->first);
    at->thread_magic = TRACE_BE64(at->thread_magic);
    for (u32 *offset = &at->magic_at; offset <= &at->reserved; offset++)
        *offset = TRACE_BE32(*offset);
    return read_word(waits, at->first, &waits->next);
}

// Reads the number of a thread. Returns false if there is no thread.
static bool read_id(const struct trace_waits *waits, u64 thread, u32 *id)
{
    u64 magic;
    bool read = thread != 0 && read_word(waits, thread + waits->layout.magic_at, &magic) &&
                magic == waits->layout.thread_magic &&
                waits->read(waits->context, id, thread + waits->layout.id, sizeof(*id));
    *id = read ? TRACE_BE32(*id) : 0;
    return read;
}

// Returns the number of the thread for which another one waits; 0: nobody in particular.
static u32 waited_for(const struct trace_waits *waits, u64 what)
{
    u64 kind = what & THREAD_WAITS_KIND, at = what & ~THREAD_WAITS_BITS, word;
    u32 id = 0;
    if (what != 0 && kind == THREAD_WAITS_JOIN)
        read_id(waits, at, &id);
    else if (what != 0 && kind == THREAD_WAITS_MUTEX && read_word(waits, at, &word))
        read_id(waits, word & ~MUTEX_WAITED, &id);
    return id;
}

bool trace_waits_next(struct trace_waits *waits, struct trace_waits_thread *thread)
{
    const struct thread_layout *at = &waits->layout;
    u64 self = waits->next, worker = 0;
    *thread = (struct trace_waits_thread){.address = self};
    if (waits->left == 0 || !read_id(waits, self, &thread->id) ||
        !read_word(waits, self + at->switches, &thread->switches) ||
        !read_word(waits, self + at->mutex, &thread->mutex) ||
        !read_word(waits, self + at->worker, &worker) ||
        !read_word(waits, self + at->next, &waits->next))
        return false;
    waits->left--;
    if (worker != 0)
        read_word(waits, worker + at->call, &thread->works_on);
    thread->owner = waited_for(waits, thread->mutex);
    return true;
}
