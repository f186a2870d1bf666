// SPDX-License-Identifier: MIT
// Packets of processes. A live process hands out its own, through its library. When a process ends,
// the kernel reads the rings from its memory, checks them, and keeps them until somebody asks. It
// trusts nothing that a process wrote.
#include "processes.h"

#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/points.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <string.h>
#include <trace/check.h>
#include <trace/cpu.h>
#include <trace/events.h>
#include <trace/salvage.h>

#include "manager.h"
#include "proc/process.h"

#define KEEP_BYTES 0x800000 // of packets, bookkeeping included
#define KEEP_PROCESSES 256  // that have ended

// A packet, up to the end of its content.
struct kept {
    struct kept *next;
    u64 content;
    struct trace_packet packet;
};

// A process of which packets have been read or kept.
struct traced {
    struct traced *next;
    u64 serial; // of records, rising along the list
    u32 pid;
    bool live;
    u32 packets;
    u64 lost;
    char name[PROCESS_NAME_MAX];
    struct trace_stream streams[ORRERY_MAX_CPUS];
    struct kept *first[ORRERY_MAX_CPUS], **end[ORRERY_MAX_CPUS];
};

static struct spinlock lock = SPINLOCK_INIT("process traces", RANK_SERVICE);
static struct traced *list, **list_end = &list; // oldest first
static u64 ended_count, next_serial = 1, kept_bytes;

static u64 process_mask;

CO_METHOD s64 trace_set_process_mask(struct trace_manager *self, u64 mask)
{
    CO_HOME(self);
    if (mask & ~TRACE_ALL_MAJORS)
        return E_INVAL;
    __atomic_store_n(&process_mask, mask, __ATOMIC_RELAXED);
    return 0;
}

u64 trace_process_mask(void)
{
    return __atomic_load_n(&process_mask, __ATOMIC_RELAXED);
}

// ---- records, all with the lock held -----------------------------------------------------------

static struct traced *trace_processes_find(u32 pid)
{
    for (struct traced *traced = list; traced != NULL; traced = traced->next) {
        if (traced->pid == pid)
            return traced;
    }
    return NULL;
}

static void forget(struct traced *traced)
{
    struct traced **link = &list;
    while (*link != traced)
        link = &(*link)->next;
    *link = traced->next;
    if (list_end == &traced->next)
        list_end = link;
    ended_count -= !traced->live;
    kfree(traced);
}

static struct kept *take(struct traced *traced, u32 cpu)
{
    struct kept *kept = traced->first[cpu];
    if (kept == NULL)
        return NULL;
    traced->first[cpu] = kept->next;
    if (kept->next == NULL) { // the last one reports all losses, also later ones
        const struct trace_stream *stream = &traced->streams[cpu];
        traced->end[cpu] = &traced->first[cpu];
        kept->packet.events_overwritten = TRACE_BE64(stream->overwritten + stream->dropped);
    }
    traced->packets--;
    kept_bytes -= sizeof(*kept) + kept->content;
    return kept;
}

static void forget_if_done(struct traced *traced)
{
    if (!traced->live && traced->packets == 0)
        forget(traced);
}

static bool has_events(const struct kept *kept)
{
    return kept != NULL && kept->packet.event_count != 0;
}

// Frees a lone header: the packet behind it reports the same losses.
static void append(struct traced *traced, u32 cpu, struct kept *kept)
{
    if (!has_events(traced->first[cpu]))
        kfree(take(traced, cpu));
    kept->next = NULL;
    *traced->end[cpu] = kept;
    traced->end[cpu] = &kept->next;
    traced->packets++;
    kept_bytes += sizeof(*kept) + kept->content;
}

// Drops a packet. If it is a stream's last, keeps its header to report the losses.
static void drop(struct traced *traced, u32 cpu)
{
    struct kept *kept = take(traced, cpu);
    struct kept *head = traced->first[cpu] == NULL ? kmalloc(sizeof(*head)) : NULL;
    traced->lost++;
    traced->streams[cpu].dropped += TRACE_BE32(kept->packet.event_count);
    if (head != NULL) {
        memcpy(head, kept, sizeof(*head));
        head->content = sizeof(head->packet);
        head->packet.content_bits = head->packet.packet_bits = TRACE_BE64(head->content * 8);
        head->packet.event_count = 0;
        append(traced, cpu, head);
    }
    kfree(kept);
}

