// SPDX-License-Identifier: MIT
// sys_ calls over struct machine.
#include "machine.h"

#include "questions.h"
#include "queue.h"

#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine machine;

s64 sys_info(struct sys_info *info)
{
    *info = (struct sys_info){
        .cpu_count = MACHINE_CPUS,
        .timebase_hz = 1000000,
        .boot_timebase = 17,
        .memory_bytes = 1 << 29,
        .free_bytes = 1 << 28,
        .build_id = {0xab, 0xcd},
        .version = "made up",
    };
    return 0;
}

u64 sys_time(void)
{
    return machine.time;
}

// The server's thread stays here for good, as it would on the machine.
void sys_power_off(int status)
{
    machine.powered_off = status == 0;
    machine_stopped();
}

s64 sys_console_write(const char *bytes, u64 count)
{
    strncat(machine.console, bytes, count);
    return (s64)count;
}

// ---- memory ------------------------------------------------------------------------------------

struct allocation {
    u64 bytes;
    u64 reserved; // what follows is aligned to 16
    u8 memory[];
};

static u32 blocks, questions;

// Adds change to the counter of allocations of that size, if there is one.
static void note(u64 bytes, s32 change)
{
    if (bytes == sizeof(struct block))
        blocks += (u32)change;
    if (bytes == sizeof(struct question))
        questions += (u32)change;
}

void *queue_memory_alloc(u64 bytes)
{
    bool is_short = bytes == PACKET_BYTES && machine.packets_short > 0;
    machine.packets_short -= is_short;
    struct allocation *new =
        machine.memory_short || is_short ? NULL : calloc(1, sizeof(*new) + bytes);
    if (new == NULL)
        return NULL;
    new->bytes = bytes;
    note(bytes, 1);
    return new->memory;
}

void queue_memory_free(void *memory)
{
    if (memory == NULL)
        return;
    struct allocation *old = container_of(memory, struct allocation, memory);
    note(old->bytes, -1);
    free(old);
}

u32 machine_blocks(void)
{
    return blocks;
}

u32 machine_questions(void)
{
    return questions;
}

// ---- objects -----------------------------------------------------------------------------------

// Object n has n % 4 children.
s64 sys_object_scan(u64 *cursor, void *buffer, u64 bytes)
{
    u64 used = 0;

    for (; *cursor < machine.objects; (*cursor)++) {
        u32 children = *cursor % 4;
        u32 record = (u32)(sizeof(struct sys_object) + children * sizeof(coid_t));
        if (used + record > bytes)
            break;
        struct sys_object *object = (struct sys_object *)((u8 *)buffer + used);
        *object = (struct sys_object){
            .record_bytes = record,
            .class_id = 3,
            .coid = 0x10000 + *cursor * 16,
            .misses = *cursor,
            .rep_count = 1,
            .child_count = children,
        };
        for (u32 i = 0; i < children; i++)
            object->children[i] = 0x10000 + i * 16;
        used += record;
    }
    return (s64)used;
}

s64 sys_class_get(u32 index, struct sys_class *class_info)
{
    if (index >= machine.classes)
        return E_NOENT;
    *class_info = (struct sys_class){.class_id = index, .size = 64, .live = 2};
    snprintf(class_info->name, sizeof(class_info->name), "Class%u", index);
    return 0;
}

s64 sys_object_swap(const struct sys_swap *swap, char *message, u64 bytes)
{
    machine.swapped = *swap;
    if (strcmp(swap->implementation, "SharedCounter") == 0)
        return 0;
    snprintf(message, bytes, "it cannot become that");
    return E_NOENT;
}

s64 sys_place(u32 pid, const struct sys_placement *placement)
{
    if (pid >= 1000)
        return E_NOENT;
    machine.placed = *placement;
    return 0;
}

s64 sys_dref_enable(bool on)
{
    machine.dref_users += on ? 1 : -1;
    return 0;
}

s64 sys_dref_read(u64 *cursor, void *buffer, u64 bytes)
{
    struct sys_dref_count *counts = buffer;
    u64 count = 0;

    for (; *cursor < machine.objects && (count + 1) * sizeof(*counts) <= bytes; (*cursor)++)
        counts[count++] = (struct sys_dref_count){.coid = 0x10000 + *cursor * 16,
                                                  .cpu = 1,
                                                  .invocations = UINT64_MAX,
                                                  .misses = UINT64_MAX};
    return (s64)(count * sizeof(*counts));
}

