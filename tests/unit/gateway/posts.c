// SPDX-License-Identifier: MIT
// Queues between threads: several fill one, blocks are shared by all.
#include "unit.h"

#include "gateway/posts.h"

#include <string.h>

#define SENDERS 3
#define POSTS 2000u

struct sender {
    struct post_queue *queue;
    struct block *shared;
    u32 number;
    pthread_t thread;
};

static atomic_uint woken;

static void wake(void *context)
{
    (void)context;
    atomic_fetch_add(&woken, 1);
}

static void *send_all(void *context)
{
    struct sender *sender = context;
    for (u32 i = 0; i < POSTS; i++) {
        struct post post = {.kind = POST_TOPIC,
                            .machine = sender->number,
                            .topic = i,
                            .block = block_keep(sender->shared),
                            .json = json_integer(i)};
        post_send(sender->queue, &post);
    }
    block_release(sender->shared);
    return NULL;
}

static void posts_of_each_thread_come_once_and_in_order(void **state)
{
    struct post_queue queue;
    struct sender senders[SENDERS];
    struct block *shared = block_new(8, false, true);
    u32 next[SENDERS] = {0}, taken = 0;
    (void)state;
    post_queue_init(&queue, wake, NULL);
    for (u32 i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){.queue = &queue, .shared = block_keep(shared), .number = i};
        pthread_create(&senders[i].thread, NULL, send_all, &senders[i]);
    }
    while (taken < SENDERS * POSTS) {
        for (struct post *post = post_take(&queue), *after; post != NULL; post = after) {
            after = post->next;
            assert_int_equal(post->topic, next[post->machine]++);
            assert_int_equal(json_integer_value(post->json), post->topic);
            assert_ptr_equal(post->block, shared);
            post_free(post);
            taken++;
        }
        sched_yield();
    }
    for (u32 i = 0; i < SENDERS; i++)
        pthread_join(senders[i].thread, NULL);
    assert_null(post_take(&queue));
    assert_int_equal(atomic_load(&woken), SENDERS * POSTS);
    assert_int_equal(atomic_load(&shared->references), 1);
    block_release(shared);
    post_queue_free(&queue);
}

static void only_so_many_wait_of_one_and_of_all(void **state)
{
    struct post_queue queue;
    (void)state;
    post_queue_init(&queue, wake, NULL);
    for (u64 browser = 1; browser <= BROWSERS; browser++)
        for (u32 i = 0; i < REQUESTS_WAITING; i++) {
            assert_true(post_fits(&queue, browser));
            post_send(&queue, &(struct post){.kind = REQUEST_ASK, .browser = browser});
            assert_int_equal(post_fits(&queue, browser), i + 1 < REQUESTS_WAITING);
        }
    assert_false(post_fits(&queue, BROWSERS + 1)); // who comes again is another one
    for (struct post *post = post_take(&queue), *next; post != NULL; post = next) {
        next = post->next;
        post_free(post);
    }
    assert_true(post_fits(&queue, 1));
    post_queue_free(&queue);
}

static void what_nobody_takes_is_freed_with_the_queue(void **state)
{
    struct post_queue queue;
    (void)state;
    post_queue_init(&queue, wake, NULL);
    struct post post = {.block = block_new(8, false, true), .json = json_object()};
    struct block *kept = block_keep(post.block);
    post_send(&queue, &post);
    post_queue_free(&queue);
    assert_int_equal(kept->references, 1);
    block_release(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posts_of_each_thread_come_once_and_in_order),
        cmocka_unit_test(only_so_many_wait_of_one_and_of_all),
        cmocka_unit_test(what_nobody_takes_is_freed_with_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
