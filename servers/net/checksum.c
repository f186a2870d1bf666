// SPDX-License-Identifier: MIT
// The Internet checksum (RFC 1071): a ones' complement sum does not care how wide the words are
// that are added, so it takes 32 bits at a time into a 64-bit sum and folds at the end.
#include <arch/cc.h>
#include <string.h>

uint16_t net_checksum(const void *bytes, int count)
{
    const uint8_t *at = bytes;
    uint64_t sum = 0;

    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof(word)); // one load: unaligned ones are allowed
        sum += (word >> 32) + (word & 0xffffffff);
    }
    for (; count >= 2; count -= 2, at += 2) {
        uint16_t half;
        memcpy(&half, at, sizeof(half));
        sum += half;
    }
    if (count > 0) {
        uint16_t last = 0;
        memcpy(&last, at, 1); // the missing byte counts as 0, wherever the machine puts it
        sum += last;
    }
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}
