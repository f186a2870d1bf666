// SPDX-License-Identifier: MIT
// Plays a tape to a machine's thread as if the machine were there: events come when they came, and
// a request is answered as the same request was answered last. The thread asks when the recorded
// one did: the player has news for it.
#ifndef KOV_GATEWAY_PLAYER_H
#define KOV_GATEWAY_PLAYER_H

#include "wire/through.h"

#define PLAYER_ENDED UINT32_MAX // news: the tape has ended; its last answers stay

struct player;

extern const struct link_through player_through; // of a struct player

// NULL: there is no such file, and a message tells. Of one that is no tape player_problem tells.
struct player *player_new(const char *path);
void player_free(struct player *player);
// Why nothing comes, or no more, for people; NULL while it plays.
const char *player_problem(const struct player *player);
// The kind of request (body case) that was just answered on the tape, or PLAYER_ENDED; 0: nothing
// new. Nothing more comes before this is asked.
u32 player_news(struct player *player);
// When the request of this kind that was answered last had been asked, by clock_now().
double player_asked(const struct player *player, u32 kind);
// The command of the workload that was started last, NAME:key=value,…; "": none.
void player_run_command(const struct player *player, char *command, size_t size);
// The run that was asked after last; 0: none.
u64 player_run_asked(const struct player *player);

#endif
