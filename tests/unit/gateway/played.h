// SPDX-License-Identifier: MIT
// A hub with machines that are played: what is requested of them waits to be looked at, and what
// they say the test says.
#ifndef GATEWAY_PLAYED_H
#define GATEWAY_PLAYED_H

#include "gateway/hub.h"

#define PLAYED_MACHINES 2

struct machine {
    const char *name;
    u32 number;
    struct post_queue requests;
    struct exposition *exposition;
};
extern struct machine played_machines[PLAYED_MACHINES]; // "one" and "two"

// Makes tokens, and machines that nobody has requested anything of; the hub is still to be inited.
void played_begin(struct hub *hub, void (*wake)(void *context), void *context);
// As the program ends: machines first. The caller frees the hub.
void played_end(struct hub *hub);

// The next request of a machine, or NULL; to be freed with post_free.
struct post *played_request(u32 machine);
// Frees all requests; how many they were.
u32 played_drop_requests(u32 machine);

// What a machine says.
void played_publish(struct hub *hub, u64 topic, size_t bytes, bool whole);
void played_names(struct hub *hub, u32 machine, u32 first, bool forget);
void played_tell(struct hub *hub, u32 machine, const char *state);
// To a request that was asked or to be done.
void played_answer(struct hub *hub, const struct post *request, const char *text);

#endif
