// SPDX-License-Identifier: MIT
// The table of jobs. The lock guards the foreground job and its processes, which the thread of
// Ctrl-C reads.
#include "jobs.h"

#include <orrery/process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/thread.h>

#define STATUS_INTERRUPTED 130
#define STATUS_CRASHED 139
#define KILLED_BY_EXCEPTION 0x10000

static struct job jobs[JOBS_MAX];
static struct mutex foreground_lock;
static struct job *foreground;
static u64 last_serial;
static u64 serial;       // atomic: serial of the foreground job, 0: there is none
static bool interrupted; // by Ctrl-C; under the lock while there is a foreground job

int job_exit_status(s32 status)
{
    return status & KILLED_BY_EXCEPTION ? STATUS_CRASHED : status & 0xff;
}

struct job *job_new(const char *text, bool background)
{
    for (u32 i = 0; i < JOBS_MAX; i++) {
        if (jobs[i].number != 0)
            continue;
        char *copy = strdup(text);
        if (copy == NULL)
            return NULL;
        jobs[i] = (struct job){.number = i + 1, .background = background, .text = copy};
        return &jobs[i];
    }
    return NULL;
}

void job_free(struct job *job)
{
    free(job->text);
    job->text = NULL;
    job->number = 0;
}

void job_add(struct job *job, u32 pid)
{
    job->pids[job->count++] = pid;
    job->running++;
}

struct job *job_find(u32 number)
{
    for (u32 i = JOBS_MAX; i > 0; i--) {
        struct job *job = &jobs[i - 1];
        if (job->number != 0 && (number == 0 ? job->background : job->number == number))
            return job;
    }
    return NULL;
}

// ---- ends of processes --------------------------------------------------------------------------

static void process_ended(struct job *job, u32 which, s32 status)
{
    job->pids[which] = 0;
    job->running--;
    if (which == job->count - 1)
        job->status = status;
    if (status & KILLED_BY_EXCEPTION)
        fprintf(stderr, "%s: ended by an exception (vector 0x%x)\n", job->text,
                (u32)status & (KILLED_BY_EXCEPTION - 1));
}

static void child_ended(u32 pid, s32 status)
{
    for (u32 i = 0; i < JOBS_MAX; i++)
        for (u32 which = 0; jobs[i].number != 0 && which < jobs[i].count; which++)
            if (jobs[i].pids[which] == pid) {
                process_ended(&jobs[i], which, status);
                return;
            }
}

static void tell_end(struct job *job)
{
    int status = job_exit_status(job->status);

    if (status == 0)
        fprintf(stderr, "[%u] done  %s\n", job->number, job->text);
    else
        fprintf(stderr, "[%u] exit %d  %s\n", job->number, status, job->text);
}

void jobs_notice(bool tell)
{
    s32 status;

    for (s64 pid = 0; (pid = process_wait(0, &status, 0)) > 0;)
        child_ended((u32)pid, status);
    for (u32 i = 0; i < JOBS_MAX; i++) {
        if (jobs[i].number == 0 || jobs[i].running > 0 || !jobs[i].background)
            continue;
        if (tell)
            tell_end(&jobs[i]);
        job_free(&jobs[i]);
    }
}

void jobs_list(int file)
{
    for (u32 i = 0; i < JOBS_MAX; i++)
        if (jobs[i].number != 0 && jobs[i].running > 0)
            dprintf(file, "[%u] running  %s\n", jobs[i].number, jobs[i].text);
}

static void set_foreground(struct job *job)
{
    mutex_lock(&foreground_lock);
    foreground = job;
    __atomic_store_n(&serial, job != NULL ? ++last_serial : 0, __ATOMIC_RELAXED);
    mutex_unlock(&foreground_lock);
}

u64 jobs_foreground(void)
{
    return __atomic_load_n(&serial, __ATOMIC_RELAXED);
}

bool jobs_interrupt(u64 number)
{
    mutex_lock(&foreground_lock);
    bool any = foreground != NULL && serial == number;
    interrupted |= any;
    for (u32 i = 0; any && i < foreground->count; i++)
        if (foreground->pids[i] != 0)
            sys_process_kill(foreground->pids[i], STATUS_INTERRUPTED);
    mutex_unlock(&foreground_lock);
    return any;
}

bool jobs_interrupted(void)
{
    bool any = interrupted;

    interrupted = false;
    return any;
}

int job_wait(struct job *job)
{
    set_foreground(job);
    while (job->running > 0) {
        s32 status;
        s64 pid = process_wait(0, &status, THREAD_FOREVER);
        if (pid <= 0)
            break; // no children: impossible while one runs
        mutex_lock(&foreground_lock);
        child_ended((u32)pid, status);
        mutex_unlock(&foreground_lock);
    }
    set_foreground(NULL);
    return job_exit_status(job->status);
}
