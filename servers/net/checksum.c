// SPDX-License-Identifier: MIT
// The Internet checksum (RFC 1071): a ones' complement sum does not care how wide the words are
// that are added, so it takes 64 bits at a time into a 128-bit sum and folds at the end. The
// compiler calls memcpy, where it makes one instruction of __builtin_memcpy.
#include <arch/cc.h>
#include <string.h>

typedef unsigned __int128 wide;

bool net_checksum_copies = true;

static inline uint64_t load(const uint8_t *from)
{
    uint64_t word;
    __builtin_memcpy(&word, from, sizeof(word)); // one load: unaligned ones are allowed
    return word;
}

static inline uint64_t copy(uint8_t *to, const uint8_t *from)
{
    uint64_t word = load(from);
    __builtin_memcpy(to, &word, sizeof(word));
    return word;
}

// Returns the last bytes, fewer than 8, as a word. Those that are missing count as 0, wherever the
// machine puts them.
static uint64_t load_rest(const uint8_t *from, int count)
{
    uint64_t word = 0;
    memcpy(&word, from, (size_t)count);
    return word;
}

static uint16_t fold(wide wide_sum)
{
    uint64_t low = (uint64_t)wide_sum;
    uint64_t sum = (low >> 32) + (low & 0xffffffff) + (uint64_t)(wide_sum >> 64);

    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

uint16_t net_checksum(const void *bytes, int count)
{
    const uint8_t *at = bytes;
    wide sum = 0;

    for (; count >= 32; count -= 32, at += 32) {
        sum += load(at);
        sum += load(at + 8);
        sum += load(at + 16);
        sum += load(at + 24);
    }
    for (; count >= 8; count -= 8, at += 8)
        sum += load(at);
    return fold(sum + load_rest(at, count));
}

uint16_t net_checksum_copy(void *to, const void *from, int count)
{
    const uint8_t *source = from;
    uint8_t *target = to;
    wide sum = 0;

    if (!net_checksum_copies) {
        memcpy(to, from, (size_t)count);
        return 0;
    }
    for (; count >= 32; count -= 32, source += 32, target += 32) {
        sum += copy(target, source);
        sum += copy(target + 8, source + 8);
        sum += copy(target + 16, source + 16);
        sum += copy(target + 24, source + 24);
    }
    for (; count >= 8; count -= 8, source += 8, target += 8)
        sum += copy(target, source);
    uint64_t rest = load_rest(source, count);
    memcpy(target, &rest, (size_t)count);
    return fold(sum + rest);
}
