// SPDX-License-Identifier: MIT
// Registers and message buffers on both sides of calls, of every size, on every path, whoever looks
// on; then special purpose registers from process to process.
#include "leaks.h"

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/pmu.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <syscalls/numbers.h>
#include <user/thread.h>

#define ROUNDS 100
#define STARTS 30
#define WATCHED_BYTES 300 // sizes that are tried while somebody looks on
#define MANY 1000000      // messages, registers, calls of the role "many"
#define PASSES 500        // through all special purpose registers, on each side
#define SHAPE_ROUNDS 300  // of each call that writes to memory
#define SHAPE_MANY 25000
#define USER_MSR 0x800000000000d032
#define MSR_FP 0x2000
#define CAPABILITY_NONE 4095          // a slot with nothing in it
#define USER_NOWHERE (USER_START + 8) // nothing is mapped there

static u32 passed, failed;

static void verdict(const char *what, const char *how, u64 wrong)
{
    printf("%s %s, %s\n", wrong == 0 ? "ok  " : "FAIL", what, how);
    passed += wrong == 0;
    failed += wrong != 0;
}

// ---- calls --------------------------------------------------------------------------------------

// A call with everything known. While others have to be told of something, the answer comes later.
static u32 call(const struct peer *server, u64 operation, u32 bytes, struct registers *after)
{
    struct registers before = registers_of(CLIENT);
    u64 *r = before.gpr;
    u32 wrong = 0;

    r[0] = SYS_CALL;
    r[3] = server->cap;
    r[4] = TOKEN;
    r[5] = CALL_ALONE;
    r[6] = bytes;
    for (u32 i = 0; i < MESSAGE_WORDS; i++)
        r[7 + i] = operation + i;
    *after = before;
    registers_call(after);
    wrong += registers_wrong("called", &before, after);
    while (after->gpr[3] != EVENT_REPLY || after->gpr[4] != TOKEN) {
        before = registers_of(CLIENT);
        before.gpr[0] = SYS_WAIT;
        *after = before;
        registers_call(after);
        wrong += registers_wrong("waited for an answer", &before, after);
    }
    r = after->gpr;
    wrong += r[5] != 0 || r[6] != bytes;
    for (u32 i = operation == OP_REPORT; i < MESSAGE_WORDS; i++)
        wrong += r[7 + i] != operation + i + 1;
    return wrong;
}

static u32 send(const struct peer *server)
{
    struct registers before = registers_of(CLIENT), after;
    u64 *r = before.gpr;

    r[0] = SYS_SEND;
    r[3] = server->cap;
    r[4] = UINT64_MAX;
    for (u32 i = 0; i < MESSAGE_WORDS; i++)
        r[7 + i] = 1000 + i;
    after = before;
    registers_call(&after);
    return registers_wrong("sent", &before, &after) + (after.gpr[3] != 0);
}

static u64 calls_of_all_sizes(const struct peer *server, u32 last)
{
    struct registers after;
    u64 wrong = 0;

    message_fill(0, CLIENT_FILL);
    for (u32 bytes = 0; bytes <= last; bytes++) {
        message_grow(bytes);
        wrong += call(server, OP_ECHO, bytes, &after);
        wrong += message_wrong("in an answer", bytes, CLIENT_FILL, bytes % 61 == 0);
    }
    return wrong;
}

// ---- other entries ------------------------------------------------------------------------------

// A plain system call leaves nothing but its result and what is the caller's own.
static u64 plain(u64 number, u64 argument)
{
    struct registers before = registers_of(CLIENT);

    before.gpr[0] = number;
    before.gpr[3] = argument;
    struct registers after = before;
    registers_call(&after);
    const u64 *r = after.gpr;
    u64 wrong = registers_wrong("in a system call", &before, &after);
    wrong += r[0] != 0 || r[4] >= USER_END || (r[5] != 0 && (r[5] & ~(u64)MSR_FP) != USER_MSR);
    for (u32 i = 6; i <= 12; i++)
        wrong += r[i] != 0 && (i != 11 || r[i] != before.lr);
    wrong += after.ctr != 0 || after.xer != 0 || (after.cr & 0xff000fff) != 0;
    if (wrong != 0)
        for (u32 i = 0; i <= 12; i++)
            tell("     %u: r%u %016llx\n", (u32)number, i, (unsigned long long)r[i]);
    return wrong;
}

