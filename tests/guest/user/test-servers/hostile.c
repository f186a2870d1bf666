// SPDX-License-Identifier: MIT
// Processes without rights that do what they can to the servers: use what is another's, and take
// all there is. Each tells the one that started it, which has rights, when it is done, and keeps
// what it has got until it is killed.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <ipc/fs.h>
#include <ipc/names.h>
#include <ipc/net.h>
#include <posix/service.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/thread.h>
#include <waiting.h>

#define SLOT_DONE 9
#define TAKERS 10
#define MOST 5000

static struct semaphore done;
static volatile u64 verdict; // of the one that tried last, or the sum of what takers have got

// An endpoint that is never answered from, as that of a client that lives.
static s64 never(struct ipc_request *request)
{
    (void)request;
    return IPC_LATER;
}

// ---- in the hostile process --------------------------------------------------------------------

static void tell(u64 result)
{
    struct ipc_message message = {.words = {result}};
    ipc_call(SLOT_DONE, &message);
    thread_sleep_until(THREAD_FOREVER);
}

static cap_t server(const char *name)
{
    cap_t endpoint = 0;
    names_lookup(CAP_NAMES, name, &endpoint);
    return endpoint;
}

// 0, or the number of the first thing that was not refused as it should be.
static u64 use_anothers(u64 handle, u32 parent)
{
    struct fs_stat info;
    cap_t fs = server("fs"), proc = server("proc");
    char data[8];
    u64 bytes, copy;
    s64 own = ipc_endpoint(never, NULL);
    const s64 results[][2] = {
        {fs_read(fs, handle, 0, 0, data, sizeof(data), &bytes), E_STALE},
        {fs_write(fs, handle, 0, 0, data, sizeof(data), &bytes), E_STALE},
        {fs_truncate(fs, handle, 0), E_STALE},
        {fs_duplicate(fs, handle, &copy), E_STALE},
        {fs_give(fs, handle, parent), E_PERM},
        {fs_file_stat(fs, handle, &info), E_STALE},
        {fs_close(fs, handle), E_STALE},
        {fs_read(proc, handle, 0, 0, data, sizeof(data), &bytes), E_STALE},
        {fs_mount(fs, "/tmp", "proc"), E_PERM},
        {fs_mount(fs, "/proc", ""), E_PERM},
        {names_register(CAP_NAMES, "fs", (cap_t)own), E_PERM},
        {names_register(CAP_NAMES, "log", (cap_t)own), E_PERM}, // for RIGHT_MONITOR
        {names_register(CAP_NAMES, "parents", (cap_t)own), E_EXIST},
        {names_unregister(CAP_NAMES, "parents"), E_PERM},
        {sys_process_kill(parent, 1), E_PERM},
    };
    for (u32 i = 0; i < ARRAY_SIZE(results); i++) {
        if (results[i][0] != results[i][1])
            return i + 1;
    }
    return 0;
}

static u64 take_handles(void)
{
    cap_t fs = server("fs");
    struct fs_stat info;
    u64 handle, count = 0;
    while (count < MOST && fs_open(fs, "/bin/init", FS_READ, &handle, &info) == 0)
        count++;
    return count;
}

static u64 take_sessions(void)
{
    cap_t net = server("net"), session;
    s64 wake = ipc_endpoint(never, NULL);
    u64 count = 0;
    while (count < MOST && net_open(net, (cap_t)wake, &session) == 0)
        count++;
    return count;
}

static u64 take_names(void)
{
    char name[NAMES_NAME_MAX + 1];
    s64 own = ipc_endpoint(never, NULL);
    u64 count = 0;
    do
        snprintf(name, sizeof(name), "taken-%d-%lu", (int)getpid(), (unsigned long)count);
    while (names_register(CAP_NAMES, name, (cap_t)own) == 0 && ++count < MOST);
    return count;
}

int hostile_main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[2], "use") == 0)
        tell(use_anothers(strtoul(argv[3], NULL, 10), (u32)strtoul(argv[4], NULL, 10)));
    else if (strcmp(argv[2], "handles") == 0)
        tell(take_handles());
    else if (strcmp(argv[2], "sessions") == 0)
        tell(take_sessions());
    else
        tell(take_names());
    return 0;
}

// ---- in the one that must go on ----------------------------------------------------------------

static s64 is_done(struct ipc_request *request)
{
    verdict += request->words[0];
    semaphore_up(&done);
    return IPC_LATER;
}

