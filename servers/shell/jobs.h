// SPDX-License-Identifier: MIT
// Jobs: pipelines whose processes have been started.
#ifndef SHELL_JOBS_H
#define SHELL_JOBS_H

#include "parse.h"

#define JOBS_MAX 32

struct job {
    u32 number; // 0: free
    u32 count;  // processes
    u32 running;
    u32 pids[COMMANDS_MAX];
    s32 status; // of the last one
    bool background;
    char *text;
};

// NULL: too many jobs, or no memory.
struct job *job_new(const char *text, bool background);
void job_free(struct job *job);
void job_add(struct job *job, u32 pid);
// Waits until all its processes have ended; its exit status. An interrupt (Ctrl-C) ends them.
int job_wait(struct job *job);
// Takes note of children that have ended, and says so of background jobs.
void jobs_notice(bool tell);
// All that run, to a descriptor.
void jobs_list(int file);
// By number, 0: the latest in the background. NULL: there is none.
struct job *job_find(u32 number);
// Number of the foreground job, 0: there is none. Any context.
u64 jobs_foreground(void);
// A Ctrl-C that came while this was the foreground job: ends it; false: it has ended. Any thread.
bool jobs_interrupt(u64 number);
// Whether one has been since the last question. By the thread that waits for jobs, between them.
bool jobs_interrupted(void);
// What a process's status is in $?.
int job_exit_status(s32 status);

#endif
