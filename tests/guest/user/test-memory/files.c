// SPDX-License-Identifier: MIT
// Files. This program serves some itself, so that it sees both sides. Pages come when they are
// touched, once. A thread that waits stops no other. Written pages can be taken. Errors reach
// whoever waits.
#include "tests.h"

#include <orrery/ipc.h>
#include <string.h>
#include <user/ipc.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define RW (PROT_R | PROT_W)
#define FILE_PAGES 40
#define BAD_PAGE 30 // the server has an error for it
#define WORDS (PAGE / 8)

struct served {
    cap_t file;
    volatile u64 fetches, writes, gone;
    volatile u64 last_written;
};

static bool counting; // another thread does, in steps of its own
static u64 rounds;

// The server's side: page n is full of n + 1.
static s64 serve(struct ipc_request *request)
{
    static u64 page[WORDS];
    struct served *served = request->context;
    u64 what = request->words[0], offset = request->words[1];

    if (what == FILE_WRITE) {
        served->last_written = offset;
        served->writes++;
    } else if (what == FILE_GONE) {
        served->gone++;
    } else if (what == FILE_FETCH) {
        served->fetches++;
        u64 before = __atomic_load_n(&rounds, __ATOMIC_RELAXED);
        WAIT_FOR(!counting || __atomic_load_n(&rounds, __ATOMIC_RELAXED) > before); // others run
        for (u64 i = 0; i < WORDS; i++)
            page[i] = offset / PAGE + 1;
        sys_file_supply(served->file, offset, page, offset / PAGE == BAD_PAGE ? E_IO : 0);
    }
    return 0;
}

static bool eventually(volatile u64 *word, u64 value)
{
    return WAIT_FOR(*word == value);
}

static s64 count(void *argument)
{
    (void)argument;
    while (__atomic_load_n(&counting, __ATOMIC_RELAXED)) {
        thread_sleep_us(100);
        __atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
    }
    return 0;
}

static void reading(struct served *served)
{
    u64 address = make_region(REGION_PRIVATE, FILE_PAGES * PAGE, PROT_R, served->file, 0);
    volatile u64 *words = (u64 *)address;
    struct thread *other;

    counting = true;
    CHECK_IS(thread_create(&other, NULL, count, NULL), 0);
    for (u64 i = 0; i < 20; i++)
        CHECK_IS(words[i * WORDS + 17], i + 1);
    __atomic_store_n(&counting, false, __ATOMIC_RELAXED);
    CHECK_IS(thread_join(other, NULL), 0);
    CHECK_IS(rounds >= 20, 1); // it ran while we waited for pages
    CHECK_IS(served->fetches, 20);
    CHECK_IS(words[3 * WORDS], 4);
    CHECK_IS(served->fetches, 20);
    CHECK_IS(sys_region_destroy(address), 0);
}

// The kernel's own access to a page waits with the whole dispatcher, so whoever serves the file
// must be another process than the one that names such a page in a system call.
static void errors(struct served *served)
{
    u64 before = served->fetches;

    CHECK_IS(run_child("file-read", 0, served->file), 0);
    CHECK_IS(served->fetches, before + 3);
    CHECK_IS(run_child("file-crash", 0, served->file), STATUS_KILLED(0x300));
    CHECK_IS(served->fetches, before + 4);
}

// ---- a server that dies -------------------------------------------------------------------------

static s64 keep_cap(struct ipc_request *request)
{
    *(volatile cap_t *)request->context = request->cap;
    return 0;
}

static s64 never_answer(struct ipc_request *request)
{
    (void)request;
    return 0;
}

// In a child: gives its parent a file, and sleeps.
static int silent_server(void)
{
    s64 endpoint = ipc_endpoint(never_answer, NULL);
    s64 file = sys_file_create((cap_t)endpoint, ipc_badge((cap_t)endpoint), "silent", PAGE);
    struct ipc_message message = {.send_cap = (cap_t)file};

    if (file < 0 || ipc_call(GRANTED, &message) != 0)
        return 1;
    thread_sleep_until(THREAD_FOREVER);
    return 2;
}

