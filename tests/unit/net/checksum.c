// SPDX-License-Identifier: MIT
// The checksum against the plain sum of 16-bit words,
// for all lengths and alignments of a frame's pieces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arch/cc.h>

#define LENGTH_MAX 300

static uint8_t pattern(int kind, int at)
{
    return kind == 0 ? 0 : kind == 1 ? 0xff : (uint8_t)(at * 167 + kind);
}

static uint16_t plain_sum(const uint8_t *bytes, int count)
{
    uint32_t sum = 0;

    for (int i = 0; i < count; i += 2) {
        uint16_t word = 0;
        memcpy(&word, bytes + i, i + 1 < count ? 2 : 1);
        sum += word;
    }
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static void check(int kind, int offset, int count)
{
    // Of exactly this size, so that a byte too many is found.
    uint8_t *bytes = malloc((size_t)(offset + count) + (offset + count == 0));
    uint8_t *copied = malloc((size_t)count + (count == 0));

    for (int i = 0; i < count; i++)
        bytes[offset + i] = pattern(kind, i);
    uint16_t expected = plain_sum(bytes + offset, count);
    assert_int_equal(net_checksum(bytes + offset, count), expected);
    assert_int_equal(net_checksum_copy(copied, bytes + offset, count), expected);
    assert_memory_equal(copied, bytes + offset, (size_t)count);
    free(bytes);
    free(copied);
}

static void both_are_the_sum_of_words(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int offset = 0; offset < 8; offset++)
            for (int count = 0; count <= LENGTH_MAX; count++)
                check(kind, offset, count);
    check(1, 1, 65535);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_are_the_sum_of_words)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
