// SPDX-License-Identifier: MIT
// What waits for one browser. Messages of JSON go first and in order; there is a limit to them.
// Names come next.
// Frames need credit, which the browser gives back as it takes them. Without credit a topic that
// says all of it each time (a state) keeps its newest block; one that adds to what it has said
// leaves blocks out, and says so with the next.
#ifndef KOV_CREDITS_H
#define KOV_CREDITS_H

#include "gateway/blocks.h"
#include "gateway/topics.h"

#define OUTBOX_STREAM_BLOCKS 16 // of one topic that wait

struct waiting {
    struct block *block;
    struct waiting *next;
};

// A topic that this browser watches.
struct watch {
    u32 id; // the browser's
    struct topic *topic;
    struct block *blocks[OUTBOX_STREAM_BLOCKS]; // oldest first
    u32 count;
    u32 sequence;
    u64 left_out;    // blocks, ever
    bool leaves_out; // some before the next block
};

// Names of things of a machine, kept once for all browsers: a message each.
struct told_names {
    struct block **blocks;
    size_t count, capacity;
};

struct outbox {
    struct waiting *first, **last; // messages of JSON
    size_t queued;                 // their bytes
    u64 credit;
    struct watch *watches[TOPICS];
    u32 watch_count;
    u32 turn; // whose block is next
    // By machine, or NULL; and how many of them this browser has. It gets them one after the other
    // as it takes them, before the frames of topics of that machine: none of them waits here.
    const struct told_names *names;
    size_t named[MACHINES];
};

void outbox_init(struct outbox *outbox);
void outbox_free(struct outbox *outbox); // its watches are those of topics no more
// Takes the reference to the block. False: too much waits, and the browser must go.
bool outbox_tell(struct outbox *outbox, struct block *block);
// The browser took so many bytes of frames.
void outbox_give(struct outbox *outbox, u64 bytes);

struct watch *outbox_watch(struct outbox *outbox, u32 id); // NULL: none of that id
// NULL: there are TOPICS of them already.
struct watch *outbox_add_watch(struct outbox *outbox, u32 id, struct topic *topic);
void outbox_remove_watch(struct outbox *outbox, struct watch *watch);
// A topic has said something: keeps a reference where it watches it.
void outbox_publish(struct outbox *outbox, const struct topic *topic, struct block *block);

// Numbers of things begin anew: frames that have old ones are not sent any more. All topics of the
// machine are said again.
void outbox_forget_names(struct outbox *outbox, u32 machine);

// Is there anything that may be sent now?
bool outbox_ready(const struct outbox *outbox);
// The next message, to be freed with block_release, with room for `before` bytes in front of it, as
// a copy of its own: *data points behind that room. NULL: nothing may be sent.
struct block *outbox_next(struct outbox *outbox, size_t before);

#endif
