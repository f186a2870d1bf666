// SPDX-License-Identifier: MIT
// Threads of a process's library, as the library tells of them (kind THREAD). A thread runs while
// the library says so and its dispatcher runs (S003 §3). There is a row for each id and number, on
// any CPU.
#ifndef KOV_MONITOR_THREADS_H
#define KOV_MONITOR_THREADS_H

#include "tools/strips.h"

#define USER_THREAD_NAME_BYTES 9

struct user_thread;

// A dispatcher: what it does, and which thread of the library runs on it.
struct user_host {
    bool told; // if not, only its threads tell of it
    enum strip_state state;
    char letter;
    struct user_thread *runs; // NULL: none, or not known
};

struct user_thread {
    u64 key[KEY_WORDS]; // id, number
    u64 strip;          // its key among the strips
    u32 cpu;            // the CPU on which it was last
    char name[USER_THREAD_NAME_BYTES];
    struct user_host *host;
    bool begun, ended;
    enum strip_state said, state; // as the library says; as it is
    char said_letter, letter;
    u64 since;
    u64 switches, stays;      // how often it came; how often it could have left but stayed
    u64 turn, turns, longest; // ticks that it ran since it came; finished turns; the longest
};

struct user_threads {
    struct keyed_rows rows; // user_threads_begin sets row_bytes
    struct strips *strips;
};

struct user_record {
    u64 id, reason, word0, word1, time;
    u32 cpu;
};

void user_threads_begin(struct user_threads *threads, struct strips *strips);
void user_threads_take(struct user_threads *threads, struct user_host *host,
                       const struct user_record *record);
// Takes another state of the dispatcher.
void user_threads_host_changed(struct user_threads *threads, const struct user_host *host,
                               u64 time);
// Makes the state of the threads on a CPU unknown.
void user_threads_lost(struct user_threads *threads, u32 cpu, u64 time);
// Takes the end of each CPU as the end of what its threads did last.
void user_threads_end(struct user_threads *threads, const u64 ends[ORRERY_MAX_CPUS]);
// Returns the thread of a strip. NULL: the strip is of something else.
const struct user_thread *user_threads_of(const struct user_threads *threads,
                                          const struct strip *strip);

#endif
