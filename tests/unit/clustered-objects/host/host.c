// SPDX-License-Identifier: MIT
// Platform interface of the unit tests.
#define _GNU_SOURCE
#include "host.h"

#include "src/mediator.h"
#include <co/swap.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define WINDOW_BYTES (2UL * R13_COUNTS)
#define WINDOW_PAGES (WINDOW_BYTES / CO_PAGE_SIZE)
#define ARENA_PAGES 16384

struct host_events host_events;
u64 host_fail_after;
u64 host_live_allocations, host_live_pages;
bool host_poked[HOST_CPUS];
u32 host_sites[2];

static _Thread_local u32 current_cpu;
static char *windows[HOST_CPUS];
static u8 mapped[HOST_CPUS][WINDOW_PAGES];
static pthread_mutex_t masks[HOST_CPUS];
static pthread_mutex_t pages_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t patch_mutex = PTHREAD_MUTEX_INITIALIZER;
static int arena_file;
static char *arena;
static u32 free_pages[ARENA_PAGES];
static u32 free_count;
static u32 dref_stubs[2];
static bool counting;

// ---- CPUs --------------------------------------------------------------------------------------

u32 co_platform_cpu(void)
{
    return current_cpu;
}

u64 co_platform_window(u32 cpu)
{
    return (u64)windows[cpu];
}

// Other threads that play this CPU wait meanwhile, as they would with interrupts masked.
u64 co_platform_mask(void)
{
    pthread_mutex_lock(&masks[current_cpu]);
    return 0;
}

void co_platform_unmask(u64 state)
{
    (void)state;
    pthread_mutex_unlock(&masks[current_cpu]);
}

void co_platform_poke(u32 cpu)
{
    __atomic_store_n(&host_poked[cpu], true, __ATOMIC_RELAXED);
}

// An atomic read-modify-write, because the thread sanitizer does not know fences.
void co_platform_fence(void)
{
    static u64 word;
    __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
}

// ---- waiting -----------------------------------------------------------------------------------

_Thread_local bool host_masked;
_Thread_local void (*host_resting)(void), (*host_waiting)(void);

bool co_platform_can_wait(void)
{
    return !host_masked;
}

void co_platform_wait(u64 us)
{
    if (host_waiting != NULL)
        host_waiting();
    else
        usleep((useconds_t)us);
}

void co_platform_rest(u64 us)
{
    if (host_resting != NULL) {
        host_resting();
        return;
    }
    u64 state = co_platform_mask();
    co_cpu_advance();
    co_platform_unmask(state);
    usleep((useconds_t)us);
}

u32 co_platform_thread(void)
{
    return (u32)gettid();
}

u64 co_platform_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000 + (u64)now.tv_nsec / 1000;
}

// ---- memory ------------------------------------------------------------------------------------

static bool fail_now(void)
{
    return host_fail_after != 0 && (host_fail_after == 1 || --host_fail_after == 0);
}

void *co_platform_alloc(u64 bytes)
{
    if (fail_now())
        return NULL;
    __atomic_fetch_add(&host_live_allocations, 1, __ATOMIC_RELAXED);
    return calloc(1, bytes);
}

void co_platform_free(void *memory)
{
    if (memory != NULL)
        __atomic_fetch_sub(&host_live_allocations, 1, __ATOMIC_RELAXED);
    free(memory);
}

void *co_platform_page_alloc(void)
{
    if (fail_now())
        return NULL;
    pthread_mutex_lock(&pages_mutex);
    void *page = free_count > 0 ? arena + (u64)free_pages[--free_count] * CO_PAGE_SIZE : NULL;
    host_live_pages += page != NULL;
    pthread_mutex_unlock(&pages_mutex);
    if (page != NULL)
        memset(page, 0xa5, CO_PAGE_SIZE);
    return page;
}

void co_platform_page_free(void *page)
{
    memset(page, 0x5a, CO_PAGE_SIZE);
    pthread_mutex_lock(&pages_mutex);
    free_pages[free_count++] = (u32)(((const char *)page - arena) / CO_PAGE_SIZE);
    host_live_pages--;
    pthread_mutex_unlock(&pages_mutex);
}

static u8 *mapped_flag(u64 address)
{
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        if (address - (u64)windows[cpu] < WINDOW_BYTES)
            return &mapped[cpu][(address - (u64)windows[cpu]) / CO_PAGE_SIZE];
    }
    abort();
}

#ifdef HOST_MAP_COPIES // as in a process, where a page cannot be at two places
const bool co_platform_map_copies = true;

// Copies count as pages too.
static void count_copy(u64 address, u8 now)
{
    u8 before = __atomic_load_n(mapped_flag(address), __ATOMIC_ACQUIRE);
    __atomic_fetch_add(&host_live_pages, (u64)now - before, __ATOMIC_RELAXED);
}

