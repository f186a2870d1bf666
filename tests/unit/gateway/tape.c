// SPDX-License-Identifier: MIT
// Tapes: what is written is read again; files that are cut, changed, random or full do no harm.
#include "unit.h"

#include "gateway/tape.h"
#include "tools/kov.h"
#include "wire/frame.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDS 5
#define RANDOM_ROUNDS 20000

struct settings settings;
static char folder[] = "/tmp/kov-tape-XXXXXX", path[64];
static u8 whole[4096]; // the tape of write_tape
static size_t whole_size;

static const char *const payloads[RECORDS] = {"hello", "", "an answer", "a long one: 0123456789",
                                              "last"};

static void write_tape(struct tape_writer *writer)
{
    unlink(path);
    assert_int_equal(tape_create(writer, path, "left"), KOV_OK);
    for (u32 i = 0; i < RECORDS; i++)
        assert_int_equal(tape_write(writer, i == 1 ? TAPE_LOST : TAPE_FRAME, 7000000000 * i,
                                    payloads[i], strlen(payloads[i])),
                         0);
}

static int begin(void **state)
{
    (void)state;
    struct tape_writer writer;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/tape", folder);
    write_tape(&writer);
    tape_finish(&writer);
    FILE *file = fopen(path, "rb");
    whole_size = fread(whole, 1, sizeof(whole), file);
    fclose(file);
    assert_int_equal(whole_size, writer.bytes);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void check_record(const struct tape_record *record, u32 i)
{
    assert_int_equal(record->kind, i == 1 ? TAPE_LOST : TAPE_FRAME);
    assert_int_equal(record->time, 7000000000 * i);
    assert_int_equal(record->payload.size, strlen(payloads[i]));
    assert_memory_equal(record->payload.data, payloads[i], strlen(payloads[i]));
}

// How many of the records come, each as it was written, and how that ends. -1: it does not open.
static int play(const u8 *data, size_t size, enum tape_result *result)
{
    struct tape_reader reader;
    u8 *exact = memcpy(malloc(size + 1), data, size);
    FILE *file = size == 0 ? fopen("/dev/null", "rb") : fmemopen(exact, size, "rb");
    int count = -1;
    if (tape_open(&reader, file) == NULL) {
        assert_int_equal(reader.record.payload.size, 4);
        count = 0;
        while ((*result = tape_next(&reader)) == TAPE_OK && count < RECORDS)
            check_record(&reader.record, (u32)count++);
    }
    tape_close(&reader);
    free(exact);
    return count;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    enum tape_result result;
    struct stat status;
    assert_int_equal(play(whole, whole_size, &result), RECORDS);
    assert_int_equal(result, TAPE_END);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void a_tape_that_is_cut_ends_with_its_last_whole_record(void **state)
{
    (void)state;
    int before = -1;
    for (size_t size = 0; size < whole_size; size++) {
        enum tape_result result = TAPE_CUT;
        int count = play(whole, size, &result);
        assert_in_range(count - before, 0, 1);
        assert_true(count == -1 || result == TAPE_CUT || result == TAPE_END);
        before = count;
    }
    assert_int_equal(before, RECORDS - 1);
}

static void a_byte_that_is_changed_is_seen(void **state)
{
    (void)state;
    for (size_t at = 0; at < whole_size; at++)
        for (u32 bit = 0; bit < 8; bit++) {
            enum tape_result result = TAPE_DAMAGED;
            whole[at] ^= (u8)(1 << bit);
            assert_in_range(play(whole, whole_size, &result) + 1, 0, RECORDS);
            assert_int_not_equal(result, TAPE_END);
            whole[at] ^= (u8)(1 << bit);
        }
}

// Behind a good begin, so that they get far.
static void random_bytes_do_no_harm(void **state)
{
    (void)state;
    u64 seed = 1;
    for (u64 round = unit_fuzz_rounds(RANDOM_ROUNDS); round > 0; round--) {
        u8 data[512];
        size_t good = unit_random(&seed) % (whole_size + 1);
        size_t size = good + unit_random(&seed) % (sizeof(data) - whole_size);
        for (size_t i = 0; i < size; i++)
            data[i] = (u8)(unit_random(&seed) >> 32) & (u8)(unit_random(&seed) >> 32);
        memcpy(data, whole, good);
        enum tape_result result;
        assert_in_range(play(data, size, &result) + 1, 0, RECORDS + 1);
    }
}

static void another_version_is_told(void **state)
{
    (void)state;
    struct tape_reader reader;
    whole[TAPE_HEADER_BYTES - 1]++;
    const char *problem = tape_open(&reader, fmemopen(whole, whole_size, "rb"));
    assert_non_null(strstr(problem, "another version"));
    tape_close(&reader);
    whole[TAPE_HEADER_BYTES - 1]--;
}

static void a_full_disk_ends_the_tape_and_what_is_lost_is_counted(void **state)
{
    (void)state;
    struct tape_writer writer;
    enum tape_result result;
    write_tape(&writer);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){writer.bytes + TAPE_RECORD_BYTES + 1, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    int first = tape_write(&writer, TAPE_FRAME, 7000000000 * RECORDS, "no room", 7);
    int second = tape_write(&writer, TAPE_FRAME, 7000000000 * RECORDS, "", 0);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(first, EFBIG);
    assert_int_equal(second, 0); // it has been told
    assert_int_equal(writer.lost, 2);
    u8 data[sizeof(whole)];
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    assert_int_equal(size, writer.bytes);
    assert_int_equal(play(data, size, &result), RECORDS);
    assert_int_equal(result, TAPE_END);
}

static void write_file(const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void check_file(const char *name, const void *data, size_t size)
{
    u8 found[sizeof(whole) + 1];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof(found), file), size);
    assert_memory_equal(found, data, size);
    fclose(file);
}

static void a_tape_ends_after_thirty_days_and_a_later_time_is_damage(void **state)
{
    (void)state;
    struct tape_writer writer;
    struct tape_reader reader;
    enum tape_result result;
    write_tape(&writer);
    assert_int_equal(tape_write(&writer, TAPE_FRAME, TAPE_TIME_MAX, "in time", 7), 0);
    u64 good = writer.bytes;
    assert_int_equal(tape_write(&writer, TAPE_FRAME, TAPE_TIME_MAX + 1, "late", 4), EOVERFLOW);
    assert_int_equal(writer.lost, 1);
    u8 data[sizeof(whole) + TAPE_RECORD_BYTES + 4];
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof(data), file);
    assert_int_equal(size, good);
    rewind(file);
    assert_int_equal(tape_duration(file), TAPE_TIME_MAX);
    fclose(file);
    // What another wrote behind it: the sum is right, the time is not.
    u8 *late = &data[size];
    memcpy(late, whole + whole_size - TAPE_RECORD_BYTES - 4, TAPE_RECORD_BYTES + 4);
    frame_encode_length(late + 12, (u32)((TAPE_TIME_MAX + 1) >> 32));
    frame_encode_length(late + 16, (u32)(TAPE_TIME_MAX + 1));
    frame_encode_length(late + 4, tape_sum(late, late + TAPE_RECORD_BYTES, 4));
    write_file(data, size + TAPE_RECORD_BYTES + 4);
    assert_null(tape_open(&reader, fopen(path, "rb")));
    u32 count = 0;
    while ((result = tape_next(&reader)) == TAPE_OK)
        count++;
    assert_int_equal(count, RECORDS + 1);
    assert_int_equal(result, TAPE_DAMAGED);
    tape_close(&reader);
}

