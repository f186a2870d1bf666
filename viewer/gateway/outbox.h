// SPDX-License-Identifier: MIT
// What waits for one browser. JSON messages go first, in order, and their size is limited. Names
// come next.
// Frames need credit, which the browser gives back as it takes them. Without credit, a topic that
// says all of it each time (a state) keeps its newest block. A topic that adds to what it has said
// leaves blocks out, and says so with the next one.
#ifndef KOV_OUTBOX_H
#define KOV_OUTBOX_H

#include "gateway/blocks.h"
#include "gateway/topics.h"

// Machines, and for each a place for its boot before.
#define HUB_MACHINES (2 * MACHINES)
#define OUTBOX_STREAM_BLOCKS 16 // of one topic: at most so many wait

struct waiting {
    struct block *block;
    struct waiting *next;
};

// A topic that this browser watches.
struct watch {
    u32 id; // the browser's id of the topic
    struct topic *topic;
    struct block *blocks[OUTBOX_STREAM_BLOCKS]; // oldest first
    u32 count;
    u32 sequence;
    u64 left_out;    // blocks left out so far
    bool leaves_out; // blocks are missing before the next one
};

// Names of things of a machine, kept once for all browsers, each message a block.
struct sent_names {
    struct block **blocks;
    size_t count, capacity;
};

struct outbox {
    struct waiting *first, **last; // messages of JSON
    size_t queued;                 // bytes of these
    u64 credit;
    struct watch *watches[TOPICS];
    u32 watch_count;
    u32 turn; // the watch whose block is next
    // By machine, or NULL; named is how many of them this browser has. It gets them one by one as
    // it takes them, before the frames of that machine's topics. None of them waits here.
    const struct sent_names *names;
    size_t named[HUB_MACHINES];
};

void outbox_init(struct outbox *outbox);
void outbox_free(struct outbox *outbox); // the topics must no longer use its watches
// Takes the reference to the block. Returns false if too much waits; the browser must then go.
bool outbox_tell(struct outbox *outbox, struct block *block);
// Adds credit: the browser took so many bytes of frames.
void outbox_give(struct outbox *outbox, u64 bytes);

struct watch *outbox_watch(struct outbox *outbox, u32 id); // NULL: none has that id
// Returns NULL if there are already TOPICS of them.
struct watch *outbox_add_watch(struct outbox *outbox, u32 id, struct topic *topic);
void outbox_remove_watch(struct outbox *outbox, struct watch *watch);
// Keeps a reference to what a topic says, if this browser watches it.
void outbox_publish(struct outbox *outbox, const struct topic *topic, struct block *block);

// Forgets names, since numbers of things begin again. Frames with old numbers are not sent. All
// topics of the machine must be said again.
void outbox_reset_names(struct outbox *outbox, u32 machine);

// Returns whether anything may be sent now.
bool outbox_ready(const struct outbox *outbox);
// Returns a copy of the next message, with room for `before` bytes in front of it. *data points
// behind that room. End it with block_release. NULL: nothing may be sent.
struct block *outbox_next(struct outbox *outbox, size_t before);

#endif
