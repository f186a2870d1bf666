// SPDX-License-Identifier: MIT
// What is watched, each once.
#include "unit.h"

#include "gateway/topics.h"

#include <string.h>

static struct topic *watch(struct topics *topics, u32 machine, const char *text, bool *fresh)
{
    enum watched_kind kind;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_null(watch_check(json, &kind));
    struct topic *topic = topics_watch(topics, machine, kind, json, fresh);
    json_decref(json);
    return topic;
}

static void the_same_parameters_are_one_topic(void **state)
{
    struct topics topics = {0};
    bool fresh;
    (void)state;
    struct topic *one = watch(&topics, 0,
                              "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"heat\","
                              "\"measure\":\"larx\",\"seconds\":10}",
                              &fresh);
    assert_true(fresh);
    struct topic *same = watch(&topics, 0,
                               "{\"seconds\":10,\"measure\":\"larx\",\"kind\":\"heat\","
                               "\"machine\":\"a\",\"id\":900,\"type\":\"watch\"}",
                               &fresh);
    assert_false(fresh);
    assert_ptr_equal(one, same);
    assert_int_equal(one->watchers, 2);
    assert_ptr_equal(topics_find(&topics, one->number), one);
    assert_false(topics_unwatch(&topics, one));
    assert_true(topics_unwatch(&topics, one));
    assert_null(topics.first);
}

static void machine_kind_and_parameters_tell_topics_apart(void **state)
{
    static const struct {
        u32 machine;
        const char *text;
    } all[] = {
        {0, "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"status\"}"},
        {1, "{\"type\":\"watch\",\"id\":1,\"machine\":\"b\",\"kind\":\"status\"}"},
        {0, "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"console\"}"},
        {0, "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"heat\",\"measure\":\"x\"}"},
        {0, "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"heat\",\"measure\":\"y\"}"},
        {0, "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"heat\",\"measure\":\"y\","
            "\"to\":5}"},
    };
    struct topics topics = {0};
    struct topic *made[ARRAY_SIZE(all)];
    bool fresh;
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        made[i] = watch(&topics, all[i].machine, all[i].text, &fresh);
        assert_true(fresh);
        assert_int_equal(made[i]->machine, all[i].machine);
        assert_int_equal(made[i]->number, i + 1);
    }
    // From the midst, the end and the beginning of the list.
    static const size_t order[] = {2, 0, 5, 1, 4, 3};
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        u64 number = made[order[i]]->number;
        assert_true(topics_unwatch(&topics, made[order[i]]));
        assert_null(topics_find(&topics, number));
    }
    assert_null(topics.first);
}

static void numbers_are_never_used_again(void **state)
{
    static const char text[] = "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"marks\"}";
    struct topics topics = {0};
    bool fresh;
    (void)state;
    for (u64 i = 1; i <= 3; i++) {
        struct topic *topic = watch(&topics, 0, text, &fresh);
        assert_true(fresh);
        assert_int_equal(topic->number, i);
        assert_true(topics_unwatch(&topics, topic));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_parameters_are_one_topic),
        cmocka_unit_test(machine_kind_and_parameters_tell_topics_apart),
        cmocka_unit_test(numbers_are_never_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
