// SPDX-License-Identifier: MIT
// Shared sessions against a model, by random sequences. After each step everyone's mail must be
// what the model says, word by word. protobuf-c decodes it, which shares no code with the server.
#include "shared_clients.h"
#include "shared_model.h"

#define SEQUENCES 400
#define STEPS 1500

static u64 seen[STAGES];

static void random_sequences_go_as_the_model_says(void **context)
{
    (void)context;
    for (u32 sequence = 0; sequence < SEQUENCES; sequence++) {
        model_seed(0x9e3779b97f4a7c15u * (sequence + 1));
        model_all_come();
        for (u32 i = 0; i < STEPS; i++) {
            model_step();
            model_check_mail();
            model_check_state();
            seen[model_stage()] += 1;
        }
    }
    for (u32 stage = 0; stage < STAGES; stage++)
        assert_in_range(seen[stage], STEPS, UINT64_MAX); // each was tried long enough
}

static void nothing_is_left_when_all_have_gone(void **context)
{
    const struct shared_session *session = model_session();

    (void)context;
    model_all_leave();
    model_check_mail();
    assert_true(shared_is_idle(session));
    assert_int_equal(session->joined, 0);
    assert_int_equal(session->told_of, 0);
    assert_false(session->awaited);
    assert_int_equal(session->state, SHARED_NONE);
}

static void a_session_of_its_own_yields_by_the_same_rule(void **context)
{
    struct owner owner = {.client = &clients[0], .yielding = true};

    (void)context;
    assert_true(owner_yields_to(&owner, &clients[1], false));
    assert_false(owner_yields_to(&owner, &clients[1], true));
    assert_false(owner_yields_to(&owner, &clients[0], false));
    owner.yielding = false;
    assert_false(owner_yields_to(&owner, &clients[1], false));
    assert_false(owner_yields_to(&(struct owner){0}, &clients[1], false));
}

static int set_up(void **context)
{
    (void)context;
    model_begin();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences_go_as_the_model_says),
        cmocka_unit_test(nothing_is_left_when_all_have_gone),
        cmocka_unit_test(a_session_of_its_own_yields_by_the_same_rule),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
