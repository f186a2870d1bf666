// SPDX-License-Identifier: MIT
// The inspection channel of a process: a thread of high priority that answers EVENT_INSPECT through
// the inspection buffer (orrery/inspect.h). A thread answers, and not the upcall, so that a scan
// holds its objects as any user of them does, and switching tracing may take its time. The thread
// is made with the first question or the second dispatcher; most processes see neither.
#include <co/manager.h>
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>
#include <trace/events.h>
#include <trace/platform.h>
#include <trace/trace.h>
#include <user/attach_log.h>
#include <user/blocked_threads.h>
#include <user/objects.h>
#include <user/own_log.h>
#include <user/questions.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/trace.h>
#include <user/trace_rings.h>

#define REQUESTS 8 // the kernel sends one at a time

static struct event requests[REQUESTS];
static u32 first, count; // inside of user_disable, with the lock
static struct user_spin lock;
static struct thread *monitor; // atomic: set by itself, before its first look
static bool made;              // atomic: it is there, or on its way
static bool ready;             // with the lock: the first thread has done what came before it
static bool counting;          // as the system wants it

// ---- operations --------------------------------------------------------------------------------

static void *buffer(void)
{
    return (void *)USER_INSPECT;
}

static u64 room(u64 bytes)
{
    return bytes < INSPECT_BYTES ? bytes : INSPECT_BYTES;
}

typedef s64 (*list_function)(u64 *cursor, void *buffer, u64 bytes);

// Fills the buffer with a list's records from results[0] on. It asks once more, to tell whether
// this was the end.
static s64 fill(list_function list, u64 bytes, u64 results[2])
{
    u64 used = 0;
    s64 got;
    while ((got = list(&results[0], (char *)buffer() + used, bytes - used)) > 0)
        used += (u64)got;
    results[1] = got == 0;
    return used > 0 ? (s64)used : got;
}

static s64 list_classes(u64 *index, void *to, u64 bytes)
{
    struct sys_class *classes = to;
    u64 count = 0, max = bytes / sizeof(*classes);
    if (max == 0)
        return E_INVAL;
    while (count < max && *index <= UINT32_MAX &&
           co_manager_class((u32)*index, &classes[count]) == 0) {
        count++;
        ++*index;
    }
    return (s64)(count * sizeof(*classes));
}

static s64 set_counting(bool on)
{
    u64 failures = user_patch_failures();
    if (on == counting)
        return 0;
    s64 error = co_manager_dref_enable(on);
    if (error == 0)
        counting = on;
    return error == 0 && user_patch_failures() != failures ? E_NOMEM : error;
}

// Packets that were taken out of their ring for a question that had been given up when the answer
// came. The next question gets them, if the ring has not been emptied meanwhile.
static struct trace_packet *undelivered[ORRERY_MAX_CPUS];

static void forget_undelivered(void)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        if (undelivered[cpu] != NULL)
            trace_platform_subbuffer_free(undelivered[cpu]);
        undelivered[cpu] = NULL;
    }
}

// The rings begin anew only if the mask is valid: the kernel must know of it.
static s64 set_trace(u64 mask, u64 mode)
{
    s64 error = 0;
    if ((mask & ~TRACE_ALL_MAJORS) != 0 || mode > SYS_TRACE_DISCARD)
        return E_INVAL;
    if (mode != 0) {
        error = user_trace_set_mode((enum sys_trace_mode)mode);
        if (error == 0)
            forget_undelivered();
    }
    return error == 0 ? user_trace_set_mask(mask) : error;
}

static s64 trace_stat_of(u64 cpu)
{
    struct sys_trace_stat *stat = buffer();
    s64 error = user_trace_stat((u32)cpu, stat);
    if (error != 0)
        return error;
    if (undelivered[cpu] != NULL)
        stat->unread += TRACE_BE32(undelivered[cpu]->event_count);
    return sizeof(*stat);
}

