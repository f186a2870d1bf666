// SPDX-License-Identifier: MIT
// Random bytes at the server: well framed or not, mutations of good requests, from several clients
// with little room. It must stay alive, keep its limits, and serve a good client after every round.
//
// It is a bounded run; with FUZZ_ROUNDS=N FUZZ_SEED=S one for longer, or the same again.
#include "harness.h"

#include "bounds.h"
#include "queue.h"

#include <orrery/user.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS 6

static u64 seed;

static u32 any(u32 below)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (u32)(seed >> 33) % below;
}

static const u32 tags[] = {2,  3,  4,  16, 17, 18, 19, 24, 25, 26, 27, 32, 33, 34, 35, 36, 37,
                           40, 41, 42, 43, 44, 45, 46, 48, 49, 50, 51, 56, 57, 58, 59, 64, 65,
                           66, 67, 72, 73, 74, 82, 83, 84, 85, 88, 89, 90, 91, 92, 93};

// A request that is right in form: a known or unknown tag, a body of random varint fields.
static u32 make_request(u8 *bytes)
{
    u32 tag = any(20) == 0 ? any(60) : tags[any(ARRAY_SIZE(tags))];
    u32 at = 0, fields = any(5);

    bytes[at++] = 0x08;
    bytes[at++] = (u8)(1 + any(100));
    bytes[at++] = (u8)((tag << 3 | 2) & 0x7f) | (tag > 15 ? 0x80 : 0);
    if (tag > 15)
        bytes[at++] = (u8)(tag >> 4);
    bytes[at++] = (u8)(fields * 4);
    for (u32 i = 0; i < fields; i++) {
        // Often a small number: scopes, pids, runs.
        u8 more = any(2) == 0 ? 0x80 : 0;
        bytes[at++] = (u8)((i + 1) << 3);
        bytes[at++] = 0x80 | (u8)any(more != 0 ? 128 : 8);
        bytes[at++] = 0x80 | (more != 0 ? (u8)any(128) : 0);
        bytes[at++] = more != 0 ? (u8)any(128) : 0;
    }
    return at;
}

static u32 make_hello(u8 *bytes)
{
    static const char hello[] = "\x08\x01\x12\x09\x08\x02\x12\x05" CONTROLLER_TOKEN;
    memcpy(bytes, hello, sizeof(hello) - 1);
    return sizeof(hello) - 1;
}

// Sampling by two events, the second one in user mode: bodies of random numbers have no events. It
// may yield, and ask for sums.
static u32 make_sampling_start(u8 *bytes)
{
    static const char start[] = "\x08\x01\xc2\x01\x14\x42\x05\x08\x01\x18\x88\x27\x42\x07\x08\x12"
                                "\x10\x02\x18\x88\x27\x50\x01\x58\x01";
    memcpy(bytes, start, sizeof(start) - 1);
    bytes[sizeof(start) - 4] = any(2) == 0; // yielding
    bytes[sizeof(start) - 2] = any(2) == 0; // sums
    return sizeof(start) - 1;
}

struct fuzz_client {
    struct peer *peer;
    bool broken; // has sent a wrong length or half a frame: what follows would be read as anything
};

// Powering off would end the test, so whole requests for it are not sent.
static bool is_power_off(const u8 *bytes, u32 length)
{
    request_t *request = orrery__dci__request__unpack(NULL, length, bytes);
    bool power_off = request != NULL && request->body_case == ORRERY__DCI__REQUEST__BODY_POWER_OFF;
    if (request != NULL)
        orrery__dci__request__free_unpacked(request, NULL);
    return power_off;
}

static void send_something(struct fuzz_client *client)
{
    u8 bytes[4 + 300] = {0};
    u32 kind = any(8);
    u32 length = kind == 0                  ? make_hello(bytes + 4)
                 : kind == 3 && any(4) == 0 ? make_sampling_start(bytes + 4)
                                            : make_request(bytes + 4);

    if (kind == 1)
        for (u32 i = 0; i < length; i++)
            bytes[4 + i] = (u8)any(256);
    if (kind == 2)
        bytes[4 + any(length)] ^= (u8)(1 << any(8));
    if (client->broken || is_power_off(bytes + 4, length))
        return;
    bytes[2] = (u8)(length >> 8);
    bytes[3] = (u8)length;
    u32 total = 4 + length;
    client->broken = any(100) == 0;
    if (client->broken && any(2) == 0)
        bytes[any(4)] = (u8)any(256);
    else if (client->broken)
        total = any(total);
    peer_send(client->peer, bytes, total);
}

static struct peer *new_client(void)
{
    u8 bytes[64] = {0};
    struct peer *peer = peer_connect(any(4) == 0 ? any(3000) : UINT64_MAX);
    bytes[3] = (u8)make_hello(bytes + 4);
    if (any(8) != 0)
        peer_send(peer, bytes, 4u + bytes[3]);
    return peer;
}

static void drain(struct peer *peer)
{
    answer_t *answer;
    while ((answer = peer_next(peer)) != NULL)
        answer_free(answer);
}

static s64 lie(struct machine_process *process, struct sys_inspect_request *request, void *buffer)
{
    u8 *bytes = buffer;
    (void)process;
    for (u32 i = any(INSPECT_BYTES); i > 0; i -= i < 16 ? i : 16)
        bytes[i] = (u8)any(256);
    request->results[0] = any(4) == 0 ? any(UINT32_MAX) : request->arguments[0] + 1;
    request->results[1] = any(3);
    return any(3) == 0 ? -(s64)any(40) : (s64)any(INSPECT_BYTES + 100);
}

