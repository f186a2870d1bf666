// SPDX-License-Identifier: MIT
// Generated client stubs against the generated dispatch: everything arrives as it was sent, and
// nothing that is malformed reaches the server's functions or harms either side.
#include <ipc/example.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LATER 1 // IPC_LATER of user/ipc.h

static u32 served;    // calls that reached a function below
static cap_t dropped; // by ipc_drop
static u64 later_call;

// ---- transport: exact-size copies, so that a sanitizer sees every access outside of a message ---

static void spoil_nothing(struct ipc_packet *packet)
{
    (void)packet;
}
static void (*spoil_request)(struct ipc_packet *) = spoil_nothing;
static void (*spoil_reply)(struct ipc_packet *) = spoil_nothing;
static struct ipc_packet later_answer;

static u8 *copy_of(const void *bulk, u32 bytes)
{
    u8 *copy = malloc(bytes);
    assert_non_null(copy);
    if (bytes > 0)
        memcpy(copy, bulk, bytes);
    return copy;
}

s64 ipc_exchange(cap_t server, struct ipc_packet *packet)
{
    if (packet->error != 0)
        return packet->error;
    u32 bytes = packet->bytes + packet->more_bytes;
    struct ipc_packet request = {.cap = packet->cap, .bytes = bytes, .room = bytes};
    memcpy(request.words, packet->words, sizeof(request.words));
    request.bulk = copy_of(packet->bulk, packet->bytes);
    if (packet->more_bytes > 0) {
        request.bulk = realloc(request.bulk, bytes);
        memcpy(request.bulk + packet->bytes, packet->more, packet->more_bytes);
    }
    spoil_request(&request);
    struct ipc_packet reply;
    u8 *room = malloc(MESSAGE_BYTES);
    memset(room, 0xaa, MESSAGE_BYTES);
    ipc_packet_init(&reply, room, MESSAGE_BYTES, 0);
    struct ipc_caller caller = {.call = server};
    s64 status = example_dispatch(&caller, &request, &reply);
    if (status == LATER) {
        example_answer_wait(later_call, 0, &(struct example_pair){7, 8, "abc"}, "word");
        reply.bytes = later_answer.bytes;
        memcpy(reply.words, later_answer.words, sizeof(reply.words));
        memcpy(reply.bulk, later_answer.bulk, reply.bytes);
        free(later_answer.bulk);
        status = 0;
    }
    free(request.bulk);
    spoil_reply(&reply);
    packet->cap = reply.cap;
    memcpy(packet->words, reply.words, sizeof(reply.words));
    if (packet->receive != NULL) {
        packet->bulk = packet->receive;
        packet->room = packet->receive_room;
    }
    packet->bytes = reply.bytes;
    if (reply.bytes > packet->room) {
        packet->error = E_PROTO;
        packet->bytes = 0;
    }
    if (packet->bytes > 0)
        memcpy(packet->bulk, reply.bulk, packet->bytes);
    free(room);
    return status;
}

void ipc_drop(cap_t cap)
{
    dropped = cap;
}

s64 ipc_answer_packet(u64 call, s64 status, struct ipc_packet *packet)
{
    assert_int_equal(call, later_call);
    later_answer = *packet;
    later_answer.bulk = copy_of(packet->bulk, packet->bytes);
    return status;
}

// ---- the server --------------------------------------------------------------------------------

s64 example_server_nothing(struct ipc_caller *caller)
{
    (void)caller;
    served++;
    return 0;
}

s64 example_server_integers(struct ipc_caller *caller, u8 a, s32 b, u32 c, s64 d, u64 e, u64 *sum,
                            s32 *low, u32 *high)
{
    (void)caller;
    served++;
    if (a == 99)
        return E_INVAL;
    *sum = a + (u64)b + c + (u64)d + e;
    *low = INT32_MIN;
    *high = UINT32_MAX;
    return 0;
}

s64 example_server_pair(struct ipc_caller *caller, const struct example_pair *given,
                        struct example_pair *swapped, u32 *calls)
{
    (void)caller;
    *swapped = (struct example_pair){(u64)given->second, (s32)given->first, "yes"};
    *calls = ++served;
    return 0;
}

s64 example_server_text(struct ipc_caller *caller, const char *name, const char *surname,
                        char *both, u64 both_room)
{
    (void)caller;
    served++;
    snprintf(both, both_room, "%s %s", name, surname);
    return 0;
}

s64 example_server_data(struct ipc_caller *caller, const void *block, u64 block_bytes, u8 add,
                        struct example_pair *info, void *result, u64 result_room, u64 *result_bytes)
{
    (void)caller;
    served++;
    const u8 *from = block;
    u8 *to = result;
    u64 bytes = block_bytes < result_room ? block_bytes : result_room;
    for (u64 i = 0; i < bytes; i++)
        to[i] = (u8)(from[i] + add);
    *info = (struct example_pair){block_bytes, -1, "inf"};
    *result_bytes = bytes;
    return 0;
}

