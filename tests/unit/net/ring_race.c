// SPDX-License-Identifier: MIT
// Both sides of a ring at once, with the sleeping protocol of net/protocol.h: who finds nothing to
// do says so in a waits word, looks once more, and sleeps until it is woken. No byte is lost or
// changed, and nobody sleeps for ever.
#include <net/protocol.h>

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define CAPACITY 256u
#define BYTES 400000u

static struct net_shared shared;
static u8 memory[CAPACITY];
static sem_t writer_woken, reader_woken;

static u8 byte_at(u32 position)
{
    return (u8)(position * 31 + (position >> 8));
}

static void wake(u32 *waits, u32 bit, sem_t *sleeper)
{
    if ((shared_load(waits) & bit) == 0)
        return;
    shared_store(waits, 0);
    sem_post(sleeper);
}

// In the place of the process.
static void *write_all(void *argument)
{
    struct ring ring;
    u32 sent = 0;

    (void)argument;
    ring_init(&ring, &shared.send, memory, CAPACITY);
    while (sent < BYTES) {
        u8 piece[97];
        u32 count = 0;
        while (count < sizeof(piece) && sent + count < BYTES) {
            piece[count] = byte_at(sent + count);
            count++;
        }
        s64 written = ring_write(&ring, piece, count);
        if (written > 0) {
            sent += (u32)written;
            wake(&shared.server_waits, NET_WAIT_READ, &reader_woken);
            continue;
        }
        shared_store(&shared.client_waits, NET_WAIT_WRITE);
        if (ring_room(&ring) == 0)
            sem_wait(&writer_woken);
    }
    return NULL;
}

// In the place of the server.
static void no_byte_is_lost_and_nobody_sleeps_for_ever(void **state)
{
    struct ring ring;
    pthread_t writer;
    u32 received = 0;

    (void)state;
    sem_init(&writer_woken, 0, 0);
    sem_init(&reader_woken, 0, 0);
    ring_init(&ring, &shared.send, memory, CAPACITY);
    pthread_create(&writer, NULL, write_all, NULL);
    while (received < BYTES) {
        u8 piece[131];
        s64 count = ring_peek(&ring, piece, sizeof(piece));
        if (count > 0)
            ring_consume(&ring, (u32)count);
        for (s64 i = 0; i < count; i++, received++)
            if (piece[i] != byte_at(received))
                fail_msg("byte %u is %u, not %u", received, piece[i], byte_at(received));
        if (count > 0) {
            wake(&shared.client_waits, NET_WAIT_WRITE, &writer_woken);
            continue;
        }
        shared_store(&shared.server_waits, NET_WAIT_READ);
        if (ring_used(&ring) == 0)
            sem_wait(&reader_woken);
    }
    pthread_join(writer, NULL);
    assert_int_equal(ring_used(&ring), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_byte_is_lost_and_nobody_sleeps_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