static void change_processes(void)
{
    for (u32 i = 0; i < MACHINE_PROCESSES; i++) {
        struct machine_process *process = &machine.processes[i];
        if (any(20) == 0)
            *process = (struct machine_process){.pid = any(3) == 0 ? 0 : i + 1};
        process->objects = any(2000);
        process->classes = any(4);
        process->stuck = any(100) == 0;
        process->mute = any(20) == 0;
        process->lie = any(10) == 0 ? lie : NULL;
        process->packets[any(MACHINE_CPUS)] = any(3);
        process->begun[any(MACHINE_CPUS)] = any(2);
    }
}

static void change_programs(void)
{
    for (u32 i = 0; i < MACHINE_PROGRAMS; i++) {
        struct program *program = &machine.programs[i];
        if (!program->used)
            continue;
        program->output_bytes = any(sizeof(program->output));
        program->input_bytes = any(sizeof(program->input));
        program->ended = any(10) == 0;
    }
    machine.printed_from += any(4000);
    memset(machine.printed, 'x', any(sizeof(machine.printed)));
    machine.printed[sizeof(machine.printed) - 1] = 0;
    machine.typed[0] = 0;
}

static void change_machine(void)
{
    machine.objects = any(3000);
    for (u32 cpu = 0; cpu < MACHINE_CPUS; cpu++) {
        machine.samples[cpu] = machine.samples[cpu] % 100 + any(300);
        machine.sample_sites = any(3000);
        machine.packets[cpu] = machine.packets[cpu] % 8 + any(3);
        machine.begun[cpu] = any(2);
    }
    machine.memory_short = any(50) == 0;
    machine.patience = any(4);
    machine.no_programs = any(20) == 0;
    change_processes();
    change_programs();
}

static void check_a_good_client_is_served(void)
{
    struct peer *good = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(peer_ask(good, EMPTY(SYSTEM, system, System, SYSTEM)), 0);
    peer_hang_up(good);
    assert_true(machine_blocks() <=
                (CLIENTS + 1) * (PUSH_BLOCKS_MAX + ANSWER_BLOCKS_MAX + NEWS_BLOCKS_MAX) +
                    SPARE_BLOCKS_MAX);
}

static void fuzz_round(struct fuzz_client clients[CLIENTS])
{
    for (u32 i = 0; i < CLIENTS; i++) {
        struct fuzz_client *client = &clients[i];
        if (any(30) == 0 || peer_closed(client->peer) || peer_aborted(client->peer)) {
            peer_hang_up(client->peer);
            *client = (struct fuzz_client){.peer = new_client()};
        }
        for (u32 n = any(6); n > 0; n--)
            send_something(client);
        if (any(3) == 0)
            drain(client->peer);
        if (any(60) == 0) { // half-closes: what it sends after that never comes
            peer_finish(client->peer);
            client->broken = true;
        }
    }
    change_machine();
    time_pass(any(60));
    machine.memory_short = false;
}

static u64 rounds_wanted(void)
{
    const char *asked_rounds = getenv("FUZZ_ROUNDS"), *asked_seed = getenv("FUZZ_SEED");
    u64 rounds = asked_rounds != NULL ? strtoull(asked_rounds, NULL, 0) : 3000;
    seed = asked_seed != NULL ? strtoull(asked_seed, NULL, 0) : 42;
    printf("again: FUZZ_ROUNDS=%lu FUZZ_SEED=%lu\n", (unsigned long)rounds, (unsigned long)seed);
    return rounds;
}

static void random_requests_of_controllers_harm_nobody(void **state)
{
    struct fuzz_client clients[CLIENTS];
    u64 rounds = rounds_wanted();
    (void)state;
    for (u32 i = 0; i < CLIENTS; i++)
        clients[i] = (struct fuzz_client){.peer = new_client()};
    for (u64 round = 0; round < rounds; round++) {
        fuzz_round(clients);
        if (round % 16 == 0)
            check_a_good_client_is_served();
    }
    for (u32 i = 0; i < CLIENTS; i++)
        peer_hang_up(clients[i].peer);
    assert_false(machine.sampling);
    assert_false(machine.counting.running);
    for (u32 i = 0; i < MACHINE_PROCESSES; i++)
        assert_false(machine.processes[i].excluded);
    assert_int_equal(machine.dref_users, 0);
    assert_int_equal(machine.programs_open, 0);
}

// Any bytes in any pieces, from clients without a token.
static void random_bytes_of_strangers_harm_nobody(void **state)
{
    u64 rounds = rounds_wanted();
    (void)state;
    for (u64 round = 0; round < rounds; round++) {
        struct peer *peer = peer_connect(any(2) == 0 ? any(200) : UINT64_MAX);
        for (u32 pieces = any(20); pieces > 0; pieces--) {
            u8 bytes[1500];
            u32 count = any(sizeof(bytes)), zeros = any(4);
            for (u32 i = 0; i < count; i++)
                bytes[i] = i % 16 < zeros ? 0 : (u8)any(256);
            peer_send(peer, bytes, count);
            if (any(2) == 0)
                server_settle();
        }
        drain(peer);
        peer_hang_up(peer);
        if (round % 16 == 0)
            check_a_good_client_is_served();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_requests_of_controllers_harm_nobody),
        cmocka_unit_test(random_bytes_of_strangers_harm_nobody),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