s64 example_server_exchange(struct ipc_caller *caller, cap_t theirs, cap_t *ours)
{
    (void)caller;
    served++;
    *ours = theirs + 1;
    return 0;
}

s64 example_server_wait(struct ipc_caller *caller, u32 key, struct example_pair *pair, char *word,
                        u64 word_room)
{
    served++;
    later_call = caller->call;
    if (key == 1)
        return LATER;
    pair->first = key;
    snprintf(word, word_room, "now");
    return 0;
}

// ---- tests -------------------------------------------------------------------------------------

static int reset(void **state)
{
    (void)state;
    served = 0;
    dropped = 0;
    spoil_request = spoil_nothing;
    spoil_reply = spoil_nothing;
    return 0;
}

static void everything_arrives_as_it_was_sent(void **state)
{
    (void)state;
    u64 sum;
    s32 low;
    u32 high, calls;
    struct example_pair pair;
    char both[40], word[8];
    u8 block[EXAMPLE_DATA_MAX], result[EXAMPLE_DATA_MAX];
    cap_t ours;
    u64 bytes;

    assert_int_equal(example_nothing(1), 0);
    assert_int_equal(example_integers(1, 255, -5, 7, -1000, 1, &sum, &low, &high), 0);
    assert_int_equal(sum, 255 - 5 + 7 - 1000 + 1);
    assert_int_equal(low, INT32_MIN);
    assert_int_equal(high, UINT32_MAX);
    assert_int_equal(example_integers(1, 99, 0, 0, 0, 0, &sum, &low, &high), E_INVAL);
    assert_int_equal(example_pair(1, &(struct example_pair){12, -34, "tag"}, &pair, &calls), 0);
    assert_int_equal(pair.first, (u64)-34);
    assert_int_equal(pair.second, 12);
    assert_string_equal(pair.tag, "yes");
    assert_int_equal(example_text(1, "Ada", "fifteen letters", both, sizeof(both)), 0);
    assert_string_equal(both, "Ada fifteen letters");
    for (u32 i = 0; i <= sizeof(block); i++) {
        memset(block, (int)i, i);
        assert_int_equal(example_data(1, block, i, 3, &pair, result, sizeof(result), &bytes), 0);
        assert_int_equal(bytes, i);
        assert_int_equal(pair.first, i);
        for (u32 k = 0; k < i; k++)
            assert_int_equal(result[k], (u8)(i + 3));
    }
    assert_int_equal(example_exchange(1, 41, &ours), 0);
    assert_int_equal(ours, 42);
    assert_int_equal(example_wait(1, 5, &pair, word, sizeof(word)), 0);
    assert_string_equal(word, "now");
}

static void an_answer_can_come_later(void **state)
{
    (void)state;
    struct example_pair pair;
    char word[8];
    assert_int_equal(example_wait(77, 1, &pair, word, sizeof(word)), 0);
    assert_int_equal(later_call, 77);
    assert_int_equal(pair.first, 7);
    assert_string_equal(word, "word");
}

static void what_is_too_long_is_not_sent(void **state)
{
    (void)state;
    char both[40];
    u8 block[EXAMPLE_DATA_MAX + 1] = {0};
    struct example_pair pair;
    u64 bytes;
    assert_int_equal(example_text(1, "sixteen letters!", "", both, sizeof(both)), E_INVAL);
    assert_int_equal(example_data(1, block, sizeof(block), 0, &pair, block, 1, &bytes), E_INVAL);
    assert_int_equal(served, 0);
}

static void an_answer_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    char both[40];
    memset(both, 'x', sizeof(both));
    assert_int_equal(example_text(1, "Ada", "Lovelace", both, 13), 0);
    assert_string_equal(both, "Ada Lovelace");
    assert_int_equal(example_text(1, "Ada", "Lovelace", both, 0), E_INVAL);
    // Cut by the server's snprintf, which respects its room.
    assert_int_equal(example_text(1, "Ada", "Lovelace", both, 4), 0);
    assert_string_equal(both, "Ada");
    assert_int_equal(both[4], 'L');
}

static void grow_integer(struct ipc_packet *packet)
{
    packet->words[1] = 256;
}
static void lower_integer(struct ipc_packet *packet)
{
    packet->words[2] = (u64)(INT32_MIN - 1L);
}
static void unknown_method(struct ipc_packet *packet)
{
    packet->words[0] = (EXAMPLE_METHOD_NOTHING & ~0xffUL) + 100;
}
static void method_zero(struct ipc_packet *packet)
{
    packet->words[0] = 0;
}
static void cut(struct ipc_packet *packet)
{
    packet->bytes -= packet->bytes > 0 ? 8 : 0;
}
static void lengthen(struct ipc_packet *packet)
{
    *(u64 *)(void *)packet->bulk += 1;
}
static void huge(struct ipc_packet *packet)
{
    *(u64 *)(void *)packet->bulk = UINT64_MAX - 3;
}
static void lengthen_answer(struct ipc_packet *packet)
{
    packet->words[0] += 1;
}
static void shorten_answer(struct ipc_packet *packet)
{
    packet->words[0] -= 1;
}
static void huge_answer(struct ipc_packet *packet)
{
    packet->words[0] = UINT64_MAX;
}
static void long_answer(struct ipc_packet *packet)
{
    packet->bytes = 1000;
}
static void stray_cap(struct ipc_packet *packet)
{
    packet->cap = 9;
}
static void lengthen_data(struct ipc_packet *packet)
{
    packet->words[3] += 1;
}
static void huge_data(struct ipc_packet *packet)
{
    packet->words[3] = UINT64_MAX - 3;
}
static void great_room(struct ipc_packet *packet)
{
    packet->words[1] = 1 << 20;
}

