// SPDX-License-Identifier: MIT
// Processes without rights take what memory they can get through servers, and start processes for
// ever. Meanwhile who has rights goes on; afterwards there is as much memory as before, and no
// server has ended. `test-hoard only memory` does the former alone, `test-hoard only bomb` the
// latter, `test-hoard only bombs` the latter by more of them than there is memory for.
// The last line is "test-hoard: N passed, N failed".
#include "hoards.h"

#include <fcntl.h>
#include <ipc/names.h>
#include <orrery/memory.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define MB (1UL << 20)
#define SLACK (1UL << 20) // what heaps of servers keep, and stocks of pages
#define ROUNDS 4
#define ROUND_US 2000000 // for a hoard to be given back
#define LOOKS 3          // while a bomb goes on
#define LOOK_US 1000000
#define BOMBS 16 // families: in 256 MB there is no place for all their processes

static unsigned long passed, failed;

static void expect(bool condition, int line, const char *text, u64 value)
{
    if (condition) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED line %d: %s (value %#lx)\n", line, text, (unsigned long)value);
}
#define EXPECT(condition) expect(condition, __LINE__, #condition, 0)
#define EXPECT_IS(value, wanted) expect((value) == (wanted), __LINE__, #value, (u64)(value))

static u64 free_bytes(void)
{
    struct sys_info info = {.free_bytes = 0};
    sys_info(&info);
    return info.free_bytes;
}

// How often servers have been started.
static u32 all_starts(void)
{
    char name[NAMES_NAME_MAX + 1];
    u32 pid, starts, sum = 0;
    for (u32 i = 0; names_list(CAP_NAMES, i, name, sizeof(name), &pid, &starts) == 0; i++)
        sum += starts;
    return sum;
}

// ---- who must go on ----------------------------------------------------------------------------

static s64 a_program_with_rights(void)
{
    const char *const argv[] = {"true", NULL};
    struct process_spawn how = PROCESS_SPAWN;
    s32 status = 1;
    how.path = "/bin/true";
    how.argv = argv;
    how.rights = PROCESS_SAME_RIGHTS;
    s64 pid = process_spawn(&how);
    if (pid > 0)
        pid = process_wait((u32)pid, &status, THREAD_FOREVER);
    return pid < 0 ? pid : status;
}

static bool reads(const char *path)
{
    char data[4];
    int fd = open(path, O_RDONLY);
    bool good = fd >= 0 && read(fd, data, sizeof(data)) == sizeof(data);
    if (fd >= 0)
        close(fd);
    return good;
}

static void others_go_on(void)
{
    EXPECT_IS(a_program_with_rights(), 0);
    EXPECT(reads("/bin/true"));
    EXPECT(reads("/proc/version"));
}

// ---- hoards ------------------------------------------------------------------------------------

static struct semaphore done;
static u64 held;

static s64 is_done(struct ipc_request *request)
{
    held = request->words[0];
    semaphore_up(&done);
    return IPC_LATER;
}

static s64 start(const char *kind, u64 memory_limit)
{
    static s64 endpoint;
    const char *const argv[] = {"test-hoard", kind, NULL};
    struct process_spawn how = PROCESS_SPAWN;
    if (endpoint == 0)
        endpoint = ipc_endpoint(is_done, NULL);
    const struct process_grant grants[] = {{.slot = SLOT_DONE, .cap = (cap_t)endpoint},
                                           {.slot = SLOT_LEND, .cap = (cap_t)lender()}};
    how.path = "/bin/test-hoard";
    how.argv = argv;
    how.grants = grants;
    how.grant_count = ARRAY_SIZE(grants);
    how.memory_limit = memory_limit;
    return process_spawn(&how);
}

// Returns how many bytes (or pieces) the process got, which is killed once others have been seen to
// go on.
static u64 hoarded(const char *kind, u64 memory_limit)
{
    s32 status;
    u64 before = free_bytes();
    s64 pid = start(kind, memory_limit);
    EXPECT(pid > 0);
    semaphore_down(&done);
    u64 got = held;
    printf("%s: %lu; %lu MB were free, %lu MB are\n", kind, (unsigned long)got,
           (unsigned long)(before / MB), (unsigned long)(free_bytes() / MB));
    others_go_on();
    EXPECT(sys_process_kill((u32)pid, 1) == 0);
    EXPECT(process_wait((u32)pid, &status, THREAD_FOREVER) == pid);
    return got;
}

// Returns whether memory is still missing. A server's heap may stay as large as two hoards at once
// have made it, if the first is not given back before the second comes; the kernel keeps stocks.
// What is lost would be lost each time: only the last round has all the time that it takes.
static bool is_missing(u64 before, u32 round)
{
    u64 deadline = round < ROUNDS - 1 ? time_now() + time_from_us(ROUND_US) : patience();
    bool missing;
    while ((missing = free_bytes() + SLACK < before) && wait_more(deadline))
        ;
    return missing;
}

static void a_hoard_ends_with_its_holder(const char *kind)
{
    bool missing = true;
    for (u32 round = 0; round < ROUNDS && missing; round++) {
        u64 before = free_bytes();
        EXPECT(hoarded(kind, 0) > 0);
        missing = is_missing(before, round);
    }
    EXPECT(!missing);
}

// Memory of each kind that a process can hold through others, or have others hold for it: in how
// many MB it gets how much.
static const struct {
    const char *kind;
    u64 (*hoard)(void);
    u64 little, much;                           // MB
} accounts[] = {{"files", hoard_files, 12, 20}, // one is 16 MB
                {"sockets", hoard_sockets, 8, 16},
                {"monitors", hoard_monitors, 4, 24},
                {"lent", hoard_lent, 8, 16},
                {"made", hoard_made, 8, 16}};

// The limit of a process holds, whoever made what it holds, or holds what it made.
static void a_hoard_is_within_a_limit(u32 index)
{
    u64 got[] = {0, 0}, limits[] = {accounts[index].little * MB, accounts[index].much * MB};
    for (u32 i = 0; i < ARRAY_SIZE(limits); i++) {
        u64 before = free_bytes();
        got[i] = hoarded(accounts[index].kind, limits[i]);
        lender_forgets();
        EXPECT(got[i] <= limits[i]);
        EXPECT(WAIT_FOR(free_bytes() + 8 * MB >= before)); // or too little of /tmp is left for one
    }
    EXPECT(got[0] < got[1] && got[1] >= limits[0]);
}

static int hoard_main(const char *kind)
{
    struct ipc_message message = {.words = {0}};
    u64 (*hoard)(void) = hoard_pipes;
    for (u32 i = 0; i < ARRAY_SIZE(accounts); i++)
        hoard = strcmp(kind, accounts[i].kind) == 0 ? accounts[i].hoard : hoard;
    message.words[0] = hoard();
    ipc_call(SLOT_DONE, &message);
    thread_sleep_until(THREAD_FOREVER);
    return 0;
}

// ---- a bomb ------------------------------------------------------------------------------------

static u32 bombs(void)
{
    struct sys_process_info info[32];
    u64 cursor = 0;
    u32 count = 0;
    s64 bytes;
    while ((bytes = sys_process_list(&cursor, info, sizeof(info))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(info[0]); i++)
            count += strcmp(info[i].name, "bomb") == 0;
    }
    return count;
}

static void look(void)
{
    u64 begin = time_now();
    others_go_on();
    printf("bomb: %u processes, %lu KB free, a look took %lu ms\n", bombs(),
           (unsigned long)(free_bytes() >> 10),
           (unsigned long)(time_to_us(time_now() - begin) / 1000));
}

// While so many families are as large as they may be, or as memory allows.
static void go_on_beside_bombs(u32 families, cap_t memory, volatile u64 *stop)
{
    *stop = 0;
    for (u32 i = 0; i < families; i++)
        EXPECT(bomb_start(memory) > 0);
    if (families == 1)
        EXPECT(WAIT_FOR(bombs() == PROCESS_FAMILY_MAX));
    for (u32 i = 0; i < LOOKS; i++) {
        thread_sleep_us(LOOK_US);
        look();
        EXPECT(bombs() <= families * PROCESS_FAMILY_MAX);
    }
    *stop = 1;
    EXPECT(WAIT_FOR(bombs() == 0));
}

static void bombs_cost_others_time(u32 families)
{
    struct sys_region region = {.bytes = 4096, .kind = REGION_SHARED, .prot = PROT_R | PROT_W};
    s64 memory = sys_memory_new("stop", 4096);
    region.memory = (cap_t)memory;
    EXPECT(memory > 0 && sys_region_create(0, &region) == 0);
    bool missing = true;
    for (u32 round = 0; round < ROUNDS && missing; round++) {
        u64 before = free_bytes();
        go_on_beside_bombs(families, region.memory, (volatile u64 *)(uintptr_t)region.address);
        missing = is_missing(before, round);
    }
    EXPECT(!missing);
    sys_region_destroy(region.address);
    sys_cap_drop(region.memory);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "bomb") == 0)
        return bomb_main();
    if (argc == 2)
        return hoard_main(argv[1]);
    const char *only = argc == 3 ? argv[2] : "";
    u32 starts = all_starts();
    if (strncmp(only, "bomb", 4) != 0) {
        a_hoard_ends_with_its_holder("files");
        a_hoard_ends_with_its_holder("pipes");
        a_hoard_ends_with_its_holder("sockets");
        for (u32 i = 0; i < ARRAY_SIZE(accounts); i++)
            a_hoard_is_within_a_limit(i);
    }
    if (strcmp(only, "") == 0 || strcmp(only, "bomb") == 0)
        bombs_cost_others_time(1);
    if (strcmp(only, "bombs") == 0)
        bombs_cost_others_time(BOMBS);
    EXPECT_IS(all_starts(), starts); // no server has ended
    printf("test-hoard: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
