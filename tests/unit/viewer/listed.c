// SPDX-License-Identifier: MIT
// Streams that metadata list: what is written is read, older metadata list none, and random ones
// do no harm.
#include "unit.h"

#include "trace/listed.h"

#include <stdio.h>
#include <string.h>

#define STREAMS 40

static const char plain[] = "/* CTF 1.8 */\nenv { domain = \"orrery\";\n    cpus = 2; };\n"
                            "stream { id = 0; };\n";

static struct listed made(u64 seed)
{
    struct listed listed = {0};
    for (u32 i = 0; i < STREAMS; i++) {
        u32 first = (u32)unit_random(&seed) / 2;
        listed_add(&listed, &(struct listed_stream){i / 8 * 1000000000, i % 8, first,
                                                    first + (u32)(unit_random(&seed) % 1000)});
    }
    return listed;
}

static char *write_them(const struct listed *listed, const char *metadata)
{
    struct bytes text = {0}, from = {(u8 *)metadata, strlen(metadata), 0};
    listed_write(&text, &from, listed);
    bytes_append(&text, "", 1);
    return (char *)text.data;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct listed listed = made(3), found = {0};
    char *text = write_them(&listed, plain);
    assert_non_null(strstr(text, "cpus = 2;\n    stream_0 = \""));
    assert_non_null(strstr(text, "; };\nstream { id = 0; };\n"));
    listed_read(&found, text);
    assert_int_equal(found.count, STREAMS);
    for (u32 i = 0; i < STREAMS; i++) {
        const struct listed_stream *stream = &listed.streams[i];
        const struct listed_stream *other = listed_find(&found, stream->pid, stream->cpu);
        assert_non_null(other);
        assert_memory_equal(stream, other, sizeof(*stream));
    }
    assert_null(listed_find(&found, 7, 0));
    free(text);
    listed_free(&listed);
    listed_free(&found);
}

static void metadata_without_an_environment_stay_as_they_are(void **state)
{
    (void)state;
    struct listed listed = made(5), found = {0};
    static const char *const texts[] = {"", "stream { };", "env {", "}; env { x = 1;"};
    for (u32 i = 0; i < ARRAY_SIZE(texts); i++) {
        char *text = write_them(&listed, texts[i]);
        assert_string_equal(text, texts[i]);
        listed_read(&found, text);
        assert_int_equal(found.count, 0);
        free(text);
    }
    char *text = write_them(&found, plain);
    assert_string_equal(text, plain);
    free(text);
    listed_free(&listed);
}

static void random_changes_do_no_harm(void **state)
{
    (void)state;
    u64 seed = 7;
    struct listed listed = made(7);
    char *whole = write_them(&listed, plain);
    size_t size = strlen(whole) + 1;
    for (u64 round = 0; round < unit_fuzz_rounds(20000); round++) {
        char *text = memcpy(malloc(size), whole, size);
        for (u64 changes = 1 + unit_random(&seed) % 8; changes > 0; changes--)
            text[unit_random(&seed) % (size - 1)] = "0123456789-_ \";s="[unit_random(&seed) % 17];
        struct listed found = {0};
        listed_read(&found, text);
        for (size_t i = 0; i < found.count; i++) {
            const struct listed_stream *stream = &found.streams[i];
            assert_true(stream->cpu < ORRERY_MAX_CPUS && stream->first <= stream->last);
            assert_ptr_equal(listed_find(&found, stream->pid, stream->cpu), stream);
        }
        listed_free(&found);
        free(text);
    }
    free(whole);
    listed_free(&listed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(metadata_without_an_environment_stay_as_they_are),
        cmocka_unit_test(random_changes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
