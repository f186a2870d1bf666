// SPDX-License-Identifier: MIT
// deadlock: two servers wait for each other. The first one calls the second one with its lock held,
// and that one calls back to get at what the lock guards. Prints their pids, and once it is so.
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

enum { OP_BEGIN = 71, OP_ASK, OP_LOOK }; // methods: the capability of the other one comes along

struct server {
    cap_t cap;
    s64 pid;
    struct semaphore ready;
};

static cap_t own;
static struct mutex lock;

// ---- a server ----------------------------------------------------------------------------------

static s64 call(cap_t to, u64 operation, cap_t send)
{
    struct ipc_message message = {.words = {operation}, .send_cap = send};
    return ipc_call(to, &message);
}

// Runs once the other thread of this CPU waits.
static s64 tell(void *pid)
{
    while ((__atomic_load_n(&lock.word, __ATOMIC_RELAXED) & 1) == 0)
        thread_sleep_us(100);
    printf("deadlock: planted, found from process %u\n", (u32)(u64)pid);
    return 0;
}

static s64 serve(struct ipc_request *request)
{
    s64 status = 0;
    switch (request->words[0]) {
    case OP_BEGIN:
        mutex_lock(&lock);
        status = call(request->cap, OP_ASK, own);
        mutex_unlock(&lock);
        return status;
    case OP_ASK:
        return call(request->cap, OP_LOOK, 0);
    case OP_LOOK:
        if (thread_create(&(struct thread *){NULL}, NULL, tell, (void *)(u64)request->pid) != 0)
            return E_NOMEM;
        mutex_lock(&lock); // for ever
        mutex_unlock(&lock);
        return 0;
    default:
        return E_NOTSUP;
    }
}

static int server_main(void)
{
    s64 endpoint = ipc_endpoint(serve, NULL);
    if (endpoint < 0)
        return 1;
    own = (cap_t)endpoint;
    if (call(CAP_PARENT, 0, own) != 0)
        return 2;
    ipc_serve();
}

// ---- who starts them ---------------------------------------------------------------------------

static s64 greeted(struct ipc_request *request)
{
    struct server *server = request->context;
    server->cap = request->cap;
    semaphore_up(&server->ready);
    return 0;
}

static bool start(struct server *server)
{
    const char *argv[] = {"deadlock", "server", NULL};
    s64 greeting = ipc_endpoint(greeted, server);
    struct process_grant grant = {CAP_PARENT, (cap_t)greeting};
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process;
    spawn.path = "bin/deadlock";
    spawn.argv = argv;
    spawn.grants = &grant;
    spawn.grant_count = 1;
    spawn.rights = PROCESS_SAME_RIGHTS;
    server->pid = greeting > 0 ? process_spawn_cap(&spawn, &process) : greeting;
    return server->pid > 0 && semaphore_down_until(&server->ready, patience()) == 0;
}

int main(int count, char **words)
{
    static struct server first, second;
    if (count > 1 && strcmp(words[1], "server") == 0)
        return server_main();
    if (!start(&first) || !start(&second))
        return 1;
    printf("deadlock: servers %ld and %ld\n", first.pid, second.pid);
    return call(first.cap, OP_BEGIN, second.cap) == 0 ? 0 : 3;
}
