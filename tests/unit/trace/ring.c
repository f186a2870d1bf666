// SPDX-License-Identifier: MIT
// The ring of sub-buffers: packets, both modes, counts, fillers.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include <orrery/errors.h>
#include <trace/events.h>
#include <trace/ring.h>

#include "host_platform.h"

#define EVENT_BYTES 16 // of test1
#define CONTENT (TRACE_SUBBUFFER_SIZE - TRACE_PACKET_HEADER_SIZE)
// An event begins where one of the longest would still leave a word.
#define EVENTS_A_PACKET ((CONTENT - 8 * (TRACE_MAX_WORDS + 1) + EVENT_BYTES - 1) / EVENT_BYTES)

static struct trace_cpu *const cpu = &host_cpus[0];
static char spare_note; // address only: the ring is never used after it holds this

static void log_events(u64 count)
{
    for (u64 i = 0; i < count; i++)
        trace_ring_append(cpu, TRACE_HEADER(1, TRACE_MAJOR_TEST, 1), &i);
}

static struct sys_trace_stat stat_now(void)
{
    struct sys_trace_stat stat;
    trace_ring_stat(cpu, &stat);
    return stat;
}

static struct trace_packet *take(bool flush)
{
    void *spare = trace_platform_subbuffer_alloc();
    struct trace_packet *packet = trace_ring_take(cpu, flush, spare);
    if (packet == NULL)
        trace_platform_subbuffer_free(spare);
    return packet;
}

static u64 count_by_walking(const struct trace_packet *packet, u64 bits)
{
    const u64 *event = packet->events;
    const u64 *end = (const u64 *)((const u8 *)packet + bits / 8);
    u64 count = 0;
    while (event < end) {
        u32 length = trace_event_length(TRACE_BE64(*event));
        assert_int_not_equal(length, 0);
        event += length;
        count++;
    }
    assert_ptr_equal(event, end);
    return count;
}

static int start_discard(void **state)
{
    (void)state;
    host_start(4, SYS_TRACE_DISCARD);
    return 0;
}

static int start_overwrite(void **state)
{
    (void)state;
    host_start(4, SYS_TRACE_OVERWRITE);
    return 0;
}

static int end(void **state)
{
    (void)state;
    host_end();
    return 0;
}

static void a_packet_tells_exactly_what_it_holds(void **state)
{
    (void)state;
    log_events(3);
    struct trace_packet *packet = take(true);
    assert_non_null(packet);
    assert_int_equal(packet->magic, TRACE_BE32(TRACE_PACKET_MAGIC));
    assert_int_equal(TRACE_BE64(packet->content_bits), (TRACE_PACKET_HEADER_SIZE + 3 * 16) * 8);
    assert_int_equal(TRACE_BE64(packet->packet_bits), TRACE_SUBBUFFER_SIZE * 8);
    assert_int_equal(TRACE_BE32(packet->event_count), 3);
    assert_int_equal(TRACE_BE32(packet->packet_seq_num), 0);
    u64 begin = TRACE_BE64(packet->timestamp_begin);
    for (u64 i = 0; i < 3; i++) {
        u64 word = TRACE_BE64(packet->events[2 * i]);
        assert_int_equal(trace_event_time(word), begin + 1 + i);
        assert_int_equal(trace_event_length(word), 2);
        assert_int_equal(trace_event_id(word), TRACE_MAJOR_TEST << 16 | 1);
        assert_int_equal(TRACE_BE64(packet->events[2 * i + 1]), i);
    }
    assert_int_equal(TRACE_BE64(packet->timestamp_end), begin + 4);
    free(packet);
}

static void fillers_pad_the_tail(void **state)
{
    (void)state;
    log_events(3);
    struct trace_packet *packet = take(true);
    u64 *filler = packet->events + 6;
    u64 *end = (u64 *)((u8 *)packet + TRACE_SUBBUFFER_SIZE);
    while (filler < end) {
        assert_int_equal(trace_event_id(TRACE_BE64(*filler)), TRACE_FILLER_ID);
        u32 length = trace_event_length(TRACE_BE64(*filler));
        assert_int_not_equal(length, 0);
        filler += length;
    }
    assert_ptr_equal(filler, end);
    free(packet);
}

static void discard_mode_keeps_the_oldest_and_counts_the_rest(void **state)
{
    (void)state;
    log_events(4 * EVENTS_A_PACKET + 1000);
    assert_int_equal(stat_now().events, 4 * EVENTS_A_PACKET);
    assert_int_equal(stat_now().discarded, 1000);
    assert_int_equal(stat_now().overwritten, 0);
    for (u64 i = 0; i < 4; i++) {
        struct trace_packet *packet = take(false);
        assert_int_equal(TRACE_BE32(packet->packet_seq_num), i);
        assert_int_equal(TRACE_BE32(packet->event_count), EVENTS_A_PACKET);
        assert_int_equal(count_by_walking(packet, TRACE_BE64(packet->content_bits)),
                         EVENTS_A_PACKET);
        assert_int_equal(TRACE_BE64(packet->events[1]), i * EVENTS_A_PACKET);
        free(packet);
    }
    assert_null(take(true));
}

