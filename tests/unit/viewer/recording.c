// SPDX-License-Identifier: MIT
// Recordings: what is written is read again, and damaged files of every kind do no harm.
#include "unit.h"

#include "samples/recording.h"
#include "tools/kov.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct settings settings;

// Passes a frame to the writer as it would come from a machine.
static void write_frame(struct recording_writer *writer, const dci_frame *frame)
{
    struct bytes payload = {0};
    payload.size = orrery__dci__server_frame__get_packed_size(frame);
    payload.data = memory_get(payload.size);
    orrery__dci__server_frame__pack(frame, payload.data);
    recording_tap(writer, &payload, frame);
    bytes_free(&payload);
}

// Bodies are unions of pointers: any member takes any of them.
static void write_response(struct recording_writer *writer, Orrery__Dci__Response__BodyCase which,
                           void *body)
{
    dci_response response = ORRERY__DCI__RESPONSE__INIT;
    response.body_case = which;
    response.system = body;
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE;
    frame.response = &response;
    write_frame(writer, &frame);
}

static void write_event(struct recording_writer *writer, Orrery__Dci__Event__BodyCase which,
                        void *body)
{
    Orrery__Dci__Event event = ORRERY__DCI__EVENT__INIT;
    event.body_case = which;
    event.samples = body;
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_EVENT;
    frame.event = &event;
    write_frame(writer, &frame);
}

static void write_system(struct recording_writer *writer)
{
    Orrery__Dci__SystemInfo system = ORRERY__DCI__SYSTEM_INFO__INIT;
    u8 id[20] = {1, 2, 3};
    system.cpu_count = 2;
    system.build_id.data = id;
    system.build_id.len = sizeof(id);
    write_response(writer, ORRERY__DCI__RESPONSE__BODY_SYSTEM, &system);
}

static void write_class(struct recording_writer *writer)
{
    Orrery__Dci__ObjectClass class = ORRERY__DCI__OBJECT_CLASS__INIT;
    class.class_id = 1;
    class.name = (char *)"Worker";
    class.implementation = (char *)"WorkerShared";
    Orrery__Dci__ObjectClass *list[] = {&class};
    Orrery__Dci__ClassesReply reply = ORRERY__DCI__CLASSES_REPLY__INIT;
    reply.n_classes = 1;
    reply.classes = list;
    write_response(writer, ORRERY__DCI__RESPONSE__BODY_CLASSES, &reply);
}

static void write_object(struct recording_writer *writer)
{
    Orrery__Dci__Object object = ORRERY__DCI__OBJECT__INIT;
    u64 children[] = {32, 48};
    object.coid = 16;
    object.class_id = 1;
    object.n_children = 2;
    object.children = children;
    Orrery__Dci__Object *list[] = {&object};
    Orrery__Dci__ObjectsReply reply = ORRERY__DCI__OBJECTS_REPLY__INIT;
    reply.n_objects = 1;
    reply.objects = list;
    write_response(writer, ORRERY__DCI__RESPONSE__BODY_OBJECTS, &reply);
}

static void write_start(struct recording_writer *writer)
{
    Orrery__Dci__SamplingStartReply reply = ORRERY__DCI__SAMPLING_START_REPLY__INIT;
    reply.time = 100;
    write_response(writer, ORRERY__DCI__RESPONSE__BODY_SAMPLING_START, &reply);
}

// Event 1 has a period of 30 from time 200 on.
static void write_change(struct recording_writer *writer)
{
    Orrery__Dci__SamplingChanged changed = ORRERY__DCI__SAMPLING_CHANGED__INIT;
    changed.index = 1;
    changed.period = 30;
    changed.time = 200;
    write_event(writer, ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED, &changed);
}

// Of event 1: two from before a change, that arrive after it, and one from then.
static void write_late_samples(struct recording_writer *writer)
{
    Orrery__Dci__Sample before = ORRERY__DCI__SAMPLE__INIT, after = ORRERY__DCI__SAMPLE__INIT;
    before.time = 199;
    after.time = 200;
    Orrery__Dci__Sample *list[] = {&before, &before, &after};
    Orrery__Dci__Samples samples = ORRERY__DCI__SAMPLES__INIT;
    samples.index = 1;
    samples.n_samples = 3;
    samples.samples = list;
    write_event(writer, ORRERY__DCI__EVENT__BODY_SAMPLES, &samples);
}

static void write_samples(struct recording_writer *writer)
{
    Orrery__Dci__Sample sample = ORRERY__DCI__SAMPLE__INIT;
    u64 callers[] = {0x204, 0x304};
    sample.coid = 16;
    sample.pc = 0x100;
    sample.flags =
        ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_KERNEL | ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_ATTRIBUTED;
    sample.n_callers = 2;
    sample.callers = callers;
    Orrery__Dci__Sample *list[] = {&sample, &sample, &sample};
    Orrery__Dci__Samples samples = ORRERY__DCI__SAMPLES__INIT;
    samples.cpu = 1;
    samples.lost = 4;
    samples.n_samples = 3;
    samples.samples = list;
    write_event(writer, ORRERY__DCI__EVENT__BODY_SAMPLES, &samples);
}

static void write_stat(struct recording_writer *writer)
{
    Orrery__Dci__SamplingStat stat = ORRERY__DCI__SAMPLING_STAT__INIT;
    stat.cpu = 1;
    stat.taken = 3;
    stat.lost = 5;
    Orrery__Dci__SamplingStat *list[] = {&stat};
    Orrery__Dci__SamplingStatReply reply = ORRERY__DCI__SAMPLING_STAT_REPLY__INIT;
    reply.n_cpus = 1;
    reply.cpus = list;
    write_response(writer, ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP, &reply);
}