static void map_page(u64 address, const void *page, int protection)
{
    if (page == NULL && __atomic_load_n(mapped_flag(address), __ATOMIC_ACQUIRE)) {
        mprotect((void *)address, CO_PAGE_SIZE, protection);
        return;
    }
    u64 *to = mmap((void *)address, CO_PAGE_SIZE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (to == MAP_FAILED)
        abort();
    if (page != NULL)
        memcpy(to, page, CO_PAGE_SIZE);
    mprotect(to, CO_PAGE_SIZE, protection);
    count_copy(address, 1);
}
#else
const bool co_platform_map_copies = false;

static void count_copy(u64 address, u8 now)
{
    (void)address;
    (void)now;
}

static void map_page(u64 address, const void *page, int protection)
{
    if (mmap((void *)address, CO_PAGE_SIZE, protection, MAP_SHARED | MAP_FIXED, arena_file,
             (const char *)page - arena) == MAP_FAILED)
        abort();
}
#endif

s64 co_platform_map(u64 address, const void *page, bool writable)
{
    int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    if (fail_now())
        return E_NOMEM;
    map_page(address, page, protection);
    __atomic_store_n(mapped_flag(address), 1, __ATOMIC_RELEASE);
    return 0;
}

void co_platform_unmap(u64 address)
{
    count_copy(address, 0);
    __atomic_store_n(mapped_flag(address), 0, __ATOMIC_RELEASE);
    if (mmap((void *)address, CO_PAGE_SIZE, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        abort();
}

static bool is_mapped(u64 address)
{
    return __atomic_load_n(mapped_flag(address), __ATOMIC_ACQUIRE);
}

// The system call refuses addresses that are not there, and no sanitizer looks at what it reads.
s64 co_platform_safe_read(void *to, u64 from, u64 bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)from, bytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : E_FAULT;
}

const char co_platform_root_name[] = "Kernel";
const char co_platform_root_implementation[] = "TestRoot";
const char co_platform_manager_implementation[] = "TestObjectManager";

// ---- locks -------------------------------------------------------------------------------------

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct co_lock), "a mutex must fit");

void co_platform_lock_init(struct co_lock *lock, const char *name, enum co_lock_rank rank)
{
    (void)name;
    (void)rank;
    pthread_mutex_init((pthread_mutex_t *)lock, NULL);
}

void co_platform_lock(struct co_lock *lock)
{
    if (pthread_mutex_lock((pthread_mutex_t *)lock) != 0)
        abort();
}

void co_platform_unlock(struct co_lock *lock)
{
    if (pthread_mutex_unlock((pthread_mutex_t *)lock) != 0)
        abort();
}

u64 co_platform_atomic_add(u64 *word, u64 addend)
{
    return __atomic_fetch_add(word, addend, __ATOMIC_RELAXED);
}

// ---- code patching -----------------------------------------------------------------------------

static const struct co_dref_site sites[] = {
    {&host_sites[0], &dref_stubs[0]},
    {&host_sites[1], &dref_stubs[1]},
};

const struct co_dref_site *co_platform_dref_sites(u64 *count)
{
    *count = ARRAY_SIZE(sites);
    return sites;
}

void co_platform_patch_begin(void)
{
    pthread_mutex_lock(&patch_mutex);
}

void co_platform_patch_nop(u32 *instruction)
{
    *instruction = 0;
}

void co_platform_patch_branch(u32 *instruction, const u32 *target)
{
    *instruction = target - dref_stubs == instruction - host_sites ? 1 : 2;
}

void co_platform_patch_end(void)
{
    __atomic_store_n(&counting, host_sites[0] != 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&patch_mutex);
}

// ---- threads -----------------------------------------------------------------------------------

// The tests reap by themselves, and no thread is a clustered object.
s64 co_platform_reaper_start(u32 cpu, u64 (*work)(void))
{
    (void)cpu;
    (void)work;
    return 0;
}

bool co_platform_reaper_wake(u32 cpu)
{
    (void)cpu;
    return true;
}

u64 co_platform_microseconds(u64 us)
{
    return us;
}

// ---- DREF and the Default Object ---------------------------------------------------------------

struct co_rep *co_dref(coid_t coid)
{
    u64 *entry = co_ltt_entry(current_cpu, coid);
    u64 *count = &co_counts_of(current_cpu, coid)->invocations;
    bool count_it = __atomic_load_n(&counting, __ATOMIC_RELAXED);
    while (!is_mapped((u64)entry) || (count_it && !is_mapped((u64)count))) {
        if (!co_fault((u64)entry) || (count_it && !co_fault((u64)count)))
            abort();
    }
    if (count_it)
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    return (struct co_rep *)__atomic_load_n(entry, __ATOMIC_ACQUIRE);
}

