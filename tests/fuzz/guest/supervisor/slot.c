// SPDX-License-Identifier: MIT
// Slots: each has a batch of programs, and a process that runs them; one that ends early is
// followed by one that goes on behind the program that it died of. Only some slots are active at a
// time. The others rest with what they have run, so that after a panic the host finds what led to
// it.
#include "supervisor.h"

#include <ipc/names.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define TARGET "bin/fuzz-target"
#define SUBJECT "bin/fuzz-subject"
#define WAIT_US 2000
#define LIFE_US 400000 // then a process is ended
#define SHORT_US 3000  // of some it is this at most: ends at any moment
#define SHORT_PERCENT 4

struct slot {
    struct fuzz_slot *shared;
    cap_t memory;
    cap_t process;
    u32 pid; // 0: none runs
    u32 rights, cpu;
    u64 deadline;
    u32 programs, next;                 // of the batch
    u64 number;                         // of the batch
    bool is_subject;                    // what runs
    u32 begun_count, begun[FUZZ_BATCH]; // programs with which its processes began
};

static struct slot slots[SLOTS_MAX];
static struct slot *active[ACTIVE_MAX]; // NULL: none yet
static u32 next_slot;                   // the one that has rested longest
static struct archived target, subject;
static cap_t common_memory;
static u64 programs_made, batches_made;

// ---- making ------------------------------------------------------------------------------------

static void set_heads(struct slot *slot)
{
    u32 owner = (u32)(slot - slots);
    struct fuzz_slot *shared = slot->shared;

    for (u64 at = 0; at < sizeof(*shared); at += FUZZ_PAGE) {
        bool state = at < FUZZ_SLOT_WRITABLE;
        u64 page = (at - (state ? 0 : FUZZ_SLOT_WRITABLE)) / FUZZ_PAGE;
        *(struct fuzz_head *)((u8 *)shared + at) = (struct fuzz_head){
            .magic = FUZZ_MAGIC,
            .kind = state ? FUZZ_PAGE_STATE : FUZZ_PAGE_PROGRAM,
            .owner = owner,
            .index = state ? 0 : (u32)(page / FUZZ_PROGRAM_PAGES),
            .part = state ? (u32)page : (u32)(page % FUZZ_PROGRAM_PAGES),
        };
    }
}

static s64 slot_create(struct slot *slot)
{
    s64 cap = sys_memory_new("fuzz slot", sizeof(struct fuzz_slot));
    struct sys_region region = {
        .bytes = sizeof(struct fuzz_slot), .kind = REGION_SHARED, .prot = PROT_R | PROT_W};

    if (cap < 0)
        return cap;
    slot->memory = region.memory = (cap_t)cap;
    s64 error = sys_region_create(0, &region);
    if (error != 0)
        return error;
    slot->shared = (struct fuzz_slot *)region.address;
    set_heads(slot);
    return 0;
}

s64 slots_create(void)
{
    s64 cap = sys_memory_new("fuzz common", FUZZ_PAGE);
    s64 error = cap < 0 ? cap : archive_find(TARGET, &target);

    if (error == 0)
        error = archive_find(SUBJECT, &subject);

    common_memory = (cap_t)cap;
    for (u32 i = 0; i < SLOTS_MAX && error == 0; i++)
        error = slot_create(&slots[i]);
    return error;
}

bool is_ours(u32 pid)
{
    for (u32 i = 0; i < SLOTS_MAX; i++) {
        if (slots[i].pid == pid)
            return true;
    }
    return pid == (u32)sys_process_pid(0) || is_monitor(pid);
}

// ---- starting ----------------------------------------------------------------------------------

static u32 some_rights(void)
{
    u32 rights = options.rights_only;

    if (options.rights != 0 && random_percent(70))
        rights |= (u32)random_next() & options.rights;
    return rights;
}

static void set_program_heads(struct slot *slot, u32 index)
{
    for (u32 part = 0; part < FUZZ_PROGRAM_PAGES; part++)
        slot->shared->programs[index].pages[part].page.head =
            (struct fuzz_head){.magic = FUZZ_MAGIC,
                               .kind = FUZZ_PAGE_PROGRAM,
                               .owner = (u32)(slot - slots),
                               .index = index,
                               .part = part,
                               .number = programs_made};
    programs_made++;
}

static void fill_batch(struct slot *slot)
{
    for (u32 i = 0; i < FUZZ_BATCH; i++) {
        corpus_next(&slot->shared->programs[i]);
        set_program_heads(slot, i);
    }
    slot->programs = FUZZ_BATCH;
    slot->next = 0;
    slot->rights = some_rights();
}

static const struct slot *neighbour(const struct slot *slot, u32 nth)
{
    u32 at = 0;

    while (at < options.slots && active[at] != slot)
        at++;
    return active[(at + nth) % options.slots];
}

// The host keeps what it needs of the batch; a hostile process may have written there.
static void keep_for_host(struct slot *slot, struct fuzz_state *state)
{
    if (slot->next == 0)
        slot->begun_count = 0;
    if (slot->begun_count < FUZZ_BATCH)
        slot->begun[slot->begun_count++] = slot->next;
    state->processes = slot->begun_count;
    memcpy(state->begun, slot->begun, sizeof(state->begun));
    state->cpu = slot->cpu;
}

