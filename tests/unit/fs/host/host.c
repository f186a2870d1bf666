// SPDX-License-Identifier: MIT
// What file servers need of the thread library and the kernel, on the host.
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/process.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/thread.h>
#include <user/time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files.h"

u64 host_time = 1000;
struct answer host_answers[HOST_ANSWERS];
u32 host_answer_count;
bool host_callers_gone;
u32 host_ended;
struct supplied host_supplied;

// A lock that is taken twice, or by nobody given back, is an error of the code under test.
void mutex_lock(struct mutex *mutex)
{
    assert_int_equal(mutex->word, 0);
    mutex->word = 1;
}

void mutex_unlock(struct mutex *mutex)
{
    assert_int_equal(mutex->word, 1);
    mutex->word = 0;
}

s64 ipc_answer_packet(u64 call, s64 status, struct ipc_packet *packet)
{
    if (host_callers_gone)
        return E_NOENT;
    struct answer *answer = &host_answers[host_answer_count++ % HOST_ANSWERS];
    *answer = (struct answer){.call = call, .status = status, .written = packet->words[0]};
    answer->bytes = packet->bytes;
    if (packet->bytes > 0)
        memcpy(answer->data, packet->bulk, packet->bytes);
    return 0;
}

s64 ipc_exchange(cap_t server, struct ipc_packet *packet)
{
    (void)server, (void)packet;
    return E_PEER;
}

void ipc_drop(cap_t cap)
{
    (void)cap;
}

static void *thread_value; // of the test's one thread

s64 thread_slot(void)
{
    return 0;
}

void *thread_get(u32 slot)
{
    assert_int_equal(slot, 0);
    return thread_value;
}

void thread_set(u32 slot, void *value)
{
    assert_int_equal(slot, 0);
    thread_value = value;
}

#define FIRST_BADGE 77
#define BADGES 300

static struct badge {
    ipc_handler handler; // NULL: nobody's
    void *context;
} badges[BADGES];
static u64 file_badge;

static struct badge *badge_of(u64 badge)
{
    assert_true(badge >= FIRST_BADGE && badge < FIRST_BADGE + BADGES);
    assert_non_null(badges[badge - FIRST_BADGE].handler);
    return &badges[badge - FIRST_BADGE];
}

s64 ipc_badge_create(ipc_handler handler, void *context, u64 *badge)
{
    for (u32 i = 0; i < BADGES; i++) {
        if (badges[i].handler != NULL)
            continue;
        badges[i] = (struct badge){.handler = handler, .context = context};
        *badge = FIRST_BADGE + i;
        return 0;
    }
    return E_NOMEM;
}

void ipc_badge_destroy(u64 badge)
{
    badge_of(badge)->handler = NULL;
}

static void kernel_tells(u64 badge, u64 what, u64 offset)
{
    const struct badge *told = badge_of(badge);
    struct ipc_request request = {.context = told->context, .words = {what, offset, 4096}};
    told->handler(&request);
}

void host_kernel_asks(u64 what, u64 offset)
{
    kernel_tells(file_badge, what, offset);
}

s64 sys_file_create(cap_t endpoint, u64 token, const char *name, u64 bytes)
{
    (void)endpoint, (void)name;
    file_badge = token;
    badge_of(token);
    host_supplied = (struct supplied){.length = bytes};
    return 55;
}

s64 sys_file_supply(cap_t file, u64 offset, const void *from, s64 status)
{
    assert_int_equal(file, 55);
    host_supplied.offset = offset;
    host_supplied.status = status;
    host_supplied.count++;
    memcpy(host_supplied.page, from, sizeof(host_supplied.page));
    return 0;
}

s64 sys_file_take(cap_t file, u64 offset, void *to)
{
    (void)offset;
    assert_int_equal(file, 55);
    memcpy(to, host_supplied.dirty, sizeof(host_supplied.dirty));
    return 0;
}

s64 sys_file_resize(cap_t file, u64 bytes, bool invalidate)
{
    assert_int_equal(file, 55);
    host_supplied.length = bytes;
    host_supplied.invalidations += invalidate;
    return 0;
}