static void malformed_requests_reach_nobody(void **state)
{
    (void)state;
    u64 sum;
    s32 low;
    u32 high;
    char both[40];
    static void (*const of_integers[])(struct ipc_packet *) = {grow_integer, lower_integer,
                                                               stray_cap};
    static void (*const of_text[])(struct ipc_packet *) = {cut, lengthen, huge, stray_cap,
                                                           great_room};
    for (u32 i = 0; i < ARRAY_SIZE(of_integers); i++) {
        spoil_request = of_integers[i];
        assert_int_equal(example_integers(1, 0, 0, 0, 0, 0, &sum, &low, &high), E_PROTO);
    }
    for (u32 i = 0; i < ARRAY_SIZE(of_text); i++) {
        spoil_request = of_text[i];
        assert_int_equal(example_text(1, "1234567", "b", both, sizeof(both)), E_PROTO);
    }
    static void (*const of_data[])(struct ipc_packet *) = {cut, lengthen_data, huge_data,
                                                           stray_cap};
    for (u32 i = 0; i < ARRAY_SIZE(of_data); i++) {
        struct example_pair info;
        u64 bytes;
        spoil_request = of_data[i];
        assert_int_equal(example_data(1, "12345678", 8, 1, &info, both, sizeof(both), &bytes),
                         E_PROTO);
    }
    spoil_request = unknown_method;
    assert_int_equal(example_nothing(1), E_NOTSUP);
    spoil_request = method_zero;
    assert_int_equal(example_nothing(1), E_NOTSUP);
    assert_int_equal(served, 0);
}

static void malformed_answers_are_refused(void **state)
{
    (void)state;
    char both[40];
    static void (*const spoils[])(struct ipc_packet *) = {
        cut, lengthen_answer, shorten_answer, huge_answer, long_answer, stray_cap};
    for (u32 i = 0; i < ARRAY_SIZE(spoils); i++) {
        spoil_reply = spoils[i];
        dropped = 0;
        assert_int_equal(example_text(1, "1234", "123", both, sizeof(both)), E_PROTO);
        assert_int_equal(dropped, spoils[i] == stray_cap ? 9 : 0);
    }
}

static void noise_does_no_harm(void **state)
{
    (void)state;
    srand(7);
    u8 *answer = malloc(MESSAGE_BYTES);
    for (u32 round = 0; round < 300000; round++) {
        u32 bytes = (u32)rand() % 80;
        struct ipc_packet request = {.bytes = bytes, .room = bytes};
        request.bulk = malloc(bytes);
        for (u32 i = 0; i < bytes; i++)
            request.bulk[i] = (u8)(rand() % 4 == 0 ? rand() : 0);
        for (u32 i = 1; i < MESSAGE_WORDS; i++)
            request.words[i] = (u64)rand() % 3 == 0 ? (u64)rand() << 8 : (u64)rand() % 50;
        // methods of the interface, few others, and few of another interface
        request.words[0] =
            (rand() % 16 != 0 ? EXAMPLE_METHOD_NOTHING & ~0xffUL : 0) + (u64)rand() % 9;
        for (u32 at = 0; at + 8 <= bytes; at += 8) {
            if (rand() % 2)
                *(u64 *)(void *)(request.bulk + at) = (u64)rand() % 20;
        }
        struct ipc_packet reply;
        ipc_packet_init(&reply, answer, MESSAGE_BYTES, 0);
        example_dispatch(&(struct ipc_caller){0}, &request, &reply);
        free(request.bulk);
    }
    free(answer);
    assert_true(served > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(everything_arrives_as_it_was_sent, reset),
        cmocka_unit_test_setup(an_answer_can_come_later, reset),
        cmocka_unit_test_setup(what_is_too_long_is_not_sent, reset),
        cmocka_unit_test_setup(an_answer_that_does_not_fit_is_refused, reset),
        cmocka_unit_test_setup(malformed_requests_reach_nobody, reset),
        cmocka_unit_test_setup(malformed_answers_are_refused, reset),
        cmocka_unit_test_setup(noise_does_no_harm, reset),
    };
    return cmocka_run_group_tests_name("idl_stubs", tests, NULL, NULL);
}