static void fill_state(struct slot *slot)
{
    struct fuzz_state *state = &slot->shared->head.state;
    struct fuzz_head head = {.magic = FUZZ_MAGIC,
                             .kind = FUZZ_PAGE_STATE,
                             .owner = (u32)(slot - slots),
                             .number = slot->number};

    memset(state, 0, sizeof(*state));
    state->head = head;
    keep_for_host(slot, state);
    state->programs = slot->programs;
    state->first = state->program = slot->next;
    state->supervisor = (u32)sys_process_pid(0);
    state->image_offset = target.offset;
    state->rights = slot->rights;
    census_services(state->spared, FUZZ_PROTECTED);
    struct fuzz_guard *guard = &slot->shared->judge.guard;
    guard->rights = slot->rights;
    memcpy(guard->spared, state->spared, sizeof(state->spared));
    guard->spared[FUZZ_PROTECTED] = state->supervisor;
    for (u32 i = 0; i < ARRAY_SIZE(state->peers); i++) {
        const struct slot *peer = neighbour(slot, i + 1);
        state->peers[i] = peer != NULL ? peer->pid : 0;
    }
}

static cap_t some_peer(const struct slot *slot)
{
    const struct slot *peer = neighbour(slot, 1);
    return peer != NULL && peer != slot ? peer->process : 0;
}

cap_t service(const char *name)
{
    static struct {
        const char *name;
        cap_t endpoint;
        bool asked;
    } known[] = {{.name = "fs"}, {.name = "net"}, {.name = "proc"}};

    for (u32 i = 0; i < ARRAY_SIZE(known); i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        if (!known[i].asked && names_lookup(CAP_NAMES, name, &known[i].endpoint) != 0)
            known[i].endpoint = 0;
        known[i].asked = true;
        return known[i].endpoint;
    }
    return 0;
}

// Runs no programs: all of the batch is left for the next process.
static s64 start_subject(struct slot *slot)
{
    struct process_spawn how = PROCESS_SPAWN;

    how.cpu = slot->cpu;
    return archive_start(&subject, "fuzz-subject", &how, &slot->process);
}

static s64 start_target(struct slot *slot)
{
    struct process_grant grants[PROCESS_GRANTS_MAX];
    const struct process_grant all[] = {
        {FUZZ_GRANT_HUB, hub_endpoint},         {FUZZ_GRANT_FS, service("fs")},
        {FUZZ_GRANT_NET, service("net")},       {FUZZ_GRANT_PROC, service("proc")},
        {FUZZ_GRANT_IMAGE, target.memory},      {FUZZ_GRANT_SLOT, slot->memory},
        {FUZZ_GRANT_COVERAGE, coverage_memory}, {FUZZ_GRANT_COMMON, common_memory},
        {FUZZ_GRANT_PEER, some_peer(slot)},     {FUZZ_GRANT_SILENT, silent_endpoint},
    };
    struct process_spawn how = PROCESS_SPAWN;

    for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
        if (all[i].cap != 0)
            grants[how.grant_count++] = all[i];
    }
    fill_state(slot);
    how.name = "fuzz-target";
    how.memory = target.memory;
    how.memory_offset = target.offset;
    how.bytes = target.bytes;
    how.grants = grants;
    how.rights = slot->rights;
    how.cpu = slot->cpu;
    return process_spawn_cap(&how, &slot->process);
}

static void start(struct slot *slot)
{
    slot->is_subject = options.replay == 0 && random_percent(options.subjects);
    s64 pid = slot->is_subject ? start_subject(slot) : start_target(slot);
    if (pid < 0) {
        slot->process = 0;
        return; // no memory, perhaps: next time
    }
    slot->pid = slot->shared->head.state.pid = (u32)pid;
    failing_begin(slot->pid);
    slot->deadline =
        time_after_us(random_percent(SHORT_PERCENT) ? random_below(SHORT_US) : LIFE_US);
}

// ---- ends --------------------------------------------------------------------------------------

static void keep_what_gained(struct slot *slot)
{
    struct fuzz_state *state = &slot->shared->head.state;

    for (u32 i = 0; i < slot->programs; i++) {
        if (state->gained[i] != 0 && options.replay == 0)
            corpus_add(&slot->shared->programs[i], state->gained[i], slot->rights);
        state->gained[i] = 0;
    }
}

// Once is enough: slots_run and slots_replay end with it.
static void tell_leak(struct fuzz_state *state)
{
    u64 call = state->leak - FUZZ_LEAK;

    if (call < FUZZ_CALLS) {
        printf("fuzz: leak: %s gave memory that the kernel had freed\n", fuzz_calls[call].name);
        summary->leaks++;
    }
    state->leak = 0;
}

