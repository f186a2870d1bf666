// SPDX-License-Identifier: MIT
// The rules of messages, and how frames are laid out.
//
//   gateway_messages FILE      writes a frame of every kind with 0, 1 and 5 rows, each behind its
//                              length, for viewer/web/test/vectors.test.ts
#include "unit.h"

#include "vectors.h"
#include <messages.h>

#include <string.h>

static const char *check(const char *text)
{
    enum client_kind kind;
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    const char *wrong = message_check(json, &kind);
    json_decref(json);
    return wrong;
}

static void assert_right(const char *text, enum client_kind expected)
{
    enum client_kind kind;
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_null(message_check(json, &kind));
    assert_int_equal(kind, expected);
    json_decref(json);
}

static void every_message_has_its_fields(void **state)
{
    (void)state;
    assert_right("{\"type\":\"hello\",\"token\":\"\",\"version\":0}", CLIENT_HELLO);
    assert_right("{\"type\":\"credit\",\"bytes\":9007199254740992}", CLIENT_CREDIT);
    assert_right("{\"type\":\"unwatch\",\"id\":0}", CLIENT_UNWATCH);
    assert_right("{\"type\":\"watch\",\"id\":1,\"machine\":\"a\",\"kind\":\"b\",\"from\":-1e300}",
                 CLIENT_WATCH);
    assert_right("{\"type\":\"ask\",\"id\":1,\"machine\":\"a\",\"what\":\"object\"}", CLIENT_ASK);
    assert_right("{\"type\":\"act\",\"id\":1,\"machine\":\"a\",\"do\":\"kill\",\"number\":2}",
                 CLIENT_ACT);
}

