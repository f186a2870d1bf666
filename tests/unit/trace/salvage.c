// SPDX-License-Identifier: MIT
// Packets of processes: what a writer leaves behind when it is stopped at any instruction, and what
// is made of packets that were tampered with.
#define _GNU_SOURCE
#include "host_platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <trace/check.h>
#include <trace/events.h>
#include <trace/metadata.h>
#include <trace/ring.h>
#include <trace/salvage.h>

#include "src/append.h"

#define PID 77
#define COUNT 2

// The ring, in memory that outlives its writer.
static struct shared {
    u8 subbuffers[COUNT][TRACE_SUBBUFFER_SIZE];
    struct trace_cpu cpu;
    u64 addresses[COUNT];
    u8 spare[TRACE_SUBBUFFER_SIZE];
    u64 started; // events that the writer has begun to log
} * shared;

static struct shared *shared_new(enum sys_trace_mode mode)
{
    u8 *memory = mmap(NULL, sizeof(*shared) + TRACE_SUBBUFFER_SIZE, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    struct shared *new = (struct shared *)ALIGN_UP((u64)memory, (u64)TRACE_SUBBUFFER_SIZE);
    new->cpu = (struct trace_cpu){.magic = TRACE_CPU_MAGIC,
                                  .subbuffers = (u64) new->addresses,
                                  .subbuffer_count = COUNT,
                                  .mode = (u16)mode};
    for (u64 words = 0; words <= TRACE_MAX_WORDS; words++)
        new->cpu.step[words] = 1UL << 32 | (words + 1) * 8;
    for (u32 i = 0; i < COUNT; i++)
        new->addresses[i] = (u64) new->subbuffers[i];
    return new;
}

static void log_one(u64 value)
{
    shared->started++;
    trace_ring_append(&shared->cpu, TRACE_HEADER(1, TRACE_MAJOR_TEST, 1), &value);
}

static bool read_memory(void *context, void *to, u64 from, u64 bytes)
{
    (void)context;
    if (from < (u64)shared || from + bytes > (u64)(shared + 1))
        return false;
    memcpy(to, (const void *)from, bytes);
    return true;
}

static union {
    struct trace_packet packet;
    u8 bytes[TRACE_SUBBUFFER_SIZE];
} scratch;

struct found {
    u64 events, lost;
    u64 last; // value
};

// Everything that is in the ring, checked: values must follow each other without a gap.
static struct found salvage_all(u64 now)
{
    struct trace_salvage salvage;
    struct trace_stream stream = {0};
    struct found found = {0};
    assert_true(trace_salvage_open(&salvage, &shared->cpu, read_memory, NULL));
    for (u64 n = salvage.ring.consumed; n != salvage.ring.begun; n++) {
        u64 content = trace_salvage_packet(&salvage, n, &scratch.packet, now);
        if (content == 0)
            continue;
        assert_int_equal(trace_check_packet(&scratch.packet, content, PID, 0, now, &stream),
                         content);
        u32 count = TRACE_BE32(scratch.packet.event_count);
        found.lost = TRACE_BE64(scratch.packet.events_overwritten) +
                     TRACE_BE64(scratch.packet.events_discarded);
        assert_int_equal(count, (content - sizeof(struct trace_packet)) / 16);
        for (u32 i = 0; i < count; i++) {
            u64 value = TRACE_BE64(scratch.packet.events[2 * i + 1]);
            assert_true(found.events == 0 || value == found.last + 1);
            found.last = value;
            found.events++;
        }
    }
    if (trace_salvage_rest(&salvage, PID, 0, &scratch.packet, now, &stream) != 0) {
        assert_int_equal(scratch.packet.event_count, 0);
        assert_int_equal(TRACE_BE32(scratch.packet.packet_seq_num), stream.sequence - 1);
        found.lost = TRACE_BE64(scratch.packet.events_overwritten) +
                     TRACE_BE64(scratch.packet.events_discarded);
    }
    return found;
}

static void start(enum sys_trace_mode mode)
{
    host_start(COUNT, SYS_TRACE_OVERWRITE);
    host_pid = PID;
    shared = shared_new(mode);
}

static void end(void)
{
    host_pid = 0;
    munmap(shared, sizeof(*shared));
    host_end();
}

// As many events as leave room for this many in the current packet.
static void log_up_to(u64 total)
{
    while (shared->started < total)
        log_one(shared->started + 1);
}

static u64 per_packet(void)
{
    return (TRACE_SUBBUFFER_SIZE - sizeof(struct trace_packet)) / 16 - 4;
}

// Logs up to `to`, then takes a packet out for a reader.
static void child(u64 to)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    log_up_to(to);
    trace_ring_take(&shared->cpu, true, shared->spare);
    _exit(0);
}