static void ended(struct slot *slot, s32 status)
{
    struct fuzz_state *state = &slot->shared->head.state;
    u32 at = state->program;

    summary->processes++;
    summary->faulted += (status & STATUS_KILLED(0)) != 0;
    hub_offer(slot->process);
    slot->process = 0;
    slot->pid = 0;
    census_kill_orphans();
    if (slot->is_subject)
        return;
    summary->programs += at >= slot->next && at < slot->programs ? at + 1 - slot->next : 0;
    totals_add(slot->shared);
    tell_leak(state);
    keep_what_gained(slot);
    slot->next = at >= slot->next && at < slot->programs ? at + 1 : slot->programs;
}

static void handle_end(u32 pid, s32 status)
{
    for (u32 i = 0; i < options.slots; i++) {
        if (active[i] != NULL && active[i]->pid == pid)
            ended(active[i], status);
    }
}

// Waits a little for ends, and brings some about. How many processes run.
static u32 watch(void)
{
    u32 running = 0;
    s32 status = 0;
    s64 pid = process_wait(0, &status, time_after_us(WAIT_US));

    if (pid > 0)
        handle_end((u32)pid, status);
    else if (pid == E_NOENT)
        thread_sleep_us(WAIT_US);
    for (u32 i = 0; i < options.slots; i++) {
        struct slot *slot = active[i];
        if (slot == NULL || slot->pid == 0)
            continue;
        if (time_now() >= slot->deadline) {
            summary->killed += sys_process_kill(slot->pid, 1) == 0;
            slot->deadline = time_after_us(LIFE_US);
        }
        running++;
    }
    return running;
}

static void drain(void)
{
    while (watch() != 0)
        ;
}

// ---- runs --------------------------------------------------------------------------------------

static bool enough(void)
{
    u64 seconds = (time_now() - summary->ticks) / summary->hz;

    if (summary->leaks != 0 || (options.seconds != 0 && seconds >= options.seconds))
        return true;
    return summary->calls >= options.calls && summary->processes >= options.processes;
}

// The slot that has rested longest gets a batch. False: there is none.
typedef bool (*fill_function)(struct slot *slot);

static bool fill_new(struct slot *slot)
{
    fill_batch(slot);
    slot->cpu = (u32)random_below(user_cpu_count());
    return true;
}

static bool next_batch(u32 place, fill_function fill)
{
    struct slot *slot = &slots[next_slot];

    active[place] = NULL;
    slot->number = ++batches_made;
    if (!fill(slot))
        return false;
    next_slot = (next_slot + 1) % SLOTS_MAX;
    active[place] = slot;
    return true;
}

// How many are busy.
static u32 start_free_slots(fill_function fill)
{
    u32 busy = 0;

    for (u32 i = 0; i < options.slots; i++) {
        bool exhausted =
            active[i] == NULL || (active[i]->pid == 0 && active[i]->next >= active[i]->programs);
        if (exhausted && !next_batch(i, fill))
            continue;
        if (active[i]->pid == 0)
            start(active[i]);
        busy++;
    }
    return busy;
}

static void settle(void)
{
    monitor_pause(true);
    census_settle();
    monitor_pause(false);
}

// Looks whether all is as before, now and then.
static bool look(bool last)
{
    drain();
    failing_end();
    monitor_pause(true);
    bool good = census_compare(last);
    monitor_pause(false);
    return good;
}

static void warm_up(void)
{
    while (summary->processes < options.warm && !enough()) {
        start_free_slots(fill_new);
        watch();
    }
    drain();
    settle();
}

void slots_run(void)
{
    warm_up();
    u64 next_look = summary->processes + options.every;

    while (!enough()) {
        start_free_slots(fill_new);
        watch();
        totals_progress(false);
        if (summary->processes < next_look)
            continue;
        if (!look(false))
            return; // what led to it has not been forgotten yet
        next_look = summary->processes + options.every;
    }
    look(true);
}

// ---- replays -----------------------------------------------------------------------------------

static u32 replay_at, replay_group; // the next program of the corpus, and its group

static const struct fuzz_program_page *replay_first(void)
{
    return replay_at < corpus_count() ? fuzz_first(corpus_at(replay_at)) : NULL;
}

// The programs of the group's next process.
static bool fill_replay(struct slot *slot)
{
    const struct fuzz_program_page *begin = replay_first(), *first = begin;

    if (begin == NULL || begin->group != replay_group)
        return false;
    slot->programs = slot->next = 0;
    slot->rights = begin->rights;
    slot->cpu = begin->cpu % user_cpu_count();
    while (first != NULL && first->group == replay_group && first->process == begin->process &&
           slot->programs < FUZZ_BATCH) {
        slot->shared->programs[slot->programs] = *corpus_at(replay_at++);
        set_program_heads(slot, slot->programs++);
        first = replay_first();
    }
    return true;
}

// The first turn is the one in which what is made once and kept is made.
void slots_replay(void)
{
    for (u32 turn = 0; turn <= options.replay; turn++) {
        replay_at = 0;
        while (replay_first() != NULL) {
            replay_group = replay_first()->group;
            while (start_free_slots(fill_replay) != 0)
                watch();
        }
        if (turn == 0)
            settle();
        else if (!look(turn == options.replay))
            return;
    }
}
