// SPDX-License-Identifier: MIT
// What is read out is CTF: babeltrace2 finds every event, with its fields, and nothing to warn
// about.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <trace/check.h>
#include <trace/control.h>
#include <trace/events.h>
#include <trace/metadata.h>
#include <trace/trace.h>

#include "host_platform.h"

static char folder[64];
static char text[1 << 23]; // what babeltrace2 printed

static FILE *create(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void write_metadata(void)
{
    char piece[100];
    u64 offset = 0;
    FILE *file = create("metadata");
    for (s64 count; (count = trace_metadata_read(offset, piece, sizeof(piece))) > 0;) {
        fwrite(piece, 1, (size_t)count, file);
        offset += (u64)count;
    }
    fclose(file);
}

// Appends all that is in the rings.
static void write_streams(const char *mode)
{
    static u8 packet[TRACE_SUBBUFFER_SIZE];
    s64 bytes;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/cpu%u", folder, cpu);
        FILE *file = fopen(path, mode);
        assert_non_null(file);
        while ((bytes = trace_read(cpu, true, packet, sizeof(packet))) > 0)
            fwrite(packet, 1, (size_t)bytes, file);
        fclose(file);
    }
}

// Lines of output; warnings become lines that begin with '!'.
static u64 read_back(void)
{
    char command[256];
    snprintf(command, sizeof(command),
             "{ babeltrace2 --clock-cycles --no-delta %s 3>&1 1>&2 2>&3 | sed 's/^/!/'; } 2>&1",
             folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    u64 size = fread(text, 1, sizeof(text) - 1, pipe);
    assert_true(size < sizeof(text) - 1);
    text[size] = 0;
    assert_int_equal(pclose(pipe), 0);
    u64 lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    return lines;
}

static void expect_no_warning(void)
{
    const char *warning = text[0] == '!' ? text : strstr(text, "\n!");
    if (warning != NULL)
        fail_msg("babeltrace2 says: %.300s", warning);
}

static void expect_rising_times(void)
{
    u64 last = 0;
    for (const char *at = text; (at = strchr(at, '[')) != NULL; at = strchr(at, '\n')) {
        u64 time = strtoull(at + 1, NULL, 10);
        assert_true(time >= last);
        last = time;
    }
}

static int start(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/trace-ctf-XXXXXX");
    assert_non_null(mkdtemp(folder));
    host_start(8, SYS_TRACE_DISCARD);
    write_metadata();
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    host_end();
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

static void all_fields_come_back(void **state)
{
    (void)state;
    trace_set_mask(TRACE_ALL_MAJORS & ~(1UL << TRACE_MAJOR_TRACE));
    trace_test0();
    trace_switch(1, 0xfffffffffffffffe, 3, 0xfffd, 0xfffffffd);
    trace_dci_response(7, 8, -9);
    trace_lock_contended(0xc000000000000010, 2, 3, 4, 5, 6);
    write_streams("w");
    assert_int_equal(read_back(), 4);
    expect_no_warning();
    assert_non_null(
        strstr(text, "test0: { events_overwritten = 0, event_count = 4, cpu_id = 0 }, { }"));
    assert_non_null(strstr(text, "{ from = 1, to = 18446744073709551614, from_priority = 3, "
                                 "to_priority = 65533, reason = 4294967293 }"));
    assert_non_null(strstr(text, "{ client = 7, bytes = 8, error = -9 }"));
    assert_non_null(strstr(text,
                           "{ lock = 0xC000000000000010, spins = 2, ticks = 3, caller0 = 0x4, "
                           "caller1 = 0x5, caller2 = 0x6 }"));
}

static void packets_of_two_cpus_merge_by_time(void **state)
{
    (void)state;
    trace_set_mask(1UL << TRACE_MAJOR_TEST);
    write_streams("w");
    for (u64 i = 0; i < 20000; i++) {
        host_cpu = i % 3 == 0;
        trace_test2(host_cpu, i);
        if (i % 1000 == 0)
            write_streams("a");
    }
    host_cpu = 0;
    write_streams("a");
    assert_int_equal(read_back(), 20000);
    expect_no_warning();
    expect_rising_times();
}

// With heartbeats, and, major TRACE off, without.
static void time_goes_on_over_long_silence(u64 mask)
{
    trace_set_mask(mask);
    for (u32 i = 0; i < 40; i++) {
        if (i % 10 == 0)
            trace_test1(i);
        host_time += 2 * HOST_HZ;
        trace_heartbeat_tick();
    }
    trace_set_mask(0);
    host_time += 100 * HOST_HZ;
    trace_set_mask(mask);
    u64 last = host_time + 1;
    trace_test1(last);
    write_streams("w");
    read_back();
    expect_no_warning();
    expect_rising_times();
    char expected[64];
    snprintf(expected, sizeof(expected), "{ a = %lu }", last);
    assert_non_null(strstr(text, expected));
    const char *line = strstr(text, expected);
    while (line > text && line[-1] != '\n')
        line--;
    u64 time = strtoull(line + 1, NULL, 10);
    assert_in_range(time, last, last + 100);
}

static void heartbeats_carry_time_over_silence(void **state)
{
    (void)state;
    time_goes_on_over_long_silence(TRACE_ALL_MAJORS);
    assert_non_null(strstr(text, "heartbeat"));
}

static void new_packets_carry_time_over_silence(void **state)
{
    (void)state;
    time_goes_on_over_long_silence(1UL << TRACE_MAJOR_TEST);
    assert_null(strstr(text, "heartbeat"));
}

static void babeltrace_is_told_what_was_discarded(void **state)
{
    (void)state;
    trace_set_mask(1UL << TRACE_MAJOR_TEST);
    for (u64 i = 0; i < 50000; i++)
        trace_test1(i);
    struct sys_trace_stat stat;
    trace_stat(0, &stat);
    assert_int_equal(stat.events + stat.discarded, 50000);
    write_streams("w");
    trace_test1(0);
    write_streams("a");
    assert_int_equal(read_back(), stat.events + 1 + 1);
    char expected[64];
    snprintf(expected, sizeof(expected), "discarded %lu events", stat.discarded);
    assert_non_null(strstr(text, expected));
}

// The packets of a CPU, as a process of that number has written them and the kernel has checked
// them.
static void write_process(u32 cpu, u32 pid)
{
    static u8 packet[TRACE_SUBBUFFER_SIZE] __attribute__((aligned(8)));
    struct trace_packet *header = (struct trace_packet *)packet;
    struct trace_stream stream = {0};
    s64 bytes;
    char name[32];
    snprintf(name, sizeof(name), "pid%u_cpu%u", pid, cpu);
    FILE *file = create(name);
    while ((bytes = trace_read(cpu, true, packet, sizeof(packet))) > 0) {
        u64 content = trace_check_content(header);
        assert_int_equal(content, bytes);
        assert_int_equal(trace_check_packet(header, content, pid, cpu, host_time, &stream),
                         content);
        fwrite(packet, 1, content, file);
    }
    fclose(file);
}

// Two CPUs play the kernel and a process by turns: their events come out in the order in which they
// were logged, each with its process.
static void streams_of_processes_and_of_the_kernel_merge_by_time(void **state)
{
    (void)state;
    const u64 count = 20000;
    trace_set_mask(1UL << TRACE_MAJOR_TEST);
    for (u64 i = 0; i < count; i++) {
        host_cpu = i % 2;
        host_pid = host_cpu == 0 ? 0 : 42;
        trace_test1(i);
    }
    host_pid = host_cpu = 0;
    write_process(1, 42);
    write_streams("w");
    assert_int_equal(read_back(), count);
    expect_no_warning();
    const char *at = text;
    for (u64 i = 0; i < count; i++) {
        char value[32], line[512];
        const char *end_of_line = memchr(at, '\n', sizeof(line));
        assert_non_null(end_of_line);
        snprintf(line, sizeof(line), "%.*s", (int)(end_of_line - at), at);
        snprintf(value, sizeof(value), "{ a = %lu }", (unsigned long)i);
        assert_non_null(strstr(line, value));
        assert_int_equal(strstr(line, "pid = 42") != NULL, i % 2);
        at = end_of_line + 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_fields_come_back, start, end),
        cmocka_unit_test_setup_teardown(packets_of_two_cpus_merge_by_time, start, end),
        cmocka_unit_test_setup_teardown(heartbeats_carry_time_over_silence, start, end),
        cmocka_unit_test_setup_teardown(new_packets_carry_time_over_silence, start, end),
        cmocka_unit_test_setup_teardown(babeltrace_is_told_what_was_discarded, start, end),
        cmocka_unit_test_setup_teardown(streams_of_processes_and_of_the_kernel_merge_by_time, start,
                                        end),
    };
    return cmocka_run_group_tests_name("trace_ctf", tests, NULL, NULL);
}