// Whoever waits for a page of it, or asks for one later, gets an error.
static void server_death(void)
{
    volatile cap_t file = 0;
    s64 endpoint = ipc_endpoint(keep_cap, (void *)&file);
    s64 server = start_child("file-server", 0, (cap_t)endpoint);

    CHECK_IS(WAIT_FOR(file != 0), true);
    s64 reader = start_child("file-dead", 0, file);
    s64 killed = start_child("file-dead", 0, file);
    thread_sleep_us(100000); // both wait
    CHECK_IS(sys_process_kill((u32)killed, 5), 0);
    CHECK_IS(end_of_child(killed), 5);
    CHECK_IS(sys_process_kill((u32)server, 6), 0);
    CHECK_IS(end_of_child(server), 6);
    CHECK_IS(end_of_child(reader), 0);
    CHECK_IS(run_child("file-dead", 0, file), 0);
    CHECK_IS(sys_cap_drop(file), 0);
    CHECK_IS(ipc_endpoint_close((cap_t)endpoint), 0);
}

int child_files(const char *name)
{
    if (strncmp(name, "file", 4) != 0)
        return -1;
    if (strcmp(name, "file-server") == 0)
        return silent_server();
    if (strcmp(name, "file-dead") == 0)
        return can_read(make_region(REGION_PRIVATE, PAGE, PROT_R, GRANTED, 0)) == E_FAULT ? 0 : 1;
    u64 address = make_region(REGION_PRIVATE, FILE_PAGES * PAGE, PROT_R, GRANTED, 0);
    if (strcmp(name, "file-crash") == 0)
        return (int)*(volatile u64 *)(address + BAD_PAGE * PAGE);
    if (can_read(address + (BAD_PAGE + 1) * PAGE) != 0)
        return 1;
    for (u32 i = 0; i < 2; i++) { // each asks again
        if (can_read(address + BAD_PAGE * PAGE) != E_FAULT)
            return 2;
    }
    return *(volatile u64 *)(address + (BAD_PAGE + 1) * PAGE) == BAD_PAGE + 2 ? 0 : 3;
}

static void copying(struct served *served)
{
    u64 before = served->fetches;
    u64 address = make_region(REGION_PRIVATE, FILE_PAGES * PAGE, RW, served->file, 0);
    u64 again = make_region(REGION_SHARED, FILE_PAGES * PAGE, PROT_R, served->file, 0);
    volatile u64 *words = (u64 *)address, *other = (u64 *)again;

    words[0] = 1000;
    words[25 * WORDS] = 1025; // was never there
    CHECK_IS(served->fetches, before + 1);
    CHECK_IS(words[1], 1);
    CHECK_IS(words[25 * WORDS + 1], 26);
    CHECK_IS(other[0], 1);
    CHECK_IS(other[25 * WORDS], 26);
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(sys_region_destroy(again), 0);
    CHECK_IS(served->writes, 0);
}

static void refused_parts(const struct served *served)
{
    const struct sys_region wrong[] = {
        {.kind = REGION_PRIVATE, .backed = 9 * PAGE},
        {.kind = REGION_PRIVATE, .backed = PAGE / 2},
        {.kind = REGION_SHARED, .backed = PAGE},
        {.kind = REGION_ANONYMOUS, .backed = PAGE},
    };
    for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct sys_region region = wrong[i];
        region.bytes = 8 * PAGE;
        region.memory = served->file;
        region.prot = PROT_R;
        CHECK_IS(sys_region_create(0, &region), E_INVAL);
    }
}

// The file's pages behind the part are in memory, and are not to be seen.
static void partly(struct served *served, u32 prot)
{
    struct sys_region region = {.bytes = 8 * PAGE,
                                .kind = REGION_PRIVATE,
                                .prot = prot,
                                .memory = served->file,
                                .backed = 2 * PAGE};
    CHECK_IS(sys_region_create(0, &region), 0);
    volatile u64 *words = (u64 *)region.address;
    CHECK_IS(words[WORDS + 1], 2);
    CHECK_IS(words[1], 1);
    for (u32 page = 2; page < 8; page++)
        CHECK_IS(words[page * WORDS + 1], 0);
    if (prot & PROT_W) {
        words[WORDS] = words[3 * WORDS] = 5;
        CHECK_IS(words[WORDS + 1], 2);
        CHECK_IS(words[3 * WORDS + 1], 0);
    }
    refused_parts(served);
    CHECK_IS(sys_region_destroy(region.address), 0);
}