static void nothing_is_recorded_over_a_file_that_is_no_tape(void **state)
{
    (void)state;
    struct tape_writer writer;
    write_file("my notes", 8);
    assert_int_equal(tape_create(&writer, path, "left"), KOV_USAGE);
    assert_int_equal(tape_create(&writer, folder, "left"), KOV_USAGE);
    assert_int_equal(tape_create(&writer, "/nowhere/tape", "left"), KOV_FAILED);
    check_file(path, "my notes", 8);
}

static void a_tape_that_was_there_stays_beside_the_new_one(void **state)
{
    (void)state;
    struct tape_writer writer, other;
    char old[sizeof(path) + 8];
    snprintf(old, sizeof(old), "%s.old", path);
    write_file(whole, whole_size);
    assert_int_equal(tape_create(&writer, path, "right"), KOV_OK);
    tape_finish(&writer); // nothing came
    check_file(path, whole, whole_size);
    assert_int_not_equal(access(old, F_OK), 0);

    assert_int_equal(tape_create(&writer, path, "right"), KOV_OK);
    assert_int_equal(tape_write(&writer, TAPE_FRAME, 1, "new", 3), 0);
    check_file(old, whole, whole_size);
    assert_int_equal(tape_create(&other, path, "left"), KOV_FAILED); // it is being written
    tape_finish(&writer);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, writer.bytes);
    assert_int_equal(about.st_mode & 0777, 0600);
    check_file(old, whole, whole_size);
    unlink(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_tape_that_is_cut_ends_with_its_last_whole_record),
        cmocka_unit_test(a_byte_that_is_changed_is_seen),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(another_version_is_told),
        cmocka_unit_test(a_full_disk_ends_the_tape_and_what_is_lost_is_counted),
        cmocka_unit_test(a_tape_ends_after_thirty_days_and_a_later_time_is_damage),
        cmocka_unit_test(nothing_is_recorded_over_a_file_that_is_no_tape),
        cmocka_unit_test(a_tape_that_was_there_stays_beside_the_new_one),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
