// SPDX-License-Identifier: MIT
// What waits for one browser: order, credit, what is left out, limits.
#include "unit.h"

#include "gateway/outbox.h"

#include <string.h>

#define BEFORE 16 // room in front of a message

static struct block *frame_of(size_t bytes, bool whole, u8 mark)
{
    struct block *block = block_new(FRAME_HEAD_BYTES + bytes, true, whole);
    struct frame_head head = {.kind = FRAME_BYTES, .flags = whole ? FRAME_WHOLE : 0};
    frame_head_write(block->data, &head);
    if (bytes > 0)
        block->data[FRAME_HEAD_BYTES] = mark;
    return block;
}

static void publish(struct outbox *outbox, struct topic *topic, size_t bytes, bool whole, u8 mark)
{
    struct block *block = frame_of(bytes, whole, mark);
    outbox_publish(outbox, topic, block);
    block_release(block);
}

struct seen {
    u32 topic, sequence;
    u8 flags, mark;
};

static struct seen next_frame(struct outbox *outbox)
{
    struct seen seen;
    struct block *block = outbox_next(outbox, BEFORE);
    assert_non_null(block);
    assert_true(block->frame);
    const u8 *frame = block->data + BEFORE;
    seen.flags = frame[1];
    memcpy(&seen.topic, frame + 8, 4);
    memcpy(&seen.sequence, frame + 12, 4);
    seen.mark = block->size > BEFORE + FRAME_HEAD_BYTES ? frame[FRAME_HEAD_BYTES] : 0;
    block_release(block);
    return seen;
}

static void assert_next_text(struct outbox *outbox, const char *text)
{
    struct block *block = outbox_next(outbox, BEFORE);
    assert_non_null(block);
    assert_false(block->frame);
    assert_int_equal(block->size - BEFORE, strlen(text));
    assert_memory_equal(block->data + BEFORE, text, strlen(text));
    block_release(block);
}

static bool tell(struct outbox *outbox, int number)
{
    return outbox_tell(outbox, block_of_json(json_pack("{s:i}", "n", number)));
}

static void json_goes_in_order_and_before_frames(void **state)
{
    struct outbox outbox;
    struct topic topic = {0};
    (void)state;
    outbox_init(&outbox);
    assert_false(outbox_ready(&outbox));
    assert_null(outbox_next(&outbox, BEFORE));
    outbox_add_watch(&outbox, 7, &topic);
    publish(&outbox, &topic, 8, true, 'a');
    assert_true(tell(&outbox, 1));
    assert_true(tell(&outbox, 2));
    assert_next_text(&outbox, "{\"n\":1}");
    assert_true(tell(&outbox, 3));
    assert_next_text(&outbox, "{\"n\":2}");
    assert_next_text(&outbox, "{\"n\":3}");
    assert_int_equal(outbox.queued, 0);
    assert_int_equal(next_frame(&outbox).topic, 7);
    assert_false(outbox_ready(&outbox));
    assert_true(tell(&outbox, 4)); // left for outbox_free
    outbox_free(&outbox);
}

static void json_states_are_wrapped_and_cost_nothing(void **state)
{
    struct outbox outbox;
    struct topic topic = {0};
    (void)state;
    outbox_init(&outbox);
    outbox_add_watch(&outbox, 4294967295u, &topic);
    outbox.credit = 0;
    for (int i = 0; i < 3; i++) {
        struct block *block = block_of_json(json_pack("{s:i}", "n", i));
        outbox_publish(&outbox, &topic, block);
        block_release(block);
    }
    assert_next_text(&outbox, "{\"type\":\"state\",\"id\":4294967295,\"data\":{\"n\":2}}");
    assert_false(outbox_ready(&outbox));
    outbox_free(&outbox);
}

static void without_credit_a_state_keeps_its_newest_block(void **state)
{
    struct outbox outbox;
    struct topic topic = {0};
    (void)state;
    outbox_init(&outbox);
    struct watch *watch = outbox_add_watch(&outbox, 1, &topic);
    outbox.credit = FRAME_HEAD_BYTES + 7;
    for (u8 mark = 1; mark <= 50; mark++)
        publish(&outbox, &topic, 8, true, mark);
    assert_int_equal(watch->count, 1);
    assert_false(outbox_ready(&outbox));
    assert_null(outbox_next(&outbox, BEFORE));
    outbox_give(&outbox, 1);
    struct seen seen = next_frame(&outbox);
    assert_int_equal(seen.mark, 50);
    assert_int_equal(seen.flags, FRAME_WHOLE);
    assert_int_equal(outbox.credit, 0);
    outbox_free(&outbox);
}

