// SPDX-License-Identifier: MIT
// The trace engine. What the machine's own ring has logged comes out of a folder whole and in
// order, and the engine tells what is missing. No mutation of a folder does more than fail.
#include "unit.h"

#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/live.h"
#include "analyses/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HZ 512000000UL
#define PACKET 4096
#define STREAMS 4
#define PACKETS 8

static char folder[64];

static void write_file(const char *name, const void *data, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static const char metadata[] =
    "/* CTF 1.8 */\nclock { name = timebase; freq = 512000000; };\n"
    "event { name = \"test0\"; id = 0x410000; stream_id = 0; fields := struct {\n}; };\n"
    "event { name = \"test2\"; id = 0xc10002; stream_id = 0; fields := struct {\n"
    "    uint64 _a;\n    uint64 _b;\n}; };\n"
    "event { name = \"switch\"; id = 0x1030000; stream_id = 0; fields := struct {\n"
    "    uint64 _from;\n    uint64 _to;\n    uint32 _from_priority;\n    uint32 _to_priority;\n"
    "}; };\n";

static void *start_packet(u8 *data, u32 pid, u32 cpu, u32 sequence, u64 begin)
{
    memset(data, 0, PACKET);
    struct trace_packet *packet = (struct trace_packet *)data;
    *packet = (struct trace_packet){
        .magic = TRACE_BE32(TRACE_PACKET_MAGIC),
        .timestamp_begin = TRACE_BE64(begin),
        .timestamp_end = TRACE_BE64(begin),
        .content_bits = TRACE_BE64(8 * sizeof(*packet)),
        .packet_bits = TRACE_BE64(8 * PACKET),
        .pid = TRACE_BE32(pid),
        .cpu_id = TRACE_BE32(cpu),
        .packet_seq_num = TRACE_BE32(sequence),
    };
    return packet;
}

// test2 with its time and the stream's number.
static void add_event(struct trace_packet *packet, u64 time, u64 value)
{
    u64 bytes = TRACE_BE64(packet->content_bits) / 8;
    u64 words[3] = {TRACE_BE64(time << 32 | TRACE_HEADER(2, 1, 2)), TRACE_BE64(time),
                    TRACE_BE64(value)};
    memcpy((u8 *)packet + bytes, words, sizeof(words));
    packet->content_bits = TRACE_BE64(8 * (bytes + sizeof(words)));
    packet->timestamp_end = TRACE_BE64(time);
    packet->event_count = TRACE_BE32(TRACE_BE32(packet->event_count) + 1);
}

static u8 streams[STREAMS][PACKETS][PACKET] __attribute__((aligned(8)));
static u64 event_count;

static void write_streams(void)
{
    for (u32 stream = 0; stream < STREAMS; stream++) {
        char name[32];
        snprintf(name, sizeof(name), "stream_%u", stream);
        write_file(name, streams[stream], sizeof(streams[stream]));
    }
}

static u32 pid_of(u32 stream)
{
    return stream / 2 * (6 + stream);
}

// Streams of two CPUs of the kernel and of two processes, with events at random distances.
static int start(void **state)
{
    (void)state;
    u64 seed = 5;
    message_quiet(true); // the streams end at different times
    strcpy(folder, "/tmp/kov-engine-XXXXXX");
    assert_non_null(mkdtemp(folder));
    event_count = 0;
    for (u32 stream = 0; stream < STREAMS; stream++) {
        u64 time = 1 + unit_random(&seed) % HZ;
        for (u32 number = 0; number < PACKETS; number++) {
            struct trace_packet *packet = start_packet(
                streams[stream][number], stream / 2 * (6 + stream), stream % 2, number, time);
            for (u64 events = unit_random(&seed) % 100; events > 0; events--) {
                time += unit_random(&seed) % (1UL << unit_random(&seed) % 32);
                add_event(packet, time, stream);
                event_count++;
            }
        }
    }
    write_file("metadata", metadata, strlen(metadata));
    write_streams();
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    message_quiet(false);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

struct seen {
    u64 events, losses, unknown, last;
    struct trace_loss loss;
    u64 from, sum;
};

static int see_event(void *context, const struct trace_event *event)
{
    struct seen *seen = context;
    u64 values[TRACE_MAX_FIELDS];
    assert_true(event->time >= seen->last && event->time >= seen->from);
    seen->last = event->time;
    seen->events++;
    seen->unknown += event->description == NULL;
    for (u32 i = 0; i < event->words * sizeof(u64); i++)
        seen->sum += event->data[i]; // all of it is there
    if (event->description != NULL)
        trace_event_fields(event, values);
    if (event->description != NULL && event->description->info.field_count > 0)
        seen->sum += values[0];
    return KOV_OK;
}

static int see_loss(void *context, const struct trace_loss *loss)
{
    struct seen *seen = context;
    assert_true(loss->from <= loss->to);
    seen->losses++;
    seen->loss = *loss;
    return KOV_OK;
}

static int look(struct seen *seen, u64 from, u64 to)
{
    struct engine engine;
    struct visitor visitor = {see_event, see_loss, seen};
    *seen = (struct seen){.from = from};
    int code = engine_open_folder(&engine, folder);
    if (code == KOV_OK) {
        engine_seek(&engine, from);
        code = engine_visit(&engine, to, &visitor);
    }
    engine_close(&engine);
    return code;
}

// Reads a timeline in portions. Its slices of each CPU stand end to end, whatever the folder has.
static int look_at_timeline(u64 portion, u64 from, u64 to)
{
    struct timeline *timeline = memory_get(sizeof(*timeline));
    struct slices slices = {0};
    int code = timeline_open(timeline, folder, 1 << 20);
    while (code == KOV_OK && !timeline->is_whole)
        code = timeline_read(timeline, portion);
    if (code == KOV_OK)
        code = timeline_slices(timeline, from, to, 10, 60, &slices);
    u64 ends[ORRERY_MAX_CPUS] = {0};
    for (size_t i = 0; i < slices.count; i++) {
        const struct slice *row = &slices.rows[i];
        assert_true(row->from < row->to && row->ticks <= row->to - row->from && row->count > 0);
        assert_true(row->from >= ends[row->cpu] || row->to == ends[row->cpu]);
        ends[row->cpu] = row->to;
    }
    assert_true(slices.count <= 60);
    slices_free(&slices);
    timeline_close(timeline);
    free(timeline);
    return code;
}

static int see_own(void *context, const struct trace_event *event)
{
    u64 values[TRACE_MAX_FIELDS];
    trace_event_fields(event, values);
    assert_int_equal(values[0], event->time);
    assert_int_equal(event->pid, pid_of((u32)values[1]));
    assert_int_equal(event->cpu, values[1] % 2);
    return see_event(context, event);
}

static void every_event_comes_in_the_order_of_time(void **state)
{
    (void)state;
    struct engine engine;
    struct seen seen = {0};
    struct visitor visitor = {see_own, see_loss, &seen};
    assert_int_equal(engine_open_folder(&engine, folder), KOV_OK);
    engine_seek(&engine, 0);
    assert_int_equal(engine_visit(&engine, UINT64_MAX, &visitor), KOV_OK);
    engine_close(&engine);
    assert_int_equal(seen.events, event_count);
    assert_int_equal(seen.losses, 0);
}

static void any_range_has_what_a_whole_look_has_of_it(void **state)
{
    (void)state;
    u64 seed = 11, found = 0;
    struct seen part = {0};
    for (u32 i = 0; i < 20; i++) {
        u64 middle = unit_random(&seed) % (30 * HZ);
        assert_int_equal(look(&part, 0, middle), KOV_OK);
        found = part.events;
        assert_int_equal(look(&part, middle + 1, UINT64_MAX), KOV_OK);
        assert_int_equal(found + part.events, event_count);
    }
}

static void a_visit_goes_on_where_the_last_one_ended(void **state)
{
    (void)state;
    struct engine engine;
    struct seen seen = {0};
    struct visitor visitor = {see_own, see_loss, &seen};
    assert_int_equal(engine_open_folder(&engine, folder), KOV_OK);
    engine_seek(&engine, 0);
    for (u64 to = 0; to < 60 * HZ; to += HZ / 7)
        assert_int_equal(engine_visit(&engine, to, &visitor), KOV_OK);
    assert_int_equal(engine_visit(&engine, UINT64_MAX, &visitor), KOV_OK);
    engine_close(&engine);
    assert_int_equal(seen.events, event_count);
}

static void a_loss_lies_between_two_packets(void **state)
{
    (void)state;
    struct seen seen = {0};
    for (u32 number = 3; number < PACKETS; number++) {
        struct trace_packet *packet = (struct trace_packet *)streams[1][number];
        packet->packet_seq_num = TRACE_BE32(number + 4);
        packet->events_discarded = TRACE_BE64(77);
    }
    write_streams();
    assert_int_equal(look(&seen, 0, UINT64_MAX), KOV_OK);
    assert_int_equal(seen.events, event_count);
    assert_int_equal(seen.losses, 1);
    const struct trace_packet *before = (struct trace_packet *)streams[1][2];
    const struct trace_packet *after = (struct trace_packet *)streams[1][3];
    assert_int_equal(seen.loss.from, TRACE_BE64(before->timestamp_end));
    assert_int_equal(seen.loss.to, TRACE_BE64(after->timestamp_begin));
    assert_int_equal(seen.loss.packets, 4);
    assert_int_equal(seen.loss.discarded, 77);
    assert_int_equal(look(&seen, seen.loss.to + 1, UINT64_MAX), KOV_OK);
    assert_int_equal(seen.losses, 0);
}

static int see_two(void *context, const struct trace_event *event)
{
    struct seen *seen = context;
    (void)event;
    return ++seen->events == 2 ? VISIT_ENOUGH : KOV_OK;
}

static void a_visitor_may_have_enough(void **state)
{
    (void)state;
    struct engine engine;
    struct seen seen = {0};
    struct visitor visitor = {see_two, NULL, &seen};
    assert_int_equal(engine_open_folder(&engine, folder), KOV_OK);
    engine_seek(&engine, 0);
    assert_int_equal(engine_visit(&engine, UINT64_MAX, &visitor), KOV_OK);
    assert_int_equal(seen.events, 2);
    engine_close(&engine);
}

static void packets_of_a_running_machine_are_shown_in_order(void **state)
{
    (void)state;
    struct engine engine;
    struct seen seen = {0};
    struct visitor visitor = {see_own, see_loss, &seen};
    engine_open_live(&engine, "the machine");
    assert_int_equal(descriptions_read(&engine.descriptions, metadata, "the machine"), KOV_OK);
    engine_seek(&engine, 0);
    assert_int_equal(engine_complete_until(&engine, 2), 0);
    for (u32 number = 0; number < PACKETS; number++) {
        // Those of processes first: they are complete when the kernel's have come.
        for (u32 stream = STREAMS; stream-- > 0;)
            assert_int_equal(engine_add_packet(&engine, pid_of(stream), stream % 2,
                                               streams[stream][number], PACKET),
                             KOV_OK);
        u64 until = UINT64_MAX;
        for (u32 stream = 0; stream < STREAMS; stream++) {
            u64 end = TRACE_BE64(((struct trace_packet *)streams[stream][number])->timestamp_end);
            until = stream < 2 && end < until ? end : until;
        }
        assert_int_equal(engine_complete_until(&engine, 2), until);
        // Processes lag behind: no further than all have come.
        for (u32 stream = 2; stream < STREAMS; stream++) {
            u64 end = TRACE_BE64(((struct trace_packet *)streams[stream][number])->timestamp_end);
            until = end < until ? end : until;
        }
        assert_int_equal(engine_visit(&engine, until, &visitor), KOV_OK);
    }
    assert_int_equal(engine_visit(&engine, UINT64_MAX, &visitor), KOV_OK);
    for (size_t i = 0; i < engine.count; i++)
        assert_true(engine.streams[i]->count <= PACKETS);
    engine_close(&engine);
    assert_int_equal(seen.events, event_count);
}

static int see_any(void *context, const struct trace_event *event)
{
    struct seen *seen = context;
    seen->last = seen->from = 0; // what comes late is shown late
    return see_event(context, event);
}

// ---- mutations ---------------------------------------------------------------------------------

static void change(u8 *data, size_t bytes, u64 *seed)
{
    static const u8 telling[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t place = unit_random(seed) % bytes;
    data[place] = unit_random(seed) % 2 == 0 ? telling[unit_random(seed) % sizeof(telling)]
                                             : (u8)unit_random(seed);
}

// Two thirds hit headers and the first events, where they tell most.
static void mutate_stream(u8 *data, size_t bytes, u64 *seed)
{
    size_t packet = unit_random(seed) % (bytes / PACKET) * PACKET;
    size_t reach = unit_random(seed) % 3 == 0 ? PACKET : TRACE_PACKET_HEADER_SIZE + 32;
    change(data + packet, reach, seed);
}

static void mutated_folders_give_a_result_or_an_error(void **state)
{
    (void)state;
    u64 seed = 17, results = 0, errors = 0;
    static u8 copy[PACKETS][PACKET];
    for (u64 round = 0; round < unit_fuzz_rounds(3000); round++) {
        char text[sizeof(metadata)], name[32];
        struct seen seen = {0};
        memcpy(text, metadata, sizeof(text));
        u32 stream = (u32)(unit_random(&seed) % STREAMS);
        memcpy(copy, streams[stream], sizeof(copy));
        for (u64 changes = 1 + unit_random(&seed) % 3; changes > 0; changes--) {
            if (unit_random(&seed) % 4 == 0)
                change((u8 *)text, sizeof(text) - 1, &seed);
            else
                mutate_stream(copy[0], sizeof(copy), &seed);
        }
        size_t bytes =
            unit_random(&seed) % 8 == 0 ? unit_random(&seed) % sizeof(copy) : sizeof(copy);
        write_file("metadata", text, strlen(text));
        snprintf(name, sizeof(name), "stream_%u", stream);
        write_file(name, copy, bytes);
        int code = look(&seen, unit_random(&seed) % (4 * HZ), unit_random(&seed));
        assert_true(code == KOV_OK || code == KOV_FAILED);
        results += code == KOV_OK;
        errors += code == KOV_FAILED;
        if (round % 4 == 0) { // it takes longer
            u64 from = unit_random(&seed) % (4 * HZ);
            code = look_at_timeline(99, from, from + unit_random(&seed) % HZ);
            assert_true(code == KOV_OK || code == KOV_FAILED);
        }
        write_file(name, streams[stream], sizeof(copy));
    }
    assert_true(results > 0 && errors > 0);
}

static void mutated_live_packets_give_a_result_or_an_error(void **state)
{
    (void)state;
    u64 seed = 19, errors = 0;
    for (u64 round = 0; round < unit_fuzz_rounds(3000); round++) {
        struct engine engine;
        struct seen seen = {0};
        struct visitor visitor = {see_any, see_loss, &seen};
        engine_open_live(&engine, "the machine");
        assert_int_equal(descriptions_read(&engine.descriptions, metadata, "the machine"), KOV_OK);
        engine_seek(&engine, 0);
        int code = KOV_OK;
        for (u32 number = 0; number < PACKETS * STREAMS && code == KOV_OK; number++) {
            u8 packet[PACKET];
            u32 stream = (u32)(unit_random(&seed) % STREAMS);
            memcpy(packet, streams[stream][number / STREAMS], PACKET);
            if (unit_random(&seed) % 8 == 0)
                mutate_stream(packet, PACKET, &seed);
            size_t bytes = unit_random(&seed) % 64 == 0 ? unit_random(&seed) % PACKET : PACKET;
            code = engine_add_packet(&engine, pid_of(stream), stream % 2, packet, bytes);
            if (code == KOV_OK)
                code = engine_visit(&engine, unit_random(&seed) % (60 * HZ), &visitor);
        }
        assert_true(code == KOV_OK || code == KOV_FAILED || code == KOV_CONNECTION);
        errors += code != KOV_OK;
        engine_close(&engine);
    }
    assert_true(errors > 0);
}

// Monitors describe their records themselves (monitors/monitor_packets.c).
static bool is_monitors(const char *name)
{
    return strncmp(name, "MONITOR:", strlen("MONITOR:")) == 0 ||
           strcmp(name, "STATE:sensor_name") == 0 || strcmp(name, "STATE:monitor_cost") == 0;
}

static const char *const known_fields[EVENT_KINDS][EVENT_FIELDS_MAX] = {
#define kind(name_, event_, needed_, ...) [EVENT_##name_] = {__VA_ARGS__},
#include "trace/event_kinds.def"
#undef kind
};

static void this_build_has_every_event_that_is_known_by_name(void **state)
{
    (void)state;
    static const char clock[] = "clock { name = timebase; freq = 512000000; };\n";
    struct descriptions descriptions = {0};
    struct bytes text = {0};
    bytes_append(&text, clock, strlen(clock));
    bytes_append(&text, trace_metadata_events, strlen(trace_metadata_events) + 1);
    assert_int_equal(descriptions_read(&descriptions, (const char *)text.data, "this build"),
                     KOV_OK);
    for (u32 kind = EVENT_OTHER + 1; kind < EVENT_KINDS; kind++) {
        const char *name = event_kinds_name(kind);
        const struct event_description *event = event_kinds_described(&descriptions, kind);
        if (is_monitors(name))
            continue;
        assert_string_equal(event == NULL ? "none, or without a necessary field" : event->full_name,
                            name);
        for (u32 i = 0; i < EVENT_FIELDS_MAX && known_fields[kind][i] != NULL; i++)
            assert_true((event->known.told >> i & 1) != 0);
    }
    descriptions_free(&descriptions);
    bytes_free(&text);
}

static void an_event_without_a_necessary_field_is_no_known_one(void **state)
{
    (void)state;
    static const char older[] =
        "clock { name = timebase; freq = 512000000; };\n"
        "event { name = \"wake\"; id = 0xc30001; stream_id = 0; fields := struct {\n"
        "    uint64 _cpu;\n    uint64 _thread;\n}; };\n"
        "event { name = \"thread_create\"; id = 0x830002; stream_id = 0; fields := struct {\n"
        "    uint64 _thread;\n}; };\n";
    struct descriptions descriptions = {0};
    assert_int_equal(descriptions_read(&descriptions, older, "an older build"), KOV_OK);
    const struct event_description *wake = event_kinds_described(&descriptions, EVENT_WAKE);
    assert_non_null(wake);
    assert_int_equal(wake->known.told, 1 | 2);
    assert_int_equal(wake->known.places[0], 1);
    assert_int_equal(wake->known.places[1], 0);
    assert_null(event_kinds_described(&descriptions, EVENT_THREAD_CREATE));
    assert_int_equal(event_kinds_major(&descriptions, EVENT_THREAD_CREATE), 0);
    assert_int_equal(event_kinds_major(&descriptions, EVENT_WAKE), 1 << 3);
    descriptions_free(&descriptions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_event_comes_in_the_order_of_time, start, end),
        cmocka_unit_test_setup_teardown(any_range_has_what_a_whole_look_has_of_it, start, end),
        cmocka_unit_test_setup_teardown(a_visit_goes_on_where_the_last_one_ended, start, end),
        cmocka_unit_test_setup_teardown(a_loss_lies_between_two_packets, start, end),
        cmocka_unit_test_setup_teardown(a_visitor_may_have_enough, start, end),
        cmocka_unit_test_setup_teardown(packets_of_a_running_machine_are_shown_in_order, start,
                                        end),
        cmocka_unit_test(this_build_has_every_event_that_is_known_by_name),
        cmocka_unit_test(an_event_without_a_necessary_field_is_no_known_one),
        cmocka_unit_test_setup_teardown(mutated_live_packets_give_a_result_or_an_error, start, end),
        cmocka_unit_test_setup_teardown(mutated_folders_give_a_result_or_an_error, start, end),
    };
    return cmocka_run_group_tests_name("kov_engine", tests, NULL, NULL);
}