// Has the writer's last instruction stored to the ring or a packet's header?
static bool changed(void)
{
    static struct {
        struct trace_cpu cpu;
        struct trace_packet packets[COUNT];
        u64 started;
    } before, now;
    now.cpu = shared->cpu;
    now.started = shared->started;
    for (u32 i = 0; i < COUNT; i++)
        memcpy(&now.packets[i], shared->subbuffers[i], sizeof(now.packets[i]));
    bool differs = memcmp(&before, &now, sizeof(now)) != 0;
    before = now;
    return differs;
}

// Executes a writer instruction by instruction. At each one it could have been killed. All events
// that were committed must be found, or counted as lost, and at most the one under way may be
// missing.
static void step_through(u64 to)
{
    int status;
    u64 steps = 0;
    pid_t pid = fork();
    if (pid == 0)
        child(to);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    while (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid &&
           WIFSTOPPED(status)) {
        steps++;
        if (!changed())
            continue;
        struct found found = salvage_all(UINT64_MAX / 2);
        u64 total = found.events + found.lost;
        if (total != shared->started && total + 1 != shared->started)
            fail_msg("step %lu: %lu events found, %lu lost, %lu logged", (unsigned long)steps,
                     (unsigned long)found.events, (unsigned long)found.lost,
                     (unsigned long)shared->started);
        assert_true(shared->cpu.discarded != 0 || found.events == 0 ||
                    found.last == shared->started || found.last + 1 == shared->started);
    }
    assert_true(steps > 100);
}

static void a_killed_writer_leaves_no_torn_event(void **state)
{
    (void)state;
    start(SYS_TRACE_OVERWRITE);
    step_through(2); // the first packet
    end();
    start(SYS_TRACE_OVERWRITE);
    log_up_to(per_packet() - 1);
    step_through(shared->started + 8); // one closed, one begun
    end();
    start(SYS_TRACE_OVERWRITE);
    log_up_to(2 * per_packet() + 3);
    step_through(shared->started + 8); // one overwritten
    end();
}

static void a_killed_writer_has_counted_what_it_discarded(void **state)
{
    (void)state;
    start(SYS_TRACE_DISCARD);
    log_up_to(2 * per_packet() + 3);
    step_through(shared->started + 8);
    end();
}

// ---- bad packets -------------------------------------------------------------------------------

static u64 good_packet(void)
{
    struct trace_salvage salvage;
    log_up_to(10);
    assert_true(trace_salvage_open(&salvage, &shared->cpu, read_memory, NULL));
    return trace_salvage_packet(&salvage, 0, &scratch.packet, host_time);
}

static u64 check(u64 content, struct trace_stream *stream)
{
    return trace_check_packet(&scratch.packet, content, PID, 3, host_time, stream);
}

