// SPDX-License-Identifier: MIT
// Plays a tape to a machine's thread as if the machine had been there until just now: all that came
// comes at once, in its order. A request gets the answer that the same request got last. The thread
// asks where the recorded one did: the player tells it by its news.
#ifndef KOV_GATEWAY_PLAYER_H
#define KOV_GATEWAY_PLAYER_H

#include "wire/through.h"

#define PLAYER_ENDED UINT32_MAX // news: the tape has ended; its last answers stay

struct player;

extern const struct link_through player_through; // its context is a struct player

// Returns NULL with a message if there is no such file. If the file is no tape, player_problem
// tells.
struct player *player_new(const char *path);
void player_free(struct player *player);
// Returns why nothing comes, or why no more comes, for people. NULL while it plays.
const char *player_problem(const struct player *player);
// Returns the kind (body case) of the request that was just answered on the tape, or PLAYER_ENDED.
// 0: nothing new. Nothing more comes before this is asked.
u32 player_news(struct player *player);
// Returns when what was played last came, by clock_now(): as if the tape had ended when it was
// opened.
double player_present(const struct player *player);
// Returns when the last answered request of this kind was asked, by clock_now().
double player_asked(const struct player *player, u32 kind);
// Writes the command of the workload that was started last, NAME:key=value,…; "": none.
void player_run_command(const struct player *player, char *command, size_t size);
// Returns the run that was last asked about. 0: none.
u64 player_run_asked(const struct player *player);

#endif
