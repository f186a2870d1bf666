// SPDX-License-Identifier: MIT
// What goes between the net thread and the machines' threads: posts to the one, wishes to the
// others. Each is a queue that any thread fills and one empties.
#ifndef KOV_POSTS_H
#define KOV_POSTS_H

#include "gateway/blocks.h"
#include <messages.h>

#include <pthread.h>

enum post_kind {
    // from a machine
    POST_TOPIC,   // a block of a topic
    POST_STOPPED, // the topic says nothing any more; the block is {"message": …}
    POST_NAMES,   // names of things, to be known before any later block; first 1: all anew
    POST_TOLD,    // a machine's state or a notice, for all browsers
    POST_ANSWER,  // to one browser
    // to a machine
    WISH_WATCH,   // begin a topic
    WISH_REFRESH, // say all of it again: somebody else watches it too
    WISH_UNWATCH,
    WISH_ASK, // the message of a browser
    WISH_ACT,
    WISH_END, // of the thread
};

struct post {
    enum post_kind kind;
    u32 machine;
    u64 topic;
    u64 browser; // who asked; 0: nobody in particular
    enum watched_kind watched;
    bool forget;         // POST_NAMES: forget all names before
    struct block *block; // owned, or NULL
    json_t *json;        // owned, or NULL: parameters of a watch, a message
    struct post *next;
};

struct post_queue {
    pthread_mutex_t lock;
    struct post *first, **last;
    void (*wake)(void *context); // called after each post, by whoever posts
    void *context;
};

void post_queue_init(struct post_queue *queue, void (*wake)(void *context), void *context);
// Copies *post; the queue owns its block and json from here on.
void post_send(struct post_queue *queue, const struct post *post);
// Is there room for one more of this browser, and of all browsers together? One thread alone adds
// what it has asked about.
bool post_fits(struct post_queue *queue, u64 browser);
// All that waits, in order, or NULL; each to be ended with post_free.
struct post *post_take(struct post_queue *queue);
void post_free(struct post *post);
void post_queue_free(struct post_queue *queue);

#endif
