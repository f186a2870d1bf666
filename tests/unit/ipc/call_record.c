// SPDX-License-Identifier: MIT
// Call records: every call is answered once, whoever ends first, and no other id opens one.
#include <kernel/ipc/call_record.h>

#include "host.h"

#include <kernel/percpu.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ENDPOINT 0x10010

static struct process client_process, server_process, stranger;
static struct dispatcher client, server;
static s64 error;

static int fresh(void **state)
{
    (void)state;
    client = (struct dispatcher){.process = &client_process, .cpu = 7};
    server = (struct dispatcher){.process = &server_process, .cpu = 6};
    ipc_dispatcher_init(&client.ipc);
    host_cpu = 0;
    host_allocations_left = UINT64_MAX;
    return 0;
}

static struct call_record *start(u64 *id)
{
    struct call_record *record = call_new(&client, &server, ENDPOINT, 77, id);

    assert_non_null(record);
    return record;
}

// What the dispatcher does with a posted event.
static struct event take(bool delivered)
{
    assert_int_equal(client.posted_count, 1);
    struct posted_event *posted = client.posted;
    struct event event = posted->event;
    client.posted_count = 0;
    posted->taken(posted, delivered);
    return event;
}

static void a_call_is_answered_once(void **state)
{
    (void)state;
    u64 id;
    struct call_record *record = start(&id);
    assert_int_not_equal(id, 0);
    assert_int_equal(record->word, id);
    assert_true(call_is_pending(record));
    assert_int_equal(client.ipc.outstanding, 1);
    assert_ptr_equal(call_claim(id, &server_process, &error), record);
    assert_false(call_is_pending(record));
    assert_null(call_claim(id, &server_process, &error));
    assert_int_equal(error, E_NOENT);
    call_fail(record, E_TIMEOUT);
    struct event event = take(true);
    assert_int_equal(event.type, EVENT_REPLY);
    assert_int_equal(event.id, 77);
    assert_int_equal((s64)event.badge, E_TIMEOUT);
    assert_int_equal(client.ipc.outstanding, 0);
    assert_null(call_claim(id, &server_process, &error));
    assert_int_equal(error, E_NOENT);
}

static void forged_and_stale_ids_open_nothing(void **state)
{
    (void)state;
    u64 id, next;
    struct call_record *record = start(&id);
    const u64 forged[] = {0,       1,          id + 1,         id ^ 1UL << 32,    id ^ 1UL << 16,
                          id + 31, UINT64_MAX, id | 0xff00000, id ^ 0x8000000000, id | 0xffff,
                          id ^ 1,  id ^ 2,     id | 3};
    for (u32 i = 0; i < ARRAY_SIZE(forged); i++) {
        assert_null(call_claim(forged[i], &server_process, &error));
        assert_int_equal(error, E_NOENT);
    }
    assert_null(call_claim(id, &stranger, &error));
    assert_int_equal(error, E_NOENT);
    call_cancel(record);
    assert_int_equal(client.ipc.outstanding, 0);
    assert_ptr_equal(start(&next), record);
    assert_int_not_equal(next, id);
    assert_null(call_claim(id, &server_process, &error));
    assert_ptr_equal(call_claim(next, &server_process, &error), record);
    call_free(record);
}

static void a_dead_servers_callers_get_e_peer(void **state)
{
    (void)state;
    u64 id;
    host_cpu = 2;
    start(&id);
    host_cpu = 0;
    calls_end(&(struct calls_ending){.process = &stranger}, ALL_CPUS);
    assert_int_equal(client.posted_count, 0);
    calls_end(&(struct calls_ending){.process = &server_process}, ALL_CPUS);
    host_cpu = 2;
    assert_int_equal((s64)take(true).badge, E_PEER);
    assert_null(call_claim(id, &server_process, &error));
    assert_int_equal(error, E_NOENT);
}

static void a_destroyed_endpoints_callers_get_e_peer(void **state)
{
    (void)state;
    u64 id;
    start(&id);
    calls_end(&(struct calls_ending){.endpoint = ENDPOINT + 16}, ALL_CPUS);
    assert_int_equal(client.posted_count, 0);
    calls_end(&(struct calls_ending){.endpoint = ENDPOINT}, ALL_CPUS);
    assert_int_equal((s64)take(true).badge, E_PEER);
}