// ---- sampling ----------------------------------------------------------------------------------

s64 sys_sampling_start(const struct sys_sampling *sampling, char *message, u64 bytes)
{
    if (machine.sampling_refused != NULL) {
        snprintf(message, bytes, "%s", machine.sampling_refused);
        return E_LIMIT;
    }
    if (machine.sampling || machine.sampling_fails)
        return E_BUSY;
    if (machine.counting.alone && machine.counting.running != 0) {
        snprintf(message, bytes, "others count, too");
        return E_BUSY;
    }
    machine.sampling = true;
    machine.asked = *sampling;
    memset(machine.others_read, 0, sizeof(machine.others_read));
    return ++machine.session;
}

s64 sys_sampling_change(s64 session, u32 index, u64 period, u32 randomise)
{
    (void)randomise;
    if (session != machine.session || !machine.sampling)
        return E_STALE;
    if (index >= machine.asked.event_count)
        return E_INVAL;
    machine.sampled_period = period;
    return 0;
}

s64 sys_sampling_stop(s64 session)
{
    if (session != machine.session)
        return E_NOENT;
    machine.sampling = false;
    return 0;
}

// Puts a sample somewhere: by its number, so that it is the same for everybody.
static void place_sample(struct sys_sample *sample, u64 number)
{
    static const u16 flags[] = {SYS_SAMPLE_KERNEL | SYS_SAMPLE_IDLE,
                                SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED, SYS_SAMPLE_ATTRIBUTED,
                                SYS_SAMPLE_KERNEL | SYS_SAMPLE_STALE, SYS_SAMPLE_SOFT_MASKED};
    u64 mixed = (number + 1) * 0x9e3779b97f4a7c15u;

    sample->flags = flags[(mixed >> 20) % ARRAY_SIZE(flags)] | (u16)((number / 50 & 0xff) << 8);
    sample->coid = (mixed >> 32) % machine.sample_sites * 16;
    sample->time = machine.time;
    if (machine.sample_stacks == 0)
        return;
    sample->pc = 0x1000 + (mixed >> 8) % machine.sample_stacks * 4;
    sample->callers[number % 3 * 5] = 0x100000 + (mixed >> 44) % machine.sample_stacks * 4;
}

static void make_sample(struct sys_sample *sample, u32 cpu, u32 index, u64 number)
{
    *sample = (struct sys_sample){
        .cpu = (u16)cpu,
        .flags = SYS_SAMPLE_KERNEL,
        .time = number,
        .coid = UINT64_MAX,
        .thread = UINT32_MAX,
        .pid = machine.sample_pids ? (u32)(number + 1) % 4 : 0,
        .pc = UINT64_MAX,
        .event = (u16)machine.asked.events[index].event,
        .caller_count = 16,
    };
    memset(sample->callers, 0xff, 16 * sizeof(u64));
    if (machine.sample_sites != 0)
        place_sample(sample, number);
}

s64 sys_sampling_read(s64 session, u32 cpu, u32 index, void *buffer, u64 bytes)
{
    u64 used = 0;
    u32 record = sizeof(struct sys_sample) + 16 * sizeof(u64);

    if (session != machine.session)
        return E_NOENT;
    if (index >= machine.asked.event_count)
        return E_INVAL;
    if (index > 0) {
        for (u32 i = 0; i < cpu && !machine.others_read[cpu][index]; i++, used += record)
            make_sample((struct sys_sample *)((u8 *)buffer + used), cpu, index, i);
        machine.others_read[cpu][index] = true;
        return (s64)used;
    }
    for (; machine.samples[cpu] > 0 && used + record <= bytes; used += record) {
        make_sample((struct sys_sample *)((u8 *)buffer + used), cpu, 0,
                    machine.samples_read[cpu]++);
        machine.samples[cpu]--;
    }
    return (s64)used;
}

s64 sys_sampling_stat(s64 session, u32 cpu, u32 index, struct sys_sampling_stat *stat)
{
    if (session != machine.session)
        return E_NOENT;
    *stat = (struct sys_sampling_stat){
        .taken = cpu, .overflows = cpu, .measured = 300 + cpu, .total = 1000, .turns = 7};
    if (index == 0)
        *stat = (struct sys_sampling_stat){
            .taken = machine.samples_read[cpu] + machine.samples[cpu],
            .lost = machine.samples_lost[cpu],
        };
    return 0;
}