static void writing(struct served *served)
{
    static u64 page[WORDS];
    u64 address = make_region(REGION_SHARED, FILE_PAGES * PAGE, RW, served->file, 0);
    volatile u64 *words = (u64 *)address;

    CHECK_IS(words[2 * WORDS], 3);
    words[2 * WORDS] = 333;
    CHECK_IS(sys_file_take(served->file, 2 * PAGE, page), 0);
    CHECK_IS(page[0], 333);
    words[2 * WORDS] = 334; // dirty once more
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(eventually(&served->writes, 1), 1);
    CHECK_IS(served->last_written, 2 * PAGE);
    CHECK_IS(sys_file_take(served->file, 2 * PAGE, page), 0);
    CHECK_IS(page[0], 334);
    CHECK_IS(page[1], 3);
    CHECK_IS(sys_file_take(served->file, 39 * PAGE, page), E_NOENT);
}

static void resizing(struct served *served)
{
    u64 address = make_region(REGION_SHARED, FILE_PAGES * PAGE, PROT_R, served->file, 0);
    volatile u64 *words = (u64 *)address;
    u64 before = served->fetches;

    CHECK_IS(words[WORDS], 2);
    CHECK_IS(sys_file_resize(served->file, PAGE + 100, false), 0);
    CHECK_IS(can_read(address + 2 * PAGE), E_FAULT); // no waiting: it is behind the end
    CHECK_IS(words[WORDS], 2);
    CHECK_IS(words[2 * WORDS - 1], 0); // behind the end
    CHECK_IS(sys_memory_bytes(served->file), PAGE + 100);
    CHECK_IS(sys_file_resize(served->file, FILE_PAGES * PAGE, false), 0);
    CHECK_IS(words[2 * WORDS], 3);
    CHECK_IS(served->fetches, before + 1);
    CHECK_IS(sys_file_resize(served->file, FILE_PAGES * PAGE, true), 0);
    CHECK_IS(words[2 * WORDS], 3);
    CHECK_IS(served->fetches, before + 2);
    CHECK_IS(sys_region_destroy(address), 0);
}

static void refusals(struct served *served)
{
    s64 memory = sys_memory_new("no file", PAGE);
    u64 page[WORDS];

    CHECK_IS(sys_file_supply((cap_t)memory, 0, page, 0), E_INVAL);
    CHECK_IS(sys_file_supply(0, 0, page, 0), E_NOENT);
    CHECK_IS(sys_file_supply(served->file, 1, page, 0), E_INVAL);
    CHECK_IS(sys_file_supply(served->file, 0, page, 5), E_INVAL);
    CHECK_IS(sys_file_take(served->file, 1UL << 60, page), E_INVAL);
    CHECK_IS(sys_file_create((cap_t)memory, 0, "x", PAGE), E_INVAL);
    CHECK_IS(sys_cap_drop((cap_t)memory), 0);
}

void test_files(void)
{
    static struct served served;
    s64 endpoint = ipc_endpoint(serve, &served);

    CHECK_IS(endpoint > 0, 1);
    s64 file =
        sys_file_create((cap_t)endpoint, ipc_badge((cap_t)endpoint), "served", FILE_PAGES * PAGE);
    CHECK_IS(file > 0, 1);
    served.file = (cap_t)file;
    CHECK_IS(sys_memory_bytes(served.file), FILE_PAGES * PAGE);
    reading(&served);
    errors(&served);
    copying(&served);
    partly(&served, RW);
    partly(&served, PROT_R);
    writing(&served);
    resizing(&served);
    refusals(&served);
    eventually(&served.gone, 8);
    CHECK_IS(served.gone, 8); // once after each mapping was the last
    CHECK_IS(sys_cap_drop(served.file), 0);
    CHECK_IS(ipc_endpoint_close((cap_t)endpoint), 0);
    server_death();
}