// Sets *end if nothing is left for such a question. With flush an answer logs events itself, so
// that there is always one more packet: the one that was open is the last one.
static s64 read_trace(u64 cpu, bool flush, u64 *end)
{
    struct trace_packet *packet = undelivered[cpu];
    if (packet == NULL) {
        *end = user_trace_full((u32)cpu) <= (flush ? 0 : 1);
        return user_trace_read((u32)cpu, flush, buffer(), INSPECT_BYTES);
    }
    u64 bytes = TRACE_BE64(packet->packet_bits) / 8;
    undelivered[cpu] = NULL;
    memcpy(buffer(), packet, bytes);
    trace_platform_subbuffer_free(packet);
    return (s64)bytes;
}

static void put_back(const struct event *request, s64 status)
{
    u64 cpu = request->info;
    if (request->badge != INSPECT_TRACE_READ || status <= 0)
        return;
    undelivered[cpu] = trace_platform_subbuffer_alloc();
    if (undelivered[cpu] != NULL)
        memcpy(undelivered[cpu], buffer(), (u64)status);
}

static s64 (*others)(u64 operation, const u64 arguments[2], void *buffer, u64 bytes);

void user_on_question(s64 (*answer)(u64 operation, const u64 arguments[2], void *buffer, u64 bytes))
{
    __atomic_store_n(&others, answer, __ATOMIC_RELEASE);
}

static s64 answer_other(u64 operation, const u64 arguments[2])
{
    s64 (*function)(u64, const u64 *, void *, u64) = __atomic_load_n(&others, __ATOMIC_ACQUIRE);
    return function ? function(operation, arguments, buffer(), INSPECT_BYTES) : E_NOTSUP;
}

static bool names_a_cpu(u64 operation)
{
    return operation == INSPECT_TRACE_READ || operation == INSPECT_TRACE_STAT ||
           operation == INSPECT_MOVE || operation == INSPECT_LOG;
}

// Answers one question. The numbers are the asker's: whatever they are, they do no harm here.
static s64 answer(const struct event *request, u64 results[2])
{
    const u64 arguments[] = {request->info, request->words[0]};
    results[0] = arguments[0];
    results[1] = 0;
    if (names_a_cpu(request->badge) && arguments[0] >= ORRERY_MAX_CPUS)
        return E_INVAL;
    switch (request->badge) {
    case INSPECT_SCAN:
        return fill(co_manager_scan, room(arguments[1]), results);
    case INSPECT_CLASS:
        return fill(list_classes, room(arguments[1]), results);
    case INSPECT_DREF_ENABLE:
        return set_counting(arguments[0] != 0);
    case INSPECT_DREF_READ:
        return fill(co_manager_dref_read, room(arguments[1]), results);
    case INSPECT_TRACE_MASK:
        return set_trace(arguments[0], arguments[1]);
    case INSPECT_TRACE_READ:
        return read_trace(arguments[0], arguments[1] != 0, &results[1]);
    case INSPECT_TRACE_STAT:
        return trace_stat_of(arguments[0]);
    case INSPECT_MOVE:
        return thread_move_all((u32)arguments[0]);
    case INSPECT_BLOCKED_LIST:
        return fill(blocked_threads_list, room(arguments[1]), results);
    case INSPECT_BLOCKED_LOG:
        return blocked_threads_log(arguments[0], arguments[1]);
    case INSPECT_BLOCKED_READ:
        return fill(blocked_threads_read, room(arguments[1]), results);
    case INSPECT_LOG:
        return arguments[1] != 0 ? attach_log((u32)arguments[0])
                                 : attach_log_state((u32)arguments[0]);
    case INSPECT_LOG_DOMAIN:
        if (arguments[0] > UINT32_MAX || arguments[1] >= LOG_DOMAINS)
            return E_INVAL;
        return own_log_domain((u32)arguments[0], (u32)arguments[1]);
    default:
        return answer_other(request->badge, arguments);
    }
}

// ---- requests ----------------------------------------------------------------------------------