// Process HOST_PID has a right, and the next two numbers are its children.
s64 sys_process_info(u32 pid, struct sys_process_info *process)
{
    if (pid == 0 || pid == HOST_NO_PID || pid == host_ended)
        return E_NOENT;
    *process = (struct sys_process_info){.pid = pid};
    if (pid == HOST_PID)
        process->rights = RIGHT_SERVER;
    if (pid == HOST_PID + 1 || pid == HOST_PID + 2)
        process->parent = HOST_PID;
    return 0;
}

s64 sys_process_rights(u32 pid)
{
    struct sys_process_info process;
    s64 error = sys_process_info(pid, &process);

    return error != 0 ? error : (s64)process.rights;
}

s64 sys_cap_drop(cap_t cap)
{
    (void)cap;
    return 0;
}

s64 sys_cap_copy(cap_t cap)
{
    return cap;
}

// The same number, marked.
s64 sys_memory_readable(cap_t cap)
{
    return cap | HOST_READABLE;
}

// ---- memory objects: all of them lie here -------------------------------------------------------

bool host_memory_is_out, host_memory_is_held;

static struct memory {
    void *at;
    u64 bytes, watcher;
    bool mapped, sealed;
} memories[HOST_MEMORIES];
#define FIRST_MEMORY 100

void *host_memory(cap_t cap)
{
    cap &= ~HOST_READABLE;
    assert_true(cap >= FIRST_MEMORY && cap < FIRST_MEMORY + HOST_MEMORIES);
    return memories[cap - FIRST_MEMORY].at;
}

u32 host_memories_mapped(void)
{
    u32 count = 0;
    for (u32 i = 0; i < HOST_MEMORIES; i++)
        count += memories[i].mapped;
    return count;
}

bool host_memory_sealed(cap_t cap)
{
    return host_memory(cap) != NULL && memories[cap - FIRST_MEMORY].sealed;
}

s64 sys_memory_new(const char *name, u64 bytes)
{
    (void)name;
    for (u32 i = 0; i < HOST_MEMORIES; i++) {
        if (memories[i].at != NULL)
            continue;
        memories[i] = (struct memory){.at = calloc(1, bytes), .bytes = bytes};
        assert_non_null(memories[i].at);
        return FIRST_MEMORY + i;
    }
    return E_NOMEM;
}

s64 sys_memory_watch(cap_t cap, cap_t endpoint, u64 token)
{
    (void)endpoint;
    assert_non_null(host_memory(cap));
    memories[cap - FIRST_MEMORY].watcher = token;
    return 0;
}

// Its region has ended before, and all of it with that.
s64 sys_memory_leave(cap_t cap)
{
    assert_null(host_memory(cap));
    return host_memory_is_held;
}

u64 host_memory_watcher(cap_t cap)
{
    assert_non_null(host_memory(cap));
    return memories[(cap & ~HOST_READABLE) - FIRST_MEMORY].watcher;
}

void host_memory_gone(u64 watcher)
{
    kernel_tells(watcher, MEMORY_GONE, 0);
}

s64 sys_memory_seal(cap_t cap)
{
    assert_non_null(host_memory(cap));
    memories[cap - FIRST_MEMORY].sealed = true;
    return 0;
}

s64 sys_region_create(cap_t process, struct sys_region *region)
{
    assert_int_equal(process, 0);
    region->address = (uintptr_t)host_memory(region->memory);
    memories[region->memory - FIRST_MEMORY].mapped = true;
    return 0;
}

s64 sys_region_commit(u64 address, u64 bytes, u32 prot)
{
    assert_int_equal(prot, PROT_R | PROT_W);
    for (u32 i = 0; i < HOST_MEMORIES; i++) {
        if ((uintptr_t)memories[i].at == address)
            return memories[i].bytes == bytes && !host_memory_is_out ? 0 : E_NOMEM;
    }
    return E_NOENT;
}

s64 sys_region_destroy(u64 address)
{
    for (u32 i = 0; i < HOST_MEMORIES; i++) {
        if ((uintptr_t)memories[i].at != address)
            continue;
        free(memories[i].at);
        memories[i] = (struct memory){0};
        return 0;
    }
    return E_NOENT;
}