// The file as bytes; to be freed.
static u8 *example(size_t *size)
{
    char folder[] = "/tmp/kov-unit-XXXXXX", path[sizeof(folder) + sizeof("/example")];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/example", folder);
    struct recording_writer writer;
    struct sampling_request request = {
        .callers = 16,
        .precise = true,
        .events = {.count = 2,
                   .events = {{.event = SAMPLED_RUN_CYCLES, .period = 1000000, .randomise = 10},
                              {.event = SAMPLED_MODEL + 2,
                               .mode = COUNT_USER,
                               .period = 20,
                               .name = "larx"}}},
    };
    assert_int_equal(recording_create(&writer, path, &request), KOV_OK);
    write_system(&writer);
    write_class(&writer);
    write_object(&writer);
    write_start(&writer);
    write_samples(&writer);
    write_change(&writer);
    write_late_samples(&writer);
    write_stat(&writer);
    assert_int_equal(recording_finish(&writer, KOV_OK), KOV_OK);
    *size = (size_t)writer.bytes;
    u8 *data = memory_get(*size);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    unlink(path);
    rmdir(folder);
    return data;
}

// The example as it is read again; the recording is to be freed.
static void read_example(struct recording *recording)
{
    size_t size;
    u8 *data = example(&size);
    assert_null(recording_decode(data, size, recording));
    free(data);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct recording recording;
    read_example(&recording);
    assert_false(recording.cut);
    assert_int_equal(recording.request.events.count, 2);
    assert_int_equal(recording.request.events.events[0].period, 1000000);
    assert_string_equal(recording.request.events.events[0].name, "run-cycles");
    assert_string_equal(recording.request.events.events[1].name, "larx");
    assert_int_equal(recording.request.events.events[1].mode, COUNT_USER);
    assert_true(recording.request.precise);
    assert_int_equal(recording.cpu_count, 2);
    assert_int_equal(recording.build_id_size, 20);
    assert_string_equal(snapshot_class(&recording.snapshot, 0, 1)->name, "Worker");
    assert_int_equal(snapshot_object(&recording.snapshot, 0, 16)->children[1], 48);
    assert_int_equal(recording.samples.count, 6);
    assert_int_equal(recording.samples.samples[2].callers[1], 0x304);
    const struct sample_stream *stream = &recording.samples.cpus[1].streams[0];
    assert_int_equal(stream->lost, 5);
    assert_int_equal(stream->taken, stream->received);
    recording_free(&recording);
}

static void samples_stand_for_the_threshold_of_their_time(void **state)
{
    (void)state;
    struct recording recording;
    read_example(&recording);
    assert_int_equal(samples_events(&recording.samples, 0).events, 3000000);
    assert_int_equal(recording.samples.by_event[1].samples, 3);
    assert_int_equal(samples_events(&recording.samples, 1).events, 20 + 20 + 30);
    assert_true(samples_events(&recording.samples, 1).square == 400 + 400 + 900);
    assert_int_equal(recording.samples.changes[1], 1);
    recording_free(&recording);
}

static void every_beginning_of_a_recording_is_readable(void **state)
{
    (void)state;
    size_t size;
    u8 *data = example(&size);
    size_t cut = 0;
    for (size_t length = RECORDING_MAGIC_BYTES; length < size; length++) {
        u8 *part = memory_get(length); // of its own, so that the sanitizer sees its end
        memcpy(part, data, length);
        struct recording recording;
        assert_null(recording_decode(part, length, &recording));
        cut += recording.cut;
        recording_free(&recording);
        free(part);
    }
    assert_true(cut >= size - RECORDING_MAGIC_BYTES - 10); // all but the ends of the frames
    free(data);
}

static void damaged_recordings_do_no_harm(void **state)
{
    (void)state;
    u64 seed = 1;
    size_t size;
    u8 *data = example(&size);
    u8 *damaged = memory_get(size);
    for (u64 round = 0; round < unit_fuzz_rounds(20000); round++) {
        memcpy(damaged, data, size);
        for (u64 changes = 1 + unit_random(&seed) % 8; changes > 0; changes--)
            damaged[RECORDING_MAGIC_BYTES + unit_random(&seed) % (size - RECORDING_MAGIC_BYTES)] =
                (u8)unit_random(&seed);
        struct recording recording;
        recording_decode(damaged, size, &recording);
        for (size_t i = 0; i < recording.samples.count; i++)
            assert_true(recording.samples.samples[i].caller_count <= SAMPLE_MAX_CALLERS);
        recording_free(&recording);
    }
    free(damaged);
    free(data);
}

static void random_frames_do_no_harm(void **state)
{
    (void)state;
    u64 seed = 2;
    for (u64 round = 0; round < unit_fuzz_rounds(20000); round++) {
        u8 data[RECORDING_MAGIC_BYTES + 80];
        memcpy(data, RECORDING_MAGIC, RECORDING_MAGIC_BYTES);
        for (size_t i = RECORDING_MAGIC_BYTES; i < sizeof(data); i++)
            data[i] =
                (u8)(unit_random(&seed) >> (round % 8)); // small values make more valid fields
        struct recording recording;
        recording_decode(data, RECORDING_MAGIC_BYTES + unit_random(&seed) % 81, &recording);
        recording_free(&recording);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(samples_stand_for_the_threshold_of_their_time),
        cmocka_unit_test(every_beginning_of_a_recording_is_readable),
        cmocka_unit_test(damaged_recordings_do_no_harm),
        cmocka_unit_test(random_frames_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