// Drops the oldest kept packet with events, to make room. One exists: headers alone cannot fill the
// room.
static void drop_oldest(void)
{
    struct traced *traced = list;
    u32 cpu = 0;
    while (!has_events(traced->first[cpu])) {
        cpu = (cpu + 1) % ORRERY_MAX_CPUS;
        traced = cpu == 0 ? traced->next : traced;
    }
    drop(traced, cpu);
}

// Forgets the process that ended first, with all that is kept of it. One exists.
static void forget_oldest(void)
{
    struct traced *traced = list;
    while (traced->live)
        traced = traced->next;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        while (traced->first[cpu] != NULL)
            kfree(take(traced, cpu));
    }
    forget(traced);
}

static struct traced *find_or_add(u32 pid)
{
    struct traced *traced = trace_processes_find(pid);
    if (traced != NULL || (traced = kzalloc(sizeof(*traced))) == NULL)
        return traced;
    traced->pid = pid;
    traced->live = true;
    traced->serial = next_serial++;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        traced->end[cpu] = &traced->first[cpu];
    *list_end = traced;
    list_end = &traced->next;
    return traced;
}

// ---- processes that end ------------------------------------------------------------------------

struct scratch {
    struct trace_salvage salvage;
    union {
        struct trace_packet packet;
        u8 subbuffer[TRACE_SUBBUFFER_SIZE];
    };
};

static const struct trace_cpu *ring_of(struct process *process, u32 cpu)
{
    struct dispatcher *dispatcher = process_dispatcher(process, cpu);
    if (dispatcher == NULL)
        return NULL;
    const char *window = (const char *)dispatcher_page(dispatcher) - R13_HOST;
    const struct trace_cpu *ring = (const struct trace_cpu *)(window + R13_TRACE);
    return ring->magic == TRACE_CPU_MAGIC ? ring : NULL;
}

// Copies a packet to room and keeps it, at the cost of older ones. Returns false if room is NULL:
// the packet is lost. Lock held.
static bool keep_copy(struct traced *traced, u32 cpu, const struct trace_packet *packet,
                      u64 content, struct kept *room)
{
    if (room == NULL) {
        traced->lost++;
        return false;
    }
    room->content = content;
    memcpy(&room->packet, packet, content);
    append(traced, cpu, room);
    while (kept_bytes > KEEP_BYTES)
        drop_oldest();
    return true;
}

static void keep_packet(u32 pid, u32 cpu, struct trace_packet *packet, u64 content)
{
    struct kept *room = kmalloc(offsetof(struct kept, packet) + content);
    bool kept = false;
    spin_lock(&lock);
    struct traced *traced = find_or_add(pid);
    if (traced != NULL)
        content = trace_check_packet(packet, content, pid, cpu, timebase(), &traced->streams[cpu]);
    if (traced != NULL && content == 0)
        traced->lost++;
    else if (traced != NULL && content > sizeof(*packet))
        kept = keep_copy(traced, cpu, packet, content, room);
    spin_unlock(&lock);
    if (!kept)
        kfree(room);
}

// Keeps a packet that accounts for those that a reader took but did not get. From now on it gets
// none of them.
static void keep_rest(u32 pid, u32 cpu, const struct trace_salvage *salvage,
                      struct trace_packet *packet)
{
    struct kept *room = trace_cpu_events(&salvage->ring) != 0 ? kmalloc(sizeof(*room)) : NULL;
    bool kept = false;
    if (room == NULL)
        return;
    spin_lock(&lock);
    struct traced *traced = find_or_add(pid);
    u64 content = traced == NULL ? 0
                                 : trace_salvage_rest(salvage, pid, cpu, packet, timebase(),
                                                      &traced->streams[cpu]);
    if (content != 0)
        kept = keep_copy(traced, cpu, packet, content, room);
    spin_unlock(&lock);
    if (!kept)
        kfree(room);
}