static bool next_request(struct event *event)
{
    u32 before = user_disable();
    user_spin_lock(&lock);
    bool some = count != 0;
    if (some) {
        *event = requests[first];
        first = (first + 1) % REQUESTS;
        count--;
    }
    user_spin_unlock(&lock);
    user_enable(before);
    return some;
}

static s64 wake_monitor(void);

static void requested(const struct event *event)
{
    user_spin_lock(&lock);
    if (count < REQUESTS)
        requests[(first + count++) % REQUESTS] = *event;
    bool wanted = ready;
    user_spin_unlock(&lock);
    s64 error = wanted ? wake_monitor() : 0;
    struct event request;
    while (error != 0 && next_request(&request)) // no memory for the thread: all are told so
        sys_inspect_done(request.id, error, 0, 0);
}

static u64 started_cpus; // atomic, by CPU: its objects and its trace are there
static u64 known_cpus;

extern const u8 unwind_map[]; // scripts/mktables.py
extern const u64 unwind_map_size;

// Gives dispatchers that have come since the last look a service thread and a ring.
static void look_after_cpus(void)
{
    u64 now = __atomic_load_n(&started_cpus, __ATOMIC_ACQUIRE);
    if (now == known_cpus)
        return;
    known_cpus = now;
    if (co_start() != 0)
        user_panic("no memory for the service thread of a CPU");
    trace_rings_ensure();
}

// The kernel reads the unwind map when it samples, and cannot wait for a page of it then.
static void touch_unwind_map(void)
{
    const volatile u8 *map = unwind_map;
    for (u64 at = 0; at < unwind_map_size; at += CO_PAGE_SIZE)
        (void)map[at];
}

static s64 __attribute__((noreturn)) monitor_main(void *argument)
{
    (void)argument;
    __atomic_store_n(&monitor, thread_current(), __ATOMIC_SEQ_CST);
    for (;;) {
        struct event request;
        look_after_cpus();
        while (next_request(&request)) {
            u64 results[2];
            s64 status = answer(&request, results);
            if (sys_inspect_done(request.id, status, results[0], results[1]) != 0)
                put_back(&request, status);
        }
        thread_park(THREAD_FOREVER);
    }
}

static s64 wake_monitor(void)
{
    struct thread_attributes attributes = {.name = "monitor",
                                           .cpu = THREAD_HERE,
                                           .priority = THREAD_PRIORITIES - 1,
                                           .stack_bytes = 0x8000,
                                           .detached = true};
    struct thread *thread = __atomic_load_n(&monitor, __ATOMIC_ACQUIRE);
    if (thread != NULL)
        thread_unpark(thread);
    if (thread != NULL || __atomic_exchange_n(&made, true, __ATOMIC_ACQ_REL))
        return 0;
    s64 error = thread_create(NULL, &attributes, monitor_main, NULL);
    if (error != 0)
        __atomic_store_n(&made, false, __ATOMIC_RELEASE);
    return error;
}

// ---- start-up ----------------------------------------------------------------------------------

// The first CPU is looked after at the start; nobody else is there yet.
static s64 start_cpu(u32 cpu)
{
    u64 before = __atomic_fetch_or(&started_cpus, 1UL << cpu, __ATOMIC_RELEASE);
    return before != 0 ? wake_monitor() : 0;
}
USER_CPU_START(4, start_cpu);

// Switches on here what is on in the system. A change from now on comes as a request, which waits
// until this is done.
static s64 start_monitor(void)
{
    s64 error = user_on_event(EVENT_INSPECT, requested);
    if (error != 0)
        return error;
    touch_unwind_map();
    s64 mask = sys_trace_process_mask();
    if (mask > 0)
        set_trace((u64)mask, 0);
    if (sys_dref_processes() > 0)
        set_counting(true);
    look_after_cpus();
    u32 before = user_disable();
    user_spin_lock(&lock);
    ready = true;
    bool some = count != 0;
    user_spin_unlock(&lock);
    user_enable(before);
    return some ? wake_monitor() : 0;
}
USER_INIT(4, start_monitor);