static void without_credit_a_stream_leaves_out_the_oldest_and_says_so(void **state)
{
    struct outbox outbox;
    struct topic topic = {0};
    (void)state;
    outbox_init(&outbox);
    struct watch *watch = outbox_add_watch(&outbox, 1, &topic);
    outbox.credit = 0;
    for (u8 mark = 1; mark <= OUTBOX_STREAM_BLOCKS + 3; mark++)
        publish(&outbox, &topic, 8, false, mark);
    assert_int_equal(watch->count, OUTBOX_STREAM_BLOCKS);
    assert_int_equal(watch->left_out, 3);
    outbox_give(&outbox, CREDIT_BYTES);
    for (u8 mark = 4; mark <= OUTBOX_STREAM_BLOCKS + 3; mark++) {
        struct seen seen = next_frame(&outbox);
        assert_int_equal(seen.mark, mark);
        assert_int_equal(seen.sequence, mark - 4);
        assert_int_equal(seen.flags, mark == 4 ? FRAME_LEFT_OUT : 0);
    }
    // One that replaces all does away with what waits, and there is no gap any more.
    outbox.credit = 0;
    for (u8 mark = 1; mark <= OUTBOX_STREAM_BLOCKS + 1; mark++)
        publish(&outbox, &topic, 8, false, mark);
    publish(&outbox, &topic, 8, true, 99);
    outbox_give(&outbox, CREDIT_BYTES);
    struct seen seen = next_frame(&outbox);
    assert_int_equal(seen.mark, 99);
    assert_int_equal(seen.flags, FRAME_WHOLE);
    assert_false(outbox_ready(&outbox));
    outbox_free(&outbox);
}

static void credit_stays_within_its_limit(void **state)
{
    struct outbox outbox;
    struct topic topic = {0};
    (void)state;
    outbox_init(&outbox);
    assert_int_equal(outbox.credit, CREDIT_BYTES);
    outbox_give(&outbox, UINT64_MAX);
    assert_int_equal(outbox.credit, CREDIT_BYTES);
    outbox_add_watch(&outbox, 1, &topic);
    publish(&outbox, &topic, 8, false, 1);
    next_frame(&outbox);
    assert_int_equal(outbox.credit, CREDIT_BYTES - FRAME_HEAD_BYTES - 8);
    outbox_give(&outbox, 1);
    assert_int_equal(outbox.credit, CREDIT_BYTES - FRAME_HEAD_BYTES - 7);
    outbox_give(&outbox, UINT64_MAX);
    assert_int_equal(outbox.credit, CREDIT_BYTES);
    outbox_free(&outbox);
}

static void too_much_json_ends_a_browser(void **state)
{
    struct outbox outbox;
    (void)state;
    outbox_init(&outbox);
    for (u32 i = 0; i < 8; i++)
        assert_true(outbox_tell(&outbox, block_new(QUEUED_BYTES / 8, false, true)));
    assert_false(outbox_tell(&outbox, block_new(1, false, true)));
    assert_int_equal(outbox.queued, QUEUED_BYTES);
    block_release(outbox_next(&outbox, 0));
    assert_true(outbox_tell(&outbox, block_new(1, false, true)));
    outbox_free(&outbox);
    assert_int_equal(outbox.queued, 0);
}

static void topics_take_turns(void **state)
{
    struct outbox outbox;
    struct topic topics[3] = {0};
    u32 seen[3] = {0};
    (void)state;
    outbox_init(&outbox);
    for (u32 i = 0; i < 3; i++)
        outbox_add_watch(&outbox, i, &topics[i]);
    for (u32 round = 0; round < 4; round++)
        for (u32 i = 0; i < 3; i++)
            publish(&outbox, &topics[i], 8, false, 0);
    for (u32 i = 0; i < 6; i++)
        seen[next_frame(&outbox).topic]++;
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(seen[i], 2);
    // A turn that points behind the last watch is no harm.
    outbox.turn = 2;
    outbox_remove_watch(&outbox, outbox_watch(&outbox, 2));
    outbox_remove_watch(&outbox, outbox_watch(&outbox, 0));
    assert_int_equal(next_frame(&outbox).topic, 1);
    outbox_free(&outbox);
}

static void a_frame_too_large_for_the_credit_holds_up_no_other_topic(void **state)
{
    struct outbox outbox;
    struct topic large = {0}, small = {0};
    (void)state;
    outbox_init(&outbox);
    outbox_add_watch(&outbox, 1, &large);
    outbox_add_watch(&outbox, 2, &small);
    outbox.credit = 200;
    publish(&outbox, &large, 1000, true, 0);
    publish(&outbox, &small, 8, true, 0);
    assert_int_equal(next_frame(&outbox).topic, 2);
    assert_false(outbox_ready(&outbox));
    outbox_give(&outbox, 2000);
    assert_int_equal(next_frame(&outbox).topic, 1);
    outbox_free(&outbox);
}

static void watches_are_limited_and_share_a_block(void **state)
{
    struct outbox outbox;
    struct topic topic = {0};
    (void)state;
    outbox_init(&outbox);
    for (u32 i = 0; i < TOPICS; i++)
        assert_non_null(outbox_add_watch(&outbox, i, &topic));
    assert_null(outbox_add_watch(&outbox, TOPICS, &topic));
    assert_null(outbox_watch(&outbox, TOPICS));
    struct block *block = frame_of(8, true, 1);
    outbox_publish(&outbox, &topic, block);
    assert_int_equal(block->references, TOPICS + 1);
    outbox_free(&outbox);
    assert_int_equal(block->references, 1);
    block_release(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_goes_in_order_and_before_frames),
        cmocka_unit_test(json_states_are_wrapped_and_cost_nothing),
        cmocka_unit_test(without_credit_a_state_keeps_its_newest_block),
        cmocka_unit_test(without_credit_a_stream_leaves_out_the_oldest_and_says_so),
        cmocka_unit_test(credit_stays_within_its_limit),
        cmocka_unit_test(too_much_json_ends_a_browser),
        cmocka_unit_test(topics_take_turns),
        cmocka_unit_test(a_frame_too_large_for_the_credit_holds_up_no_other_topic),
        cmocka_unit_test(watches_are_limited_and_share_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