typedef s64 (*method)(void *self, u64 a, u64 b, u64 c, u64 d, u64 e);

static s64 restart(u64 *self, u32 slot, u64 a, u64 b, u64 c, u64 d, u64 e)
{
    s64 rep = co_miss(self);
    if ((u64)rep >= -4096UL)
        return rep;
    return (*(method *const *)rep)[slot]((void *)rep, a, b, c, d, e);
}

#define SLOT(n)                                                                                    \
    static s64 slot_##n(u64 *self, u64 a, u64 b, u64 c, u64 d, u64 e)                              \
    {                                                                                              \
        return restart(self, 0##n, a, b, c, d, e);                                                 \
    }
#define ADDRESS(n) (u64) slot_##n,
#define ROW(X, row) X(row##0) X(row##1) X(row##2) X(row##3) X(row##4) X(row##5) X(row##6) X(row##7)
#define ALL(X) ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7)

ALL(SLOT) // numbered in octal
const u64 co_default_ops[CO_METHOD_SLOTS] = {ALL(ADDRESS)};

// ---- the mediator ------------------------------------------------------------------------------

static _Thread_local struct mediated {
    struct co_mediation call;
    const struct mediated *outer;
} * innermost;

bool co_mediator_recurs(const struct mediator *mediator)
{
    for (const struct mediated *at = innermost; at != NULL; at = at->outer) {
        if (at->call.in == mediator)
            return true;
    }
    return false;
}

static s64 mediate(struct co_rep *self, u32 slot, u64 a, u64 b, u64 c, u64 d, u64 e)
{
    struct mediated mediated = {.outer = innermost};
    struct co_rep *rep = co_mediator_enter(self, slot, &mediated.call);
    if ((u64)rep >= -4096UL)
        return (s64)rep;
    method called = (*(method *const *)rep)[slot];
    if (mediated.call.in == NULL)
        return called(rep, a, b, c, d, e);
    innermost = &mediated;
    s64 result = called(rep, a, b, c, d, e);
    innermost = (struct mediated *)mediated.outer;
    co_mediator_leave(&mediated.call);
    return result;
}

#define MEDIATED(n)                                                                                \
    static s64 mediated_##n(struct co_rep *self, u64 a, u64 b, u64 c, u64 d, u64 e)                \
    {                                                                                              \
        return mediate(self, 0##n, a, b, c, d, e);                                                 \
    }
#define MEDIATED_ADDRESS(n) (u64) mediated_##n,

ALL(MEDIATED)
const u64 co_mediator_ops[CO_METHOD_SLOTS] = {ALL(MEDIATED_ADDRESS)};

// ---- start -------------------------------------------------------------------------------------

static void arena_init(void)
{
    arena_file = memfd_create("orrery pages", 0);
    if (arena_file < 0 || ftruncate(arena_file, (off_t)ARENA_PAGES * CO_PAGE_SIZE) != 0)
        abort();
    arena = mmap(NULL, (u64)ARENA_PAGES * CO_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                 arena_file, 0);
    if (arena == MAP_FAILED)
        abort();
    while (free_count < ARENA_PAGES) {
        free_pages[free_count] = free_count;
        free_count++;
    }
}

static void cpu_init(u32 cpu)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&masks[cpu], &attributes);
    windows[cpu] =
        mmap(NULL, WINDOW_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (windows[cpu] == MAP_FAILED ||
        mprotect(windows[cpu], CO_PAGE_SIZE, PROT_READ | PROT_WRITE) != 0)
        abort();
}

int host_start(void **state)
{
    (void)state;
    arena_init();
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        cpu_init(cpu);
    co_swap_init();
    s64 error = co_init();
    for (u32 cpu = 1; cpu < HOST_CPUS && error == 0; cpu++)
        error = co_init_cpu(cpu);
    if (error == 0)
        error = co_start();
    return (int)error;
}

void host_set_cpu(u32 cpu)
{
    current_cpu = cpu;
}

void host_advance_all(void)
{
    u32 before = current_cpu;
    for (current_cpu = 0; current_cpu < HOST_CPUS; current_cpu++)
        co_cpu_advance();
    current_cpu = before;
}

u64 host_reap_step(void)
{
    u32 before = current_cpu;
    u64 left = 0;
    for (current_cpu = 0; current_cpu < HOST_CPUS; current_cpu++)
        left |= co_reap();
    current_cpu = before;
    return left;
}

void host_reap_all(void)
{
    while (host_reap_step() != 0)
        host_advance_all();
}
