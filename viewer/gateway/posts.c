// SPDX-License-Identifier: MIT
// Queues between threads.
#include "gateway/posts.h"
#include "tools/memory.h"

#include <stdlib.h>

void post_queue_init(struct post_queue *queue, void (*wake)(void *context), void *context)
{
    *queue = (struct post_queue){.wake = wake, .context = context};
    pthread_mutex_init(&queue->lock, NULL);
    queue->last = &queue->first;
}

void post_send(struct post_queue *queue, const struct post *post)
{
    struct post *copy = memory_get(sizeof(*copy));
    *copy = *post;
    copy->next = NULL;
    pthread_mutex_lock(&queue->lock);
    *queue->last = copy;
    queue->last = &copy->next;
    pthread_mutex_unlock(&queue->lock);
    queue->wake(queue->context);
}

bool post_fits(struct post_queue *queue, u64 browser)
{
    u32 own = 0, all = 0;
    pthread_mutex_lock(&queue->lock);
    for (const struct post *post = queue->first; post != NULL; post = post->next) {
        own += post->browser == browser;
        all++;
    }
    pthread_mutex_unlock(&queue->lock);
    return own < REQUESTS_WAITING && all < BROWSERS * REQUESTS_WAITING;
}

struct post *post_take(struct post_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    struct post *first = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

void post_free(struct post *post)
{
    block_release(post->block);
    json_decref(post->json);
    free(post);
}

void post_queue_free(struct post_queue *queue)
{
    for (struct post *post = post_take(queue), *next; post != NULL; post = next) {
        next = post->next;
        post_free(post);
    }
    pthread_mutex_destroy(&queue->lock);
}
