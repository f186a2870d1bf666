// SPDX-License-Identifier: MIT
// The parts of the supervisor. One thread does it all; only the hub's calls are served by others.
#ifndef FUZZ_SUPERVISOR_H
#define FUZZ_SUPERVISOR_H

#include <orrery/errors.h>
#include <orrery/process.h>
#include <orrery/sys.h>

#include <fuzz/calls.h>
#include <user/process.h>

#define ACTIVE_MAX 12 // processes at once
#define SLOTS_MAX 24  // with those that rest

// ---- options.c: words of the boot line behind `--` ---------------------------------------------

struct options {
    u64 seed;
    u64 calls, processes; // when to stop: whichever comes last
    u64 seconds;          // and this at the latest; 0: no limit
    u32 slots;            // processes at once
    u32 rights;           // that processes may get, each a part of them at random
    u32 rights_only;      // rights that each process has
    u64 warm;             // processes before the first look at the memory
    u64 every;            // and between two
    // microseconds until all must be as before: what is late on a busy host is not left
    u64 patience;
    u32 fresh;   // percent of programs made from nothing
    u32 methods; // percent of calls that are servers' methods; the rest are system calls
    u32 replay;  // how often the corpus is run as it is; 0: fuzz
    // percent of processes that work, and spoil what they share, instead of running programs
    u32 subjects;
    u32 failing;    // percent of processes with an allocation that fails
    bool monitored; // a process with RIGHT_MONITOR watches
};
extern struct options options;
void options_read(void);

// ---- archive.c: the initial file system, without a server --------------------------------------

struct archived {
    cap_t memory;
    u64 offset, bytes; // in memory; a multiple of 4,096 for a file of a page or more
    const u8 *contents;
};
s64 archive_find(const char *path, struct archived *file); // 0 or E_NOENT
// Starts a program that takes a seed as its argument; *how has the rest. As process_spawn_cap.
s64 archive_start(const struct archived *program, const char *name, struct process_spawn *how,
                  cap_t *process);

// ---- random.c ----------------------------------------------------------------------------------

void random_seed(u64 seed);
u64 random_next(void);
u64 random_below(u64 limit); // 0 … limit - 1
bool random_percent(u32 percent);

// ---- values.c, make.c --------------------------------------------------------------------------

void values_begin(void); // of a call: some get nothing but sensible ones, the more usual first
struct fuzz_value value_for(const struct fuzz_parameter *parameter);
struct fuzz_value value_of_meaning(u32 meaning);
void step_fill(struct fuzz_step *step, u32 call); // arguments and fields
void program_make(struct fuzz_program *program);  // from nothing
void program_mutate(struct fuzz_program *program, const struct fuzz_program *other);

// ---- corpus.c ----------------------------------------------------------------------------------

#define CORPUS_MAX 1024
void corpus_load(void); // "fuzz/corpus" of the initial file system
u32 corpus_count(void);
struct fuzz_program *corpus_at(u32 index);
void corpus_add(const struct fuzz_program *program, u64 gained, u32 rights);
void corpus_next(struct fuzz_program *program); // what to run next: new, or made of what is there

// ---- slot.c ------------------------------------------------------------------------------------

s64 slots_create(void);
// Lets processes run programs until options say that it is enough, or, paused, until all have
// ended.
void slots_run(void);
void slots_replay(void);
bool is_ours(u32 pid);           // a slot's process
cap_t service(const char *name); // a server's endpoint, looked up once; 0: there is none

// ---- failing.c ----------------------------------------------------------------------------------

void failing_begin(u32 pid); // for some: an allocation of that process, or of the kernel's, fails
void failing_end(void);      // none any more

// ---- hub.c -------------------------------------------------------------------------------------

extern cap_t hub_endpoint, silent_endpoint;
s64 hub_create(void);
void hub_clear(void);      // drops what it holds
void hub_offer(cap_t cap); // takes it over

// ---- census.c ----------------------------------------------------------------------------------

void census_begin(void);  // which processes there are
void census_settle(void); // what there is, once what is made once and kept has been made
void census_kill_orphans(void);
bool census_compare(
    bool last); // false: something has not come back, a server was lost …: has been told
u32 census_services(u32 *pids, u32 most); // processes that were there before

// ---- files.c -----------------------------------------------------------------------------------

void files_begin(void);  // which mounts there are; and maps all files once
void files_remove(void); // all that can be removed, and mounts that are new
void files_tell(void);   // what there is

// ---- totals.c ----------------------------------------------------------------------------------

struct summary {
    struct fuzz_head head;
    u64 calls, processes, programs;
    u64 killed;                    // for taking too long
    u64 faulted;                   // ended by an exception
    u64 executed_before, executed; // instructions of the kernel
    u64 corpus, corpus_loaded;
    u64 free_before, free_after; // bytes
    u64 ticks, hz;
    u64 looks, failed_looks;
    u64 finished, spoilt; // 1: to the end; counts that cannot be true
    u64 orphans, services_lost;
    u64 service_growth; // bytes
    u64 leaks;          // calls that gave memory that the kernel had freed
    u64 memory_failed;  // allocations that were made to fail
};
extern struct summary *summary;
extern volatile struct fuzz_coverage *coverage;
extern cap_t coverage_memory;
s64 totals_create(void);
void totals_add(struct fuzz_slot *slot); // takes its counts, which are zero afterwards
void totals_progress(bool now);

// ---- monitor.c ---------------------------------------------------------------------------------

void monitor_start(void);
bool is_monitor(u32 pid);
// True: ends it, and brings the machine's tracing and counting back to where they were; false:
// starts another one.
void monitor_pause(bool paused);

#endif