static void the_reply_to_a_dead_client_gets_e_peer_once(void **state)
{
    (void)state;
    u64 id;
    start(&id);
    calls_end(&(struct calls_ending){.process = &client_process}, 1);
    host_cpu = 1;
    assert_null(call_claim(id, &server_process, &error));
    assert_int_equal(error, E_PEER);
    assert_null(call_claim(id, &server_process, &error));
    assert_int_equal(error, E_NOENT);
    assert_int_equal(client.posted_count, 0);
}

static void a_process_that_calls_itself_ends_cleanly(void **state)
{
    (void)state;
    u64 id;
    struct call_record *record = call_new(&client, &client, ENDPOINT, 1, &id);
    calls_end(&(struct calls_ending){.process = &client_process}, ALL_CPUS);
    assert_int_equal(client.posted_count, 0);
    assert_int_equal(record->word & CALL_STATE_MASK, CALL_FREE);
}

static void a_reply_to_a_client_that_has_just_gone_is_dropped(void **state)
{
    (void)state;
    u64 id;
    start(&id);
    client.gone = true;
    struct call_record *record = call_claim(id, &server_process, &error);
    assert_non_null(record);
    assert_int_equal(call_post_reply(record), E_PEER);
    assert_int_equal(record->word & CALL_STATE_MASK, CALL_FREE);
}

// Another CPU's record goes back through the list of returned ones.
static void records_come_home_from_other_cpus(void **state)
{
    (void)state;
    struct call_record *records[CALL_CHUNK * 3];
    u64 ids[CALL_CHUNK * 3];

    host_cpu = 3;
    for (u32 i = 0; i < ARRAY_SIZE(ids); i++)
        records[i] = start(&ids[i]);
    host_cpu = 1;
    for (u32 i = 0; i < ARRAY_SIZE(ids); i++) {
        assert_ptr_equal(call_claim(ids[i], &server_process, &error), records[i]);
        call_free(records[i]);
    }
    host_cpu = 3;
    u64 allocations = host_allocations;
    for (u32 i = 0; i < ARRAY_SIZE(ids); i++)
        records[i] = start(&ids[i]);
    assert_int_equal(host_allocations, allocations);
    for (u32 i = 0; i < ARRAY_SIZE(ids); i++)
        call_cancel(records[i]);
}

static void orphans_make_room_when_there_is_none(void **state)
{
    (void)state;
    static u64 ids[CALL_MAX];
    u64 id;

    for (u32 i = 0; i < CALL_MAX; i++)
        start(&ids[i]);
    assert_null(call_new(&client, &server, ENDPOINT, 0, &id));
    calls_end(&(struct calls_ending){.process = &client_process}, 1);
    struct call_record *record = start(&id);
    assert_null(call_claim(ids[0], &server_process, &error));
    assert_int_equal(error, E_NOENT);
    assert_ptr_equal(call_claim(id, &server_process, &error), record);
    call_free(record);
}

// Calls to servers of the same CPU use the client's own record, one at a time.
static void a_dispatchers_own_record_is_used_again(void **state)
{
    (void)state;
    u64 first, second, third;

    server.cpu = host_cpu = 1;
    struct call_record *own = start(&first);
    assert_ptr_equal(client.ipc.own, own);
    assert_true((first & CALL_OWN) != 0);
    assert_true(call_needs_cpu(first, 0) && !call_needs_cpu(first, 1));
    assert_int_equal(client.ipc.outstanding, 0);
    assert_ptr_equal(call_claim(first, &server_process, &error), own);
    struct call_record *other = start(&second); // the answer of the first is on its way
    assert_ptr_not_equal(other, own);
    assert_false(call_needs_cpu(second, 0));
    assert_int_equal(client.ipc.outstanding, 1);
    call_answered(own);
    assert_ptr_equal(start(&third), own);
    assert_int_equal(third, first + CALL_GENERATION);
    assert_null(call_claim(first, &server_process, &error));
    call_cancel(own);
    call_cancel(other);
    assert_int_equal(client.ipc.outstanding, 0);
}