static u64 page_fault(void)
{
    u8 *page = user_pages(0, 0x1000);
    struct registers before = registers_of(CLIENT);

    if (page == NULL)
        return 1;
    before.gpr[14] = (u64)page;
    struct registers after = before;
    registers_load(&after);
    before.gpr[14] = 0; // what the page has
    u64 wrong = registers_wrong("in a page fault", &before, &after);
    wrong += memcmp(before.gpr, after.gpr, sizeof(before.gpr)) != 0 || before.ctr != after.ctr ||
             before.xer != after.xer || before.cr != after.cr;
    user_pages_free(page, 0x1000);
    return wrong;
}

// ---- all of it ----------------------------------------------------------------------------------

static u64 entries(const struct peer *server)
{
    struct registers after;
    struct sys_info info = {.free_bytes = 0};
    u64 wrong = 0;

    for (u32 i = 0; i < ROUNDS; i++) {
        wrong += call(server, OP_ECHO, 0, &after);
        wrong += plain(SYS_DREF_PROCESSES, 0);
        wrong += plain(SYS_INFO, (u64)&info);
        wrong += plain(SYS_PROCESS_INFO, UINT32_MAX);
        wrong += plain(0, 0);
        wrong += page_fault();
        wrong += send(server);
    }
    return wrong;
}

static void watched(const struct observer *observer, const struct peer *server, u32 cpu,
                    const char *how, u32 last)
{
    struct registers after;
    char text[80];

    snprintf(text, sizeof(text), "%s, server %s on CPU %u", observer->name, how, cpu);
    if (!observer->begin(server->pid, user_cpu())) {
        verdict("begins", text, 1);
        return;
    }
    u32 before = user_disable();
    u64 wrong = calls_of_all_sizes(server, last);
    wrong += call(server, OP_CLEAR, 0, &after);
    message_fill(0, CLIENT_FILL);
    wrong += entries(server);
    wrong += call(server, OP_REPORT, 0, &after);
    user_enable(before);
    observer->end();
    verdict("nothing of the server's", text, wrong);
    verdict("nothing of the client's", text, after.gpr[7]);
}

static void with_server(const char *role, u32 cpu)
{
    for (u32 i = 0; i < observer_count; i++) {
        struct peer server;
        if (!peer_start(&server, role, cpu)) {
            verdict("server", "does not start", 1);
            return;
        }
        watched(&observers[i], &server, cpu, role, i == 0 ? MESSAGE_BYTES : WATCHED_BYTES);
        peer_end(&server);
    }
}

static void special_purpose_registers(void)
{
    s64 written = peer_run("writes-registers"), leaks = peer_run("reads-registers");

    verdict("special purpose registers", "from process to process", (u64)(leaks | written));
}

static void starts_and_upcalls(void)
{
    u64 wrong = 0;

    for (u32 i = 0; i < STARTS; i++)
        wrong += bare_wrong();
    verdict("registers", "of a process that begins, and in its upcalls", wrong);
}

// A call that fails leaves what it was to fill as it was.
static void buffers_of_failed_calls(void)
{
    static u8 buffer[0x1000], before[0x1000];
    u64 wrong = 0, cursor = 1;

    memset(buffer, CLIENT_FILL, sizeof(buffer));
    memcpy(before, buffer, sizeof(buffer));
    wrong += sys_file_take(0, 0, buffer) >= 0;
    wrong += sys_file_take(CAPABILITY_NONE, 0, buffer) >= 0;
    wrong += sys_option("no such option", (char *)buffer, sizeof(buffer)) >= 0;
    wrong += sys_pmu_count_open(-1, buffer) >= 0;
    wrong += sys_process_info(UINT32_MAX, (struct sys_process_info *)buffer) >= 0;
    wrong += sys_process_list(&cursor, (void *)USER_NOWHERE, sizeof(buffer)) != E_FAULT;
    wrong += cursor != 1;
    verdict("buffers", "of calls that fail", wrong + (memcmp(buffer, before, sizeof(buffer)) != 0));
}