static void a_header_is_made_right(void **state)
{
    (void)state;
    struct trace_stream stream = {0};
    start(SYS_TRACE_OVERWRITE);
    u64 content = good_packet();
    scratch.packet.stream_id = 0;
    scratch.packet.pid = TRACE_BE32(1);
    scratch.packet.cpu_id = TRACE_BE32(99);
    scratch.packet.event_count = TRACE_BE32(1000000);
    scratch.packet.packet_bits = 0;
    memset(scratch.packet.uuid, 0, sizeof(scratch.packet.uuid));
    assert_int_equal(check(content, &stream), content);
    assert_int_equal(TRACE_BE32(scratch.packet.stream_id), TRACE_STREAM_PROCESS);
    assert_int_equal(TRACE_BE32(scratch.packet.pid), PID);
    assert_int_equal(TRACE_BE32(scratch.packet.cpu_id), 3);
    assert_int_equal(TRACE_BE32(scratch.packet.event_count), 10);
    assert_int_equal(TRACE_BE64(scratch.packet.packet_bits), content * 8);
    assert_memory_equal(scratch.packet.uuid, trace_uuid, sizeof(trace_uuid));
    end();
}

static void what_is_no_event_ends_a_packet(void **state)
{
    (void)state;
    const u64 words[] = {0, UINT64_MAX, TRACE_HEADER(1, TRACE_MAJOR_TEST, 4),
                         TRACE_HEADER(1, 63, 1), TRACE_HEADER(1000, TRACE_MAJOR_TEST, 1)};
    for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
        struct trace_stream stream = {0};
        start(SYS_TRACE_OVERWRITE);
        u64 content = good_packet();
        u64 time = TRACE_BE64(scratch.packet.events[6]) & 0xffffffff00000000;
        scratch.packet.events[6] = TRACE_BE64(words[i] == UINT64_MAX ? words[i] : time | words[i]);
        assert_int_equal(check(content, &stream), sizeof(struct trace_packet) + 3 * 16);
        assert_int_equal(TRACE_BE32(scratch.packet.event_count), 3);
        end();
    }
}

static void times_must_not_go_back(void **state)
{
    (void)state;
    struct trace_stream stream = {0};
    start(SYS_TRACE_OVERWRITE);
    u64 content = good_packet();
    scratch.packet.events[8] = TRACE_BE64(TRACE_BE64(scratch.packet.events[8]) - (100UL << 32));
    assert_int_equal(check(content, &stream), sizeof(struct trace_packet) + 4 * 16);
    // The same packet again, and one of the future.
    assert_int_equal(check(content, &stream), 0);
    end();
    start(SYS_TRACE_OVERWRITE);
    stream = (struct trace_stream){0};
    content = good_packet();
    scratch.packet.timestamp_end = TRACE_BE64(host_time + 1000000);
    assert_int_equal(check(content, &stream), 0);
    assert_int_equal(stream.last_end, 0);
    end();
}

static void an_impossible_ring_is_refused(void **state)
{
    (void)state;
    struct trace_salvage salvage;
    start(SYS_TRACE_OVERWRITE);
    log_up_to(10);
    struct trace_cpu good = shared->cpu;
    struct trace_cpu bad[6] = {good, good, good, good, good, good};
    bad[0].magic++;
    bad[1].subbuffer_count = 3;
    bad[2].subbuffer_count = 1U << 31;
    bad[3].begun = UINT64_MAX;
    bad[4].consumed = 5;
    bad[5].subbuffers = 8;
    for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(trace_salvage_open(&salvage, &bad[i], read_memory, NULL));
    // Good, but for an address.
    shared->addresses[0] = 0x10000;
    assert_true(trace_salvage_open(&salvage, &good, read_memory, NULL));
    assert_int_equal(trace_salvage_packet(&salvage, 0, &scratch.packet, host_time), 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_writer_leaves_no_torn_event),
        cmocka_unit_test(a_killed_writer_has_counted_what_it_discarded),
        cmocka_unit_test(a_header_is_made_right),
        cmocka_unit_test(what_is_no_event_ends_a_packet),
        cmocka_unit_test(times_must_not_go_back),
        cmocka_unit_test(an_impossible_ring_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