// A call that waits for long leaves the fast path a record, and the server cannot answer it there.
static void a_call_that_waits_keeps_no_record_of_its_own(void **state)
{
    (void)state;
    u64 first, second, third;

    server.cpu = host_cpu = 1;
    struct call_record *former = start(&first);
    server.ipc.handed = former;
    struct call_record *own = start(&second);
    assert_ptr_not_equal(own, former);
    assert_ptr_equal(client.ipc.own, own);
    assert_true((second & CALL_OWN) != 0);
    assert_ptr_not_equal(server.ipc.handed, former);
    assert_int_equal(client.ipc.outstanding, 1);
    assert_int_equal(ipc_calls(&client.ipc), 2);
    assert_ptr_equal(call_claim(first, &server_process, &error), former);
    call_answered(former);
    assert_int_equal(client.ipc.outstanding, 0);
    assert_int_equal(former->word & (CALL_OWN | CALL_STATE_MASK), CALL_FREE);
    assert_ptr_equal(call_claim(second, &server_process, &error), own);
    call_answered(own);
    server.cpu = 2;
    assert_ptr_equal(start(&third), former); // anybody's
    call_cancel(former);
    assert_int_equal(client.ipc.outstanding, 0);
    assert_int_equal(ipc_calls(&client.ipc), 3);
}

// Its client ends while the call waits,
// or while it does not: either way the record can be used by others.
static void an_own_record_goes_back_with_its_dispatcher(void **state)
{
    (void)state;
    u64 id, next;

    server.cpu = host_cpu = 1;
    struct call_record *own = start(&id);
    calls_end(&(struct calls_ending){.process = &client_process}, ALL_CPUS);
    assert_null(call_claim(id, &server_process, &error));
    assert_int_equal(error, E_PEER);
    assert_int_equal(own->word & (CALL_OWN | CALL_STATE_MASK), CALL_FREE);
    ipc_dispatcher_init(&client.ipc);
    assert_ptr_equal(start(&next), own);
    call_cancel(own);
    calls_end(&(struct calls_ending){.process = &client_process}, ALL_CPUS);
    assert_int_equal(own->word & (CALL_OWN | CALL_STATE_MASK), CALL_FREE);
    server.cpu = 2;
    assert_ptr_equal(start(&next), own);
    call_cancel(own);
}

static void out_of_memory_means_no_call(void **state)
{
    (void)state;
    u64 id;
    host_cpu = 2;
    u64 taken = 0;
    host_allocations_left = 0;
    while (call_new(&client, &server, ENDPOINT, 0, &id) != NULL)
        taken++;
    assert_true(taken % CALL_CHUNK == 0);
    host_allocations_left = 1;
    assert_non_null(call_new(&client, &server, ENDPOINT, 0, &id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_call_is_answered_once, fresh),
        cmocka_unit_test_setup(forged_and_stale_ids_open_nothing, fresh),
        cmocka_unit_test_setup(a_dead_servers_callers_get_e_peer, fresh),
        cmocka_unit_test_setup(a_destroyed_endpoints_callers_get_e_peer, fresh),
        cmocka_unit_test_setup(the_reply_to_a_dead_client_gets_e_peer_once, fresh),
        cmocka_unit_test_setup(a_process_that_calls_itself_ends_cleanly, fresh),
        cmocka_unit_test_setup(a_reply_to_a_client_that_has_just_gone_is_dropped, fresh),
        cmocka_unit_test_setup(records_come_home_from_other_cpus, fresh),
        cmocka_unit_test_setup(orphans_make_room_when_there_is_none, fresh),
        cmocka_unit_test_setup(a_dispatchers_own_record_is_used_again, fresh),
        cmocka_unit_test_setup(a_call_that_waits_keeps_no_record_of_its_own, fresh),
        cmocka_unit_test_setup(an_own_record_goes_back_with_its_dispatcher, fresh),
        cmocka_unit_test_setup(out_of_memory_means_no_call, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
