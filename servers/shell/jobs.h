// SPDX-License-Identifier: MIT
// Jobs: pipelines whose processes have been started. The shell's main thread calls what is declared
// here, if nothing else is said.
#ifndef SHELL_JOBS_H
#define SHELL_JOBS_H

#include "parse.h"

#define JOBS_MAX 32

struct job {
    u32 number; // 0: free
    u32 count;  // processes that have been started
    u32 running;
    u32 pids[COMMANDS_MAX]; // 0: has ended
    s32 status;             // of the last process
    bool background;
    char *text; // as it was typed
};

// Takes a free job. Returns NULL if there are JOBS_MAX, or no memory for a copy of text.
struct job *job_new(const char *text, bool background);
void job_free(struct job *job);
// Adds a process. A job has room for COMMANDS_MAX.
void job_add(struct job *job, u32 pid);
// Waits in the foreground until all processes of the job have ended. Ctrl-C ends them. Returns the
// job's exit status.
int job_wait(struct job *job);
// Takes note of children that have ended, and frees background jobs that are done. tell: prints a
// notice for each of these.
void jobs_notice(bool tell);
// Prints all running jobs to a descriptor.
void jobs_list(int file);
// Returns the job with this number (0: the latest one in the background), or NULL.
struct job *job_find(u32 number);
// Returns the serial of the foreground job, or 0 if there is none. Serials are never used again.
// Any context.
u64 jobs_foreground(void);
// Ends the processes of the foreground job with this serial. Returns false if it has ended. Any
// thread.
bool jobs_interrupt(u64 number);
// Returns true if a job has been interrupted since the last call. Called between jobs.
bool jobs_interrupted(void);
// Returns the value of $? for the status of a process.
int job_exit_status(s32 status);

#endif