static void discards_show_in_the_next_packet(void **state)
{
    (void)state;
    log_events(4 * EVENTS_A_PACKET + 7);
    free(take(false));
    log_events(1);
    struct trace_packet *packet = NULL;
    for (u64 i = 1; i < 5; i++) {
        free(packet);
        packet = take(true);
    }
    assert_int_equal(TRACE_BE32(packet->packet_seq_num), 4);
    assert_int_equal(TRACE_BE64(packet->events_discarded), 7);
    assert_int_equal(TRACE_BE32(packet->event_count), 1);
    free(packet);
}

static void overwrite_mode_keeps_the_latest_and_counts_the_rest(void **state)
{
    (void)state;
    u64 emitted = 9 * EVENTS_A_PACKET + 5;
    log_events(emitted);
    struct sys_trace_stat stat = stat_now();
    assert_int_equal(stat.events, emitted);
    assert_int_equal(stat.discarded, 0);
    assert_int_equal(stat.overwritten, 6 * EVENTS_A_PACKET);
    assert_int_equal(stat.packets, 10);
    assert_int_equal(stat.unread, emitted - stat.overwritten);
    u64 kept = 0, sequence = 6;
    for (struct trace_packet *packet; (packet = take(true)) != NULL; free(packet)) {
        assert_int_equal(TRACE_BE32(packet->packet_seq_num), sequence++);
        kept += TRACE_BE32(packet->event_count);
        assert_int_equal(stat_now().unread, stat.unread - kept);
    }
    assert_int_equal(sequence, 10);
    assert_int_equal(stat_now().overwritten + kept, emitted);
}

static void what_was_read_is_not_counted_as_overwritten(void **state)
{
    (void)state;
    log_events(4 * EVENTS_A_PACKET);
    free(take(false));
    free(take(false));
    log_events(4 * EVENTS_A_PACKET);
    assert_int_equal(stat_now().overwritten, 2 * EVENTS_A_PACKET);
}

static void a_taken_packet_is_not_written_any_more(void **state)
{
    (void)state;
    log_events(EVENTS_A_PACKET + 1);
    struct trace_packet *packet = take(false);
    void *copy = malloc(TRACE_SUBBUFFER_SIZE);
    memcpy(copy, packet, TRACE_SUBBUFFER_SIZE);
    log_events(20 * EVENTS_A_PACKET);
    assert_memory_equal(copy, packet, TRACE_SUBBUFFER_SIZE);
    free(copy);
    free(packet);
}

static void an_empty_open_packet_is_not_flushed(void **state)
{
    (void)state;
    assert_null(take(true));
    log_events(1);
    free(take(true));
    assert_null(take(true));
    assert_null(trace_ring_take(cpu, false, &spare_note));
}

static void renewing_closes_or_dates_anew(void **state)
{
    (void)state;
    trace_ring_renew(cpu);
    assert_int_equal(stat_now().packets, 0);
    log_events(1);
    trace_ring_renew(cpu);
    host_time += 1UL << 40;
    log_events(1);
    assert_int_equal(stat_now().packets, 2);
    free(take(false));
    struct trace_packet *packet = take(true);
    assert_true(TRACE_BE64(packet->timestamp_begin) > 1UL << 40);
    free(packet);
}

static void reset_empties_and_zeroes(void **state)
{
    (void)state;
    log_events(10 * EVENTS_A_PACKET + 1);
    trace_ring_reset(cpu, SYS_TRACE_DISCARD);
    struct sys_trace_stat stat = stat_now();
    assert_int_equal(stat.events + stat.discarded + stat.overwritten + stat.packets + stat.unread,
                     0);
    assert_int_equal(stat.mode, SYS_TRACE_DISCARD);
    assert_null(take(true));
    log_events(5);
    struct trace_packet *packet = take(true);
    assert_int_equal(TRACE_BE32(packet->event_count), 5);
    assert_int_equal(TRACE_BE32(packet->packet_seq_num), 0);
    free(packet);
}