static void all_shapes(u32 rounds)
{
    u32 calls, wrong = shapes_wrong(rounds, &calls);

    verdict("buffers", "of all calls, whatever they get", wrong);
    printf("%u calls with buffers\n", calls);
}

// Sends MANY messages, each looked at on both sides, while everybody looks on in turn.
static void many_messages(const struct observer *observer)
{
    u32 passes = MANY / observer_count / (WATCHED_BYTES + 1) + 1;
    struct registers after;
    struct peer server;
    u64 wrong = 0;

    if (!peer_start(&server, "answers", user_cpu()) || !observer->begin(server.pid, user_cpu())) {
        verdict("begins", observer->name, 1);
        return;
    }
    for (u32 i = 0; i < passes; i++) {
        u32 before = user_disable();
        wrong += calls_of_all_sizes(&server, WATCHED_BYTES);
        wrong += call(&server, OP_CLEAR, 0, &after);
        user_enable(before);
    }
    u32 before = user_disable();
    wrong += call(&server, OP_REPORT, 0, &after);
    user_enable(before);
    observer->end();
    peer_end(&server);
    printf("%u messages, %s\n", passes * (WATCHED_BYTES + 1), observer->name);
    verdict("nothing of anybody's in many messages", observer->name, wrong + after.gpr[7]);
}

static int report(void)
{
    printf("test-leaks: %u passed, %u failed\n", passed, failed);
    return failed != 0;
}

static s64 write_registers(void *argument)
{
    (void)argument;
    return peer_run("writes-registers-often");
}

// One process writes and another one reads, on the same CPU.
static void many_registers(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *writer;
    s64 written = -1;

    attributes.cpu = user_cpu();
    if (thread_create(&writer, &attributes, write_registers, NULL) != 0) {
        verdict("begins", "a writer of registers", 1);
        return;
    }
    s64 leaks = peer_run("reads-registers-often");
    thread_join(writer, &written);
    verdict("special purpose registers", "often, while another one writes", (u64)(leaks | written));
}

// Registers and buffers, while all look on who can do so at once.
static void many_accesses(void)
{
    struct peer server;
    bool begun = peer_start(&server, "answers", user_cpu());

    for (u32 i = 0; i < observer_count && begun; i++)
        begun = !observers[i].together || observers[i].begin(server.pid, user_cpu());
    if (!begun) {
        verdict("begins", "all at once", 1);
        return;
    }
    many_registers();
    all_shapes(SHAPE_MANY);
    for (u32 i = 0; i < observer_count; i++)
        if (observers[i].together)
            observers[i].end();
    peer_end(&server);
}

static int many(void)
{
    for (u32 i = 0; i < observer_count; i++)
        many_messages(&observers[i]);
    many_accesses();
    return report();
}

static int all(void)
{
    u32 cpus[] = {user_cpu(), user_cpu_count() - 1};

    for (u32 i = 0; i < (cpus[0] == cpus[1] ? 1 : 2); i++) {
        with_server("answers", cpus[i]);
        with_server("answers-apart", cpus[i]);
    }
    special_purpose_registers();
    starts_and_upcalls();
    buffers_of_failed_calls();
    all_shapes(SHAPE_ROUNDS);
    return report();
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return all();
    if (strcmp(argv[1], "many") == 0)
        return many();
    if (strncmp(argv[1], "answers", 7) == 0)
        return serve(strcmp(argv[1], "answers-apart") == 0);
    return spr_role(strncmp(argv[1], "writes", 6) == 0, strstr(argv[1], "often") ? PASSES : 1);
}