// ---- trace -------------------------------------------------------------------------------------

u64 sys_trace_mask(void)
{
    return machine.mask;
}

s64 sys_trace_set_mask(u64 mask)
{
    machine.mask = mask;
    return 0;
}

s64 sys_trace_state(void)
{
    return 0;
}

s64 sys_trace_waits(void)
{
    return 0;
}

s64 sys_trace_set_mode(enum sys_trace_mode mode)
{
    (void)mode;
    machine.modes_set++;
    return 0;
}

s64 sys_trace_take(bool on)
{
    if (on && machine.taken_by_program)
        return E_BUSY;
    machine.taken = on;
    return 0;
}

s64 sys_process_pid(cap_t process)
{
    (void)process;
    return machine.self;
}

s64 sys_trace_leave_out(u32 pid, bool left_out)
{
    struct machine_process *process = machine_process(pid);
    if (!machine.taken)
        return E_PERM;
    if (process == NULL)
        return E_NOENT;
    process->left_out = left_out;
    return 0;
}

s64 sys_trace_stat(u32 cpu, struct sys_trace_stat *stat)
{
    *stat = (struct sys_trace_stat){
        .events = machine.packets_read[cpu],
        .subbuffers = 64,
        .subbuffer_bytes = PACKET_BYTES,
        .mode = SYS_TRACE_DISCARD,
    };
    return 0;
}

u64 machine_packet_word(u32 cpu, u32 n)
{
    return (u64)cpu << 56 | n;
}

s64 sys_trace_read(u32 cpu, bool flush, void *buffer, u64 bytes)
{
    if (bytes < PACKET_BYTES)
        return E_INVAL;
    if (machine.packets[cpu] == 0 && flush && machine.begun[cpu]) {
        machine.begun[cpu] = false;
        machine.packets[cpu] = 1;
    }
    if (machine.packets[cpu] == 0)
        return 0;
    machine.packets[cpu]--;
    u32 number = machine.packets_read[cpu]++;
    u64 word = machine_packet_word(cpu, number);
    memset(buffer, (int)number, PACKET_BYTES);
    memcpy(buffer, &word, sizeof(word));
    return PACKET_BYTES;
}

s64 sys_trace_metadata(u64 offset, char *buffer, u64 bytes)
{
    static const char text[] = "/* CTF 1.8 */";
    u64 left = sizeof(text) - 1 - offset;
    u64 count = left < bytes ? left : bytes;

    memcpy(buffer, text + offset, count);
    return (s64)count;
}

s64 sys_trace_event_get(u32 index, struct sys_trace_event *event)
{
    if (index >= machine.events)
        return E_NOENT;
    *event = (struct sys_trace_event){.major = 1, .minor = (u16)index, .name = "event"};
    memset(event->format, 'x', sizeof(event->format) - 1);
    return 0;
}

// ---- network, workloads ------------------------------------------------------------------------

s64 sys_net_stat(struct sys_net_stat *stat)
{
    *stat = (struct sys_net_stat){.received_frames = 5};
    return 0;
}

s64 sys_workload_get(u32 index, struct sys_workload *workload)
{
    if (index >= 2)
        return E_NOENT;
    *workload = (struct sys_workload){.name = "demo", .help = "no parameters"};
    return 0;
}

s64 sys_workload_run_get(u32 index, struct sys_workload_run *run)
{
    static const struct sys_workload_run runs[] = {
        {.id = 0}, {.id = 9, .running = 1, .began = 70, .command = "demo:work=1\xff"}};

    if (index >= ARRAY_SIZE(runs))
        return E_NOENT;
    *run = runs[index];
    return 0;
}

s64 sys_workload_start(const char *command, char *message, u64 bytes)
{
    if (strcmp(command, "demo") == 0)
        return 9;
    snprintf(message, bytes, "no workload %s", command);
    return E_NOENT;
}

s64 sys_workload_stop(s64 id)
{
    return id == 9 ? 0 : E_NOENT;
}

s64 sys_workload_status(s64 id, struct sys_workload_status *status)
{
    if (id != 9)
        return E_NOENT;
    *status = (struct sys_workload_status){.running = 1, .report = "rounds 3\n"};
    return 0;
}