static void counts_go_on_past_32_bits(void **state)
{
    (void)state;
    log_events(1);
    cpu->pos = 0xfffffffeUL << 32 | (u32)cpu->pos; // as after so many events
    cpu->events = 0xfffffffe - 1;
    log_events(EVENTS_A_PACKET);
    assert_int_equal(stat_now().events, 0xfffffffeUL + EVENTS_A_PACKET);
    log_events(EVENTS_A_PACKET);
    assert_int_equal(stat_now().events, 0xfffffffeUL + 2 * EVENTS_A_PACKET);
}

static void every_length_fits_its_packet(void **state)
{
    (void)state;
    static const u64 words[TRACE_MAX_WORDS] = {1, 2, 3, 4, 5, 6};
    u64 emitted = 0, kept = 0;
    for (u32 i = 0; i < 50000; i++, emitted++) {
        u32 count = i * 2654435761u >> 16 & 7;
        count = count > TRACE_MAX_WORDS ? TRACE_MAX_WORDS : count;
        trace_ring_append(cpu, TRACE_HEADER(count, TRACE_MAJOR_TEST, 0), words);
        // Not after each: most of the time goes to the spare that take() allocates.
        for (struct trace_packet *packet; i % 64 == 0 && (packet = take(false)) != NULL;
             free(packet)) {
            assert_true(TRACE_BE64(packet->content_bits) <= (TRACE_SUBBUFFER_SIZE - 8) * 8);
            kept += count_by_walking(packet, TRACE_BE64(packet->content_bits));
        }
    }
    for (struct trace_packet *packet; (packet = take(true)) != NULL; free(packet))
        kept += TRACE_BE32(packet->event_count);
    assert_int_equal(kept, emitted);
}

static void a_sub_buffer_may_end_at_a_multiple_of_4_gb(void **state)
{
    (void)state;
    u64 at = (1UL << 45) - TRACE_SUBBUFFER_SIZE;
    void *memory = mmap((void *)at, TRACE_SUBBUFFER_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_int_equal(memory, at);
    u64 *slot = (u64 *)cpu->subbuffers;
    u64 before = *slot;
    *slot = at;
    log_events(EVENTS_A_PACKET + 1);
    assert_int_equal(stat_now().events, EVENTS_A_PACKET + 1);
    assert_int_equal(TRACE_BE32(((struct trace_packet *)at)->event_count), EVENTS_A_PACKET);
    *slot = before;
    munmap(memory, TRACE_SUBBUFFER_SIZE);
}

static void a_cpu_without_buffers_counts_its_events(void **state)
{
    (void)state;
    struct trace_cpu none = {0};
    struct sys_trace_stat stat;
    u64 word = 0;
    trace_ring_append(&none, TRACE_HEADER(1, TRACE_MAJOR_TEST, 1), &word);
    trace_ring_stat(&none, &stat);
    assert_int_equal(stat.events, 0);
    assert_int_equal(stat.discarded, 1);
}

static void creation_fails_cleanly_without_memory(void **state)
{
    (void)state;
    struct trace_cpu other = {0};
    for (host_fail_after = 0; host_fail_after < 5;) {
        u64 allowed = host_fail_after;
        assert_int_equal(trace_ring_create(&other, 1, 4, SYS_TRACE_DISCARD), E_NOMEM);
        assert_int_equal(other.magic, 0);
        host_fail_after = allowed + 1;
    }
    host_fail_after = UINT64_MAX;
    assert_int_equal(trace_ring_create(&other, 1, 3, SYS_TRACE_DISCARD), E_INVAL);
    assert_int_equal(trace_ring_create(&other, 1, 1, SYS_TRACE_DISCARD), E_INVAL);
}

#define DISCARD(test) cmocka_unit_test_setup_teardown(test, start_discard, end)
#define OVERWRITE(test) cmocka_unit_test_setup_teardown(test, start_overwrite, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISCARD(a_packet_tells_exactly_what_it_holds),
        DISCARD(fillers_pad_the_tail),
        DISCARD(discard_mode_keeps_the_oldest_and_counts_the_rest),
        DISCARD(discards_show_in_the_next_packet),
        OVERWRITE(overwrite_mode_keeps_the_latest_and_counts_the_rest),
        OVERWRITE(what_was_read_is_not_counted_as_overwritten),
        OVERWRITE(a_taken_packet_is_not_written_any_more),
        DISCARD(an_empty_open_packet_is_not_flushed),
        DISCARD(renewing_closes_or_dates_anew),
        OVERWRITE(reset_empties_and_zeroes),
        OVERWRITE(counts_go_on_past_32_bits),
        DISCARD(every_length_fits_its_packet),
        DISCARD(a_sub_buffer_may_end_at_a_multiple_of_4_gb),
        DISCARD(a_cpu_without_buffers_counts_its_events),
        DISCARD(creation_fails_cleanly_without_memory),
    };
    return cmocka_run_group_tests_name("trace_ring", tests, NULL, NULL);
}