static s64 start(const char *kind, const char *first, const char *second)
{
    static s64 endpoint;
    const char *const argv[] = {"test-servers", "hostile", kind, first, second, NULL};
    struct process_grant grant = {.slot = SLOT_DONE};
    struct process_spawn how = PROCESS_SPAWN;
    if (endpoint == 0)
        endpoint = ipc_endpoint(is_done, NULL);
    grant.cap = (cap_t)endpoint;
    how.path = "/bin/test-servers";
    how.argv = argv;
    how.grants = &grant;
    how.grant_count = 1;
    return process_spawn(&how);
}

static void stop(s64 pid)
{
    s32 status;
    EXPECT(sys_process_kill((u32)pid, 1) == 0);
    EXPECT(process_wait((u32)pid, &status, THREAD_FOREVER) == pid);
}

void what_is_anothers_is_refused(void)
{
    char handle_text[24], pid_text[12];
    struct fs_stat info;
    u64 handle, bytes;
    char data[4];
    cap_t fs = server("fs");
    s64 own = ipc_endpoint(never, NULL);
    EXPECT(names_register(CAP_NAMES, "parents", (cap_t)own) == 0);
    EXPECT(fs_open(fs, "/tmp/mine", FS_READ | FS_WRITE | FS_CREATE, &handle, &info) == 0);
    EXPECT(fs_write(fs, handle, 0, 0, "mine", 4, &bytes) == 0);
    snprintf(handle_text, sizeof(handle_text), "%lu", (unsigned long)handle);
    snprintf(pid_text, sizeof(pid_text), "%d", (int)getpid());
    verdict = 0;
    s64 pid = start("use", handle_text, pid_text);
    EXPECT(pid > 0);
    semaphore_down(&done);
    EXPECT_IS(verdict, 0);
    stop(pid);
    EXPECT(fs_read(fs, handle, 0, 0, data, 4, &bytes) == 0 && memcmp(data, "mine", 4) == 0);
    EXPECT(fs_close(fs, handle) == 0);
    EXPECT(names_unregister(CAP_NAMES, "parents") == 0);
    sys_cap_drop(fs);
}

static u64 taken_by_one(const char *kind)
{
    verdict = 0;
    s64 pid = start(kind, NULL, NULL);
    semaphore_down(&done);
    stop(pid);
    return verdict;
}

// Several processes take what there is of something: they get some, and less than all. Who has
// rights still gets what more() asks for; and when they have ended there is as much again.
static void take_all(const char *kind, u64 all, bool (*more)(void))
{
    s64 pids[TAKERS];
    for (u32 again = 0; again < 2; again++) {
        verdict = 0;
        for (u32 i = 0; i < TAKERS; i++) {
            pids[i] = start(kind, NULL, NULL);
            EXPECT(pids[i] > 0);
            semaphore_down(&done);
        }
        printf("%s: %lu taken\n", kind, (unsigned long)verdict);
        EXPECT(verdict > 0 && verdict < all);
        EXPECT(more());
        for (u32 i = 0; i < TAKERS; i++)
            stop(pids[i]);
        u64 before = verdict;
        EXPECT(WAIT_FOR(taken_by_one(kind) * TAKERS >= before)); // what they had comes back
    }
}

static bool more_files(void)
{
    int fd = open("/bin/init", O_RDONLY);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool more_sessions(void)
{
    cap_t net = server("net"), session;
    s64 wake = ipc_endpoint(never, NULL);
    s64 status = net_open(net, (cap_t)wake, &session);
    if (status == 0)
        sys_cap_drop(session);
    ipc_endpoint_close((cap_t)wake);
    sys_cap_drop(net);
    return status == 0;
}

static bool more_names(void)
{
    s64 own = ipc_endpoint(never, NULL);
    s64 status = names_register(CAP_NAMES, "one-more", (cap_t)own);
    if (status == 0)
        names_unregister(CAP_NAMES, "one-more");
    ipc_endpoint_close((cap_t)own);
    return status == 0;
}

static u32 names_taken(void)
{
    char name[NAMES_NAME_MAX + 1];
    u32 pid, starts, count = 0;
    for (u32 i = 0; names_list(CAP_NAMES, i, name, sizeof(name), &pid, &starts) == 0; i++)
        count += strncmp(name, "taken-", 6) == 0;
    return count;
}

// Whoever registers a name next, those of processes that have ended go, and their endpoints.
static void names_end_with_their_processes(void)
{
    s64 pid = start("names", NULL, NULL);
    semaphore_down(&done);
    EXPECT(names_taken() > 0);
    stop(pid);
    EXPECT(more_names() && names_taken() == 0);
}

void nobody_takes_all(void)
{
    take_all("handles", 4096, more_files);
    take_all("sessions", 64, more_sessions);
    take_all("names", 64, more_names);
    names_end_with_their_processes();
}