static void each_rule_refuses(void **state)
{
    static const struct {
        const char *text, *wrong;
    } all[] = {
        {"{}", "not a message that there is"},
        {"{\"type\":\"welcome\"}", "not a message that there is"},
        {"{\"type\":7}", "not a message that there is"},
        {"{\"type\":\"credit\"}", "a field is missing"},
        {"{\"type\":\"hello\",\"token\":\"a\"}", "a field is missing"},
        {"{\"type\":\"credit\",\"bytes\":1,\"more\":1}", "a field that does not belong there"},
        {"{\"type\":\"credit\",\"bytes\":-1}", "a field of a wrong type or size"},
        {"{\"type\":\"credit\",\"bytes\":9007199254740993}", "a field of a wrong type or size"},
        {"{\"type\":\"credit\",\"bytes\":1.0}", "a field of a wrong type or size"},
        {"{\"type\":\"credit\",\"bytes\":\"1\"}", "a field of a wrong type or size"},
        {"{\"type\":\"credit\",\"bytes\":null}", "a field of a wrong type or size"},
        {"{\"type\":\"credit\",\"bytes\":true}", "a field of a wrong type or size"},
        {"{\"type\":\"hello\",\"token\":1,\"version\":1}", "a field of a wrong type or size"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        assert_string_equal(check(all[i].text), all[i].wrong);
}

static void texts_are_limited(void **state)
{
    char text[400], token[TEXT_CHARACTERS + 2];
    (void)state;
    for (u32 length = TEXT_CHARACTERS; length <= TEXT_CHARACTERS + 1; length++) {
        memset(token, 'x', length);
        token[length] = 0;
        snprintf(text, sizeof(text), "{\"type\":\"hello\",\"token\":\"%s\",\"version\":1}", token);
        if (length <= TEXT_CHARACTERS)
            assert_null(check(text));
        else
            assert_string_equal(check(text), "a field of a wrong type or size");
    }
}

static const char *watch_wrong(const char *parameters)
{
    char text[200];
    enum watched_kind kind;
    snprintf(text, sizeof(text), "{\"type\":\"watch\",\"id\":1,\"machine\":\"a\"%s}", parameters);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    const char *wrong = watch_check(json, &kind);
    json_decref(json);
    return wrong;
}

static void watches_have_the_parameters_of_their_kind(void **state)
{
    (void)state;
    assert_null(watch_wrong(",\"kind\":\"status\""));
    assert_null(watch_wrong(",\"kind\":\"heat\",\"measure\":\"larx\",\"seconds\":0.5"));
    assert_null(watch_wrong(",\"kind\":\"ranking\",\"measure\":\"larx\",\"by\":\"class\""));
    assert_string_equal(watch_wrong(""), "there is no topic of that kind");
    assert_string_equal(watch_wrong(",\"kind\":\"none\""), "there is no topic of that kind");
    assert_string_equal(watch_wrong(",\"kind\":3"), "there is no topic of that kind");
    assert_string_equal(watch_wrong(",\"kind\":\"heat\""), "a field is missing");
    assert_string_equal(watch_wrong(",\"kind\":\"metric\",\"metric\":\"a\""), "a field is missing");
    assert_string_equal(watch_wrong(",\"kind\":\"status\",\"of\":\"m\""),
                        "a field that does not belong there");
    assert_string_equal(watch_wrong(",\"kind\":\"heat\",\"measure\":\"a\",\"by\":\"class\""),
                        "a field that does not belong there");
    assert_string_equal(watch_wrong(",\"kind\":\"heat\",\"measure\":5"),
                        "a field of a wrong type or size");
}

static const char *act_wrong(const char *parameters)
{
    char text[200];
    enum acted_kind kind;
    snprintf(text, sizeof(text), "{\"type\":\"act\",\"id\":1,\"machine\":\"a\"%s}", parameters);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    const char *wrong = act_check(json, &kind);
    json_decref(json);
    return wrong;
}

static void acts_have_numbers_of_their_range(void **state)
{
    static const char *const wrong[] = {
        "4294967296", "4294967304", "-1",   "8.5",  "8.0",
        "8e0",        "\"8\"",      "null", "true", "9223372036854775807"};
    (void)state;
    assert_null(act_wrong(",\"do\":\"power_off\""));
    assert_null(act_wrong(",\"do\":\"kill\",\"number\":0"));
    assert_null(act_wrong(",\"do\":\"kill\",\"number\":4294967295"));
    assert_null(act_wrong(",\"do\":\"move\",\"number\":8,\"to\":3"));
    assert_null(act_wrong(",\"do\":\"workload_stop\",\"number\":9007199254740992"));
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        char text[100];
        snprintf(text, sizeof(text), ",\"do\":\"kill\",\"number\":%s", wrong[i]);
        assert_string_equal(act_wrong(text), "a field of a wrong type or size");
        snprintf(text, sizeof(text), ",\"do\":\"move\",\"number\":8,\"to\":%s", wrong[i]);
        assert_string_equal(act_wrong(text), "a field of a wrong type or size");
    }
    assert_string_equal(act_wrong(",\"do\":\"kill\""), "a field is missing");
    assert_string_equal(act_wrong(",\"do\":\"kill\",\"number\":8,\"to\":1"),
                        "a field that does not belong there");
    assert_string_equal(act_wrong(",\"do\":\"nothing\""), "there is no act of that name");
    assert_string_equal(act_wrong(""), "there is no act of that name");
}

static void heads_are_little_endian(void **state)
{
    static const u8 expected[FRAME_HEAD_BYTES] = {2,    1,    0,  0,  4, 3, 2, 1, 8, 7,   6,
                                                  5,    12,   11, 10, 9, 0, 0, 0, 0, 0,   0,
                                                  0xf0, 0x3f, 0,  0,  0, 0, 0, 0, 0, 0xc0};
    u8 frame[FRAME_HEAD_BYTES];
    struct frame_head head = {.kind = 2,
                              .flags = 1,
                              .rows = 0x01020304,
                              .topic = 0x05060708,
                              .sequence = 0x090a0b0c,
                              .t0 = 1,
                              .complete = -2};
    (void)state;
    memset(frame, 0xff, sizeof(frame));
    frame_head_write(frame, &head);
    assert_memory_equal(frame, expected, sizeof(expected));
    frame_address(frame, 0x14131211, 0x18171615, FRAME_LEFT_OUT);
    static const u8 addressed[] = {2,    3,    0,    0,    4,    3,    2,    1,
                                   0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
    assert_memory_equal(frame, addressed, sizeof(addressed));
}

// u32 u32 u32 u16 f64: with 3 rows 12, 12, 12, 6 and 24 bytes, each padded to 8.
static void columns_follow_each_other_padded_with_zeros(void **state)
{
    static const size_t zeros[][2] = {{44, 48}, {60, 64}, {76, 80}, {86, 88}, {115, 120}};
    double room[(FRAME_HEAD_BYTES + 88) / 8];
    u8 *frame = (u8 *)room;
    struct frame_objects columns;
    (void)state;
    assert_int_equal(frame_objects_bytes(3), sizeof(room));
    assert_int_equal(frame_objects_bytes(0), FRAME_HEAD_BYTES);
    assert_int_equal(frame_bytes_bytes(9), FRAME_HEAD_BYTES + 16);
    memset(room, 0xff, sizeof(room));
    frame_objects_lay(frame, 3, &columns);
    assert_ptr_equal(columns.thing, frame + 32);
    assert_ptr_equal(columns.parent, frame + 48);
    assert_ptr_equal(columns.class, frame + 64);
    assert_ptr_equal(columns.reps, frame + 80);
    assert_ptr_equal(columns.misses, frame + 88);
    assert_ptr_equal(columns.own, frame + 112);
    for (size_t i = 0; i < ARRAY_SIZE(zeros); i++)
        for (size_t at = zeros[i][0]; at < zeros[i][1]; at++)
            assert_int_equal(frame[at], 0);
    assert_int_equal(frame[0], 0xff); // the head is not its own
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_has_its_fields),
        cmocka_unit_test(each_rule_refuses),
        cmocka_unit_test(texts_are_limited),
        cmocka_unit_test(watches_have_the_parameters_of_their_kind),
        cmocka_unit_test(acts_have_numbers_of_their_range),
        cmocka_unit_test(heads_are_little_endian),
        cmocka_unit_test(columns_follow_each_other_padded_with_zeros),
    };
    return count == 2 ? vectors_write(arguments[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