static bool read_space(void *context, void *to, u64 from, u64 bytes)
{
    return space_read(context, to, from, bytes) == 0;
}

static void keep_ring(struct process *process, u32 cpu, const struct trace_cpu *ring,
                      struct scratch *scratch)
{
    struct trace_salvage *salvage = &scratch->salvage;
    if (!trace_salvage_open(salvage, ring, read_space, process_space(process)))
        return;
    for (u64 n = salvage->ring.consumed; n != salvage->ring.begun; n++) {
        u64 content = trace_salvage_packet(salvage, n, &scratch->packet, timebase());
        if (content != 0)
            keep_packet(process_pid(process), cpu, &scratch->packet, content);
    }
    keep_rest(process_pid(process), cpu, salvage, &scratch->packet);
}

// Notes that a process has ended: it will have no more packets.
static void note_end(u32 pid, const char *name)
{
    spin_lock(&lock);
    struct traced *traced = trace_processes_find(pid);
    if (traced != NULL) {
        traced->live = false;
        ended_count++;
        memcpy(traced->name, name, PROCESS_NAME_MAX);
        forget_if_done(traced);
        while (ended_count > KEEP_PROCESSES)
            forget_oldest();
    }
    spin_unlock(&lock);
}

// Takes over the unread packets of a process that ends. Packets that it took out for a reader who
// did not get them count as lost. Without memory, packets are lost, and counted.
static void traced_ends(struct process *process)
{
    struct scratch *scratch = NULL;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        const struct trace_cpu *ring = ring_of(process, cpu);
        if (ring != NULL && scratch == NULL)
            scratch = kmalloc(sizeof(*scratch));
        if (ring != NULL && scratch != NULL)
            keep_ring(process, cpu, ring, scratch);
    }
    kfree(scratch);
    note_end(process_pid(process), process->name);
}
PROCESS_END_HOOK(traced_ends);

// ---- reading -----------------------------------------------------------------------------------

// Notes that a live process has set a mode: it numbers its packets and counts anew.
static void renew(u32 pid)
{
    spin_lock(&lock);
    struct traced *traced = trace_processes_find(pid);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && traced != NULL; cpu++)
        traced->streams[cpu] = (struct trace_stream){.last_end = traced->streams[cpu].last_end};
    spin_unlock(&lock);
}

// Checks that what a process has handed out is a packet of its CPU's, which ends with these bytes.
// Returns bytes if it is; else E_PROTO, E_PEER if the process has ended, or E_NOMEM.
// Once an ending process's packets have been taken over, it gets no new record.
static s64 check(struct process *process, u64 cpu, void *buffer, u64 bytes)
{
    struct trace_packet *packet = buffer;
    u32 pid = process_pid(process);
    if (bytes < sizeof(*packet) || bytes > TRACE_SUBBUFFER_SIZE || bytes % sizeof(u64) != 0 ||
        cpu >= ORRERY_MAX_CPUS)
        return E_PROTO;
    u64 content = trace_check_content(packet);
    if (content > bytes)
        content = bytes; // what follows in the buffer is of other answers
    spin_lock(&lock);
    bool ended = inspection_ended(process);
    struct traced *traced = ended ? trace_processes_find(pid) : find_or_add(pid);
    if (traced != NULL)
        content =
            trace_check_packet(packet, content, pid, (u32)cpu, timebase(), &traced->streams[cpu]);
    spin_unlock(&lock);
    if (traced == NULL)
        return E_NOMEM;
    if (content == 0) // an ended process's may have been counted as lost
        return ended ? E_PEER : E_PROTO;
    packet->packet_bits = TRACE_BE64(bytes * 8);
    return (s64)bytes;
}

static void process_answers(struct process *process, u32 operation, const u64 arguments[2],
                            s64 status, void *buffer, s64 *bytes)
{
    if (operation == INSPECT_TRACE_MASK && status == 0 && arguments[1] != 0)
        renew(process_pid(process));
    if (operation == INSPECT_TRACE_READ && status > 0)
        *bytes = check(process, arguments[0], buffer, (u64)*bytes);
}
HANDLES_ALWAYS(process_answers, 1, process_answers);

