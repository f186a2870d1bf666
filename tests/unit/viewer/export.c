// SPDX-License-Identifier: MIT
// Exports of any samples at all: nothing is lost, and the shape of the formats holds. tests/viewer
// reads them with parsers of their own.
#include "unit.h"

#include "export/export.h"
#include "samples/recording_event.h"
#include "symbols/programs.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <pprof.pb-c.h>
#include <string.h>
#include <zlib.h>

struct settings settings = {.programs = "/nowhere"};

#define SAMPLES 3000
#define PERIOD 5000
#define MAX_PLAIN (1u << 24)

static const char *const names[] = {"shell",    "",      "a;b",      "two words 3",
                                    "\xc3\xa9", "(odd)", "semi;\n;", "x"};

// Samples with any flags, processes that are there or not, and addresses of all kinds.
static void fill(struct recording *recording, u64 seed)
{
    *recording = (struct recording){.timebase_hz = 512000000, .cpu_count = 4};
    sampled_events_add_run_cycles(&recording->request.events);
    recording->request.events.events[0].period = PERIOD;
    samples_begin(&recording->samples, &recording->request.events, 0);
    for (u32 pid = 1; pid <= sizeof(names) / sizeof(names[0]); pid++)
        snapshot_add_process(&recording->snapshot,
                             &(struct process_info){.pid = pid, .name = (char *)names[pid - 1]});
    for (int i = 0; i < SAMPLES; i++) {
        u64 callers[SAMPLE_MAX_CALLERS];
        for (size_t j = 0; j < SAMPLE_MAX_CALLERS; j++)
            callers[j] = unit_random(&seed) >> (unit_random(&seed) % 64);
        struct sample sample = {
            .time = unit_random(&seed),
            .coid = unit_random(&seed) % 4,
            .pc = unit_random(&seed) % 8 * 4,
            .cpu = (u32)(unit_random(&seed) % 4),
            .flags = (u32)(unit_random(&seed) % 64),
            .thread = (u32)unit_random(&seed),
            .pid = (u32)(unit_random(&seed) % 12),
            .caller_count = (u32)(unit_random(&seed) % (SAMPLE_MAX_CALLERS + 1)),
            .callers = callers,
        };
        samples_add(&recording->samples, &sample);
    }
}

static struct programs programs;

static void clear(struct recording *recording)
{
    snapshot_free(&recording->snapshot);
    samples_free(&recording->samples);
    programs_close(&programs);
}

// What the format writes, with a zero behind; to be freed.
static char *text_of(const struct recording *recording, int (*write)(struct export *), size_t *size,
                     u64 *samples)
{
    char *text = NULL;
    struct export export = {.recording = recording,
                            .programs = &programs,
                            .choice = {.idle = true, .pid = SAMPLE_ANY_PID},
                            .out = open_memstream(&text, size)};
    message_quiet(true);
    assert_int_equal(write(&export), KOV_OK);
    assert_int_equal(fclose(export.out), 0);
    *samples = export.samples;
    return text;
}

static void folded_counts_add_up(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 5; seed++) {
        struct recording recording;
        fill(&recording, seed);
        size_t size;
        u64 samples, sum = 0;
        char *text = text_of(&recording, export_folded, &size, &samples), *rest = text, *line;
        while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
            char *blank = strrchr(line, ' ');
            assert_non_null(blank);
            assert_non_null(strchr(line, ';'));
            sum += strtoull(blank + 1, NULL, 10);
        }
        assert_null(rest);
        assert_int_equal(samples, SAMPLES);
        assert_int_equal(sum, SAMPLES * PERIOD);
        free(text);
        clear(&recording);
    }
}

static void perf_script_has_each_sample_and_frame(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 5; seed++) {
        struct recording recording;
        fill(&recording, seed);
        size_t size, heads = 0, frames = 0, ends = 0, expected = 0;
        u64 samples;
        char *text = text_of(&recording, export_perf, &size, &samples), *rest = text, *line;
        while ((line = strsep(&rest, "\n")) != NULL && rest != NULL) {
            heads += line[0] != '\t' && line[0] != '\0';
            frames += line[0] == '\t';
            ends += line[0] == '\0';
        }
        for (size_t i = 0; i < recording.samples.count; i++)
            expected += 1 + recording.samples.samples[i].caller_count;
        assert_int_equal(samples, SAMPLES);
        assert_int_equal(heads, SAMPLES);
        assert_int_equal(ends, SAMPLES);
        assert_int_equal(frames, expected);
        free(text);
        clear(&recording);
    }
}

static Pprof__Profile *unpack(const char *packed, size_t size)
{
    u8 *plain = memory_get(MAX_PLAIN);
    z_stream stream = {0};
    stream.next_in = (u8 *)packed;
    stream.avail_in = (uInt)size;
    stream.next_out = plain;
    stream.avail_out = MAX_PLAIN;
    assert_int_equal(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    Pprof__Profile *profile = pprof__profile__unpack(NULL, stream.total_out, plain);
    inflateEnd(&stream);
    free(plain);
    return profile;
}

static void profiles_add_up(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 5; seed++) {
        struct recording recording;
        fill(&recording, seed);
        size_t size;
        u64 samples, sum = 0, events = 0;
        char *packed = text_of(&recording, export_pprof, &size, &samples);
        Pprof__Profile *profile = unpack(packed, size);
        assert_non_null(profile);
        for (size_t i = 0; i < profile->n_sample; i++) {
            assert_int_equal(profile->sample[i]->n_value, 2);
            assert_int_equal(profile->sample[i]->n_label, 4);
            sum += (u64)profile->sample[i]->value[0];
            events += (u64)profile->sample[i]->value[1];
        }
        assert_int_equal(sum, SAMPLES);
        assert_int_equal(events, (u64)SAMPLES * PERIOD);
        assert_string_equal(profile->string_table[0], "");
        pprof__profile__free_unpacked(profile, NULL);
        free(packed);
        clear(&recording);
    }
}

static void only_chosen_samples_are_written(void **state)
{
    (void)state;
    struct recording recording;
    fill(&recording, 9);
    for (u64 pid = 0; pid < 12; pid++) {
        struct sample_choice choice = {.pid = pid};
        u64 expected = 0, found = 0;
        for (size_t i = 0; i < recording.samples.count; i++) {
            const struct sample *sample = &recording.samples.samples[i];
            expected += sample->pid == pid && (sample->flags & SYS_SAMPLE_IDLE) == 0;
            found += sample_is_chosen(&recording, &choice, sample);
        }
        assert_int_equal(found, expected);
    }
    clear(&recording);
}

static void a_recording_without_clock_has_no_times(void **state)
{
    (void)state;
    struct recording recording;
    fill(&recording, 1);
    recording.timebase_hz = 0;
    struct export export = {.recording = &recording, .out = stdout};
    message_quiet(true);
    assert_int_equal(export_perf(&export), KOV_FAILED);
    clear(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_counts_add_up),
        cmocka_unit_test(perf_script_has_each_sample_and_frame),
        cmocka_unit_test(profiles_add_up),
        cmocka_unit_test(only_chosen_samples_are_written),
        cmocka_unit_test(a_recording_without_clock_has_no_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
