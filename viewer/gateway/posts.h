// SPDX-License-Identifier: MIT
// What goes between the net thread and the machines' threads: posts to the net thread, requests to
// the machines. Any thread fills a queue, and one thread empties it.
#ifndef KOV_POSTS_H
#define KOV_POSTS_H

#include "gateway/blocks.h"
#include <messages.h>

#include <pthread.h>

enum post_kind {
    // from a machine
    POST_TOPIC,   // a block of a topic
    POST_STOPPED, // the topic says nothing more; the block is {"message": …}
    POST_RESET,   // names of things begin again; what uses the old ones is not sent any more
    POST_NAMES,   // names of things, known before any later block
    POST_NOTICE,  // a machine's state or a notice, for all browsers
    POST_ANSWER,  // to one browser
    // to a machine
    REQUEST_WATCH,   // begin a topic
    REQUEST_REFRESH, // say all of it again, since somebody else watches it too
    REQUEST_UNWATCH,
    REQUEST_ASK, // the message of a browser
    REQUEST_ACT,
    REQUEST_END, // of the thread
};

struct post {
    enum post_kind kind;
    u32 machine;
    u64 topic;
    u64 browser; // the one that asked; 0: no single browser
    enum watched_kind watched;
    struct block *block; // owned, or NULL
    json_t *json;        // owned, or NULL: parameters of a watch, a message
    struct post *next;
};

struct post_queue {
    pthread_mutex_t lock;
    struct post *first, **last;
    void (*wake)(void *context); // called after each post, in the thread that posts
    void *context;
};

void post_queue_init(struct post_queue *queue, void (*wake)(void *context), void *context);
// Copies *post. The queue then owns its block and json.
void post_send(struct post_queue *queue, const struct post *post);
// Returns whether there is room for one more of this browser, and of all browsers together. Only
// the thread that has asked may add it.
bool post_fits(struct post_queue *queue, u64 browser);
// Returns all that waits, in order, or NULL. End each with post_free.
struct post *post_take(struct post_queue *queue);
void post_free(struct post *post);
void post_queue_free(struct post_queue *queue);

#endif