static s64 read_live(u32 pid, u32 cpu, bool flush, void *buffer)
{
    struct sys_inspect_request request = {
        .pid = pid, .operation = INSPECT_TRACE_READ, .arguments = {cpu, flush}};
    return sys_process_inspect(&request, buffer, TRACE_SUBBUFFER_SIZE);
}

CO_METHOD s64 trace_process_read(struct trace_manager *self, u32 pid, u32 cpu, bool flush,
                                 void *buffer, u64 bytes)
{
    CO_HOME(self);
    if (cpu >= ORRERY_MAX_CPUS || bytes < TRACE_SUBBUFFER_SIZE)
        return E_INVAL;
    spin_lock(&lock);
    struct traced *traced = trace_processes_find(pid);
    struct kept *kept = traced != NULL ? take(traced, cpu) : NULL;
    bool ended = traced != NULL && !traced->live;
    if (ended)
        forget_if_done(traced);
    spin_unlock(&lock);
    if (kept == NULL)
        return ended ? 0 : read_live(pid, cpu, flush, buffer);
    s64 content = (s64)kept->content;
    memcpy(buffer, &kept->packet, kept->content);
    kfree(kept);
    return content;
}

// ---- list --------------------------------------------------------------------------------------

#define CURSOR_ENDED (1UL << 63) // the list's second part: ended processes

// Looks at the rings from outside, while the process may log. The next look finds what this one
// misses.
static void look_at_rings(struct process *process, struct sys_trace_process *out)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        const struct trace_cpu *ring = ring_of(process, cpu);
        if (ring == NULL)
            continue;
        out->cpu_mask |= 1u << cpu;
        if (__atomic_load_n(&ring->consumed, __ATOMIC_RELAXED) !=
            __atomic_load_n(&ring->closed, __ATOMIC_RELAXED))
            out->full_mask |= 1u << cpu;
    }
}

static bool list_live(u64 *cursor, struct sys_trace_process *out)
{
    struct sys_process_info info;
    while (sys_process_list(cursor, &info, sizeof(info)) > 0) {
        struct process *process = process_get(info.pid);
        if (process == NULL)
            continue;
        *out = (struct sys_trace_process){.pid = info.pid, .live = 1};
        look_at_rings(process, out);
        process_put(process);
        memcpy(out->name, info.name, sizeof(out->name));
        if (out->cpu_mask != 0)
            return true;
    }
    *cursor = CURSOR_ENDED;
    return false;
}

static bool list_ended(u64 *cursor, struct sys_trace_process *out)
{
    u64 serial = *cursor & ~CURSOR_ENDED;
    spin_lock(&lock);
    struct traced *traced = list;
    while (traced != NULL && (traced->live || traced->serial <= serial))
        traced = traced->next;
    if (traced != NULL) {
        *cursor = CURSOR_ENDED | traced->serial;
        *out = (struct sys_trace_process){
            .pid = traced->pid, .packets = traced->packets, .lost_packets = traced->lost};
        for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
            out->cpu_mask |= (u32)(traced->first[cpu] != NULL) << cpu;
        out->full_mask = out->cpu_mask;
        memcpy(out->name, traced->name, sizeof(out->name));
    }
    spin_unlock(&lock);
    return traced != NULL;
}

CO_METHOD s64 trace_process_list(struct trace_manager *self, u64 *cursor, void *buffer, u64 bytes)
{
    CO_HOME(self);
    struct sys_trace_process *out = buffer;
    u64 count = 0, max = bytes / sizeof(*out);
    if (max == 0)
        return E_INVAL;
    while (count < max) {
        struct sys_trace_process one;
        bool found = !(*cursor & CURSOR_ENDED) && list_live(cursor, &one);
        if (!found && !list_ended(cursor, &one))
            break;
        out[count++] = one;
    }
    return (s64)(count * sizeof(*out));
}
