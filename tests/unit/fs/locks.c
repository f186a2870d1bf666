// SPDX-License-Identifier: MIT
// Record locks against a naive model, which has what each process has of each byte, and looks at
// everything again each time.
#include "calls.h"
#include "opening.h"
#include "records.h"

#include <user/ipc.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES 24
#define PROCESSES 5
#define FIRST_PID 30
#define STEPS 100000
#define MODEL_WAITS 64
#define PATH "/locked"

struct request {
    u64 call; // 0: does not wait
    u32 process, kind, start, last;
};

static struct {
    u8 kinds[PROCESSES][BYTES];
    struct request waiting[MODEL_WAITS];
    u32 count;
    u32 answered; // of host_answers
} model;

static u64 files[PROCESSES];
static u64 random_state = 1;

static u32 any(u32 below)
{
    random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
    return (u32)(random_state >> 33) % below;
}

static struct ipc_caller process(u32 index, u64 call)
{
    return (struct ipc_caller){.pid = FIRST_PID + index, .call = call};
}

// ---- the model ----------------------------------------------------------------------------------

static bool blocks(u32 other, const struct request *request)
{
    if (other == request->process)
        return false;
    for (u32 i = request->start; i <= request->last; i++) {
        u8 kind = model.kinds[other][i];
        if (kind == FS_LOCK_WRITE || (kind == FS_LOCK_READ && request->kind == FS_LOCK_WRITE))
            return true;
    }
    return false;
}

static bool is_blocked(const struct request *request)
{
    for (u32 i = 0; i < PROCESSES && request->kind != FS_LOCK_NONE; i++) {
        if (blocks(i, request))
            return true;
    }
    return false;
}

// Everybody whom the process would wait for, whomever they wait for, and so on.
static bool waits_for_itself(const struct request *request)
{
    bool reached[PROCESSES], more = true;
    for (u32 i = 0; i < PROCESSES; i++)
        reached[i] = blocks(i, request);
    while (more) {
        more = false;
        for (u32 i = 0; i < model.count * PROCESSES; i++) {
            u32 to = i % PROCESSES;
            const struct request *waiting = &model.waiting[i / PROCESSES];
            if (reached[waiting->process] && !reached[to] && blocks(to, waiting))
                reached[to] = more = true;
        }
    }
    return reached[request->process];
}

static void give(const struct request *request)
{
    memset(&model.kinds[request->process][request->start], (int)request->kind,
           request->last - request->start + 1);
}

static void take_out(u32 index)
{
    model.count--;
    memmove(&model.waiting[index], &model.waiting[index + 1],
            (model.count - index) * sizeof(model.waiting[0]));
}

static void is_answered(u64 call, s64 status)
{
    assert_true(model.answered < host_answer_count);
    const struct answer *answer = &host_answers[model.answered++ % HOST_ANSWERS];
    assert_int_equal(answer->call, call);
    assert_int_equal(answer->status, status);
}

static void serve_waiting(void)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (u32 i = 0; i < model.count;) {
            struct request request = model.waiting[i];
            if (is_blocked(&request)) {
                i++;
                continue;
            }
            give(&request);
            take_out(i);
            is_answered(request.call, 0);
            moved = true;
        }
    }
    assert_int_equal(model.answered, host_answer_count);
}

static s64 expected(const struct request *request)
{
    u32 own = 0;
    if (!is_blocked(request)) {
        give(request);
        return 0;
    }
    if (request->call == 0)
        return E_AGAIN;
    if (waits_for_itself(request))
        return E_BUSY;
    for (u32 i = 0; i < model.count; i++)
        own += model.waiting[i].process == request->process;
    if (own == RECORDS_WAITS_MAX || model.count == MODEL_WAITS)
        return E_LIMIT;
    model.waiting[model.count++] = *request;
    return IPC_LATER;
}

// ---- steps --------------------------------------------------------------------------------------

// The last byte stands for all behind it.
static u64 last_of(const struct request *request)
{
    return request->last == BYTES - 1 ? UINT64_MAX : request->last;
}

static struct request random_request(void)
{
    static u64 calls;
    struct request request = {.process = any(PROCESSES), .kind = any(3), .start = any(BYTES)};
    request.last = request.start + any(BYTES - request.start);
    request.call = any(4) == 0 ? ++calls : 0;
    return request;
}

static void set_somewhere(void)
{
    struct request request = random_request();
    struct ipc_caller by = process(request.process, request.call);
    s64 status = fs_server_lock(&by, files[request.process], request.kind, request.start,
                                last_of(&request), request.call != 0 ? FS_LOCK_WAIT : 0);
    assert_int_equal(status, expected(&request));
    serve_waiting();
}

// What is found is a whole lock, and none that begins before is in the way.
static void is_first_in_the_way(const struct fs_record *found, const struct request *request)
{
    const u8 *kinds = model.kinds[found->pid - FIRST_PID];
    u32 last = found->last == UINT64_MAX ? BYTES - 1 : (u32)found->last;
    for (u64 i = found->start; i <= last; i++)
        assert_int_equal(kinds[i], found->kind);
    assert_true(found->start == 0 || kinds[found->start - 1] != found->kind);
    assert_true(last == BYTES - 1 || kinds[last + 1] != found->kind);
    assert_true(blocks(found->pid - FIRST_PID, request));
    assert_true(found->start <= request->last && last >= request->start);
    struct request before = *request;
    if (found->start > request->start) {
        before.last = (u32)found->start - 1;
        assert_false(is_blocked(&before));
    }
}

static void find_somewhere(void)
{
    struct request request = random_request();
    struct ipc_caller by = process(request.process, 0);
    struct fs_record found;
    assert_int_equal(fs_server_lock_test(&by, files[request.process], request.kind, request.start,
                                         last_of(&request), &found),
                     0);
    assert_int_equal(found.kind != FS_LOCK_NONE, is_blocked(&request));
    if (found.kind != FS_LOCK_NONE)
        is_first_in_the_way(&found, &request);
}

static void open_for(u32 index)
{
    assert_int_equal(open_as(PATH, RW, FIRST_PID + index, &files[index]), 0);
}

// Closing any handle of the file ends all locks there.
static void close_somewhere(void)
{
    u32 index = any(PROCESSES);
    u64 old = files[index];
    struct ipc_caller by = process(index, 0);
    open_for(index);
    assert_int_equal(fs_server_close(&by, old), 0);
    memset(model.kinds[index], FS_LOCK_NONE, BYTES);
    serve_waiting();
}

static bool is_not(u32 pid, void *context)
{
    return pid != *(const u32 *)context;
}

static void end_somewhere(void)
{
    u32 index = any(PROCESSES), pid = FIRST_PID + index;
    handles_sweep(&open_files, is_not, &pid);
    for (u32 i = 0; i < model.count;) {
        if (model.waiting[i].process != index) {
            i++;
            continue;
        }
        is_answered(model.waiting[i].call, E_STALE);
        take_out(i);
    }
    memset(model.kinds[index], FS_LOCK_NONE, BYTES);
    serve_waiting();
    open_for(index);
}

static int make_file(void **state)
{
    (void)state;
    u64 file = opened(PATH, RW | FS_CREATE);
    fs_server_close(&caller, file);
    memset(&model, 0, sizeof(model));
    host_answer_count = 0;
    for (u32 i = 0; i < PROCESSES; i++)
        open_for(i);
    return 0;
}

static bool nobody(u32 pid, void *context)
{
    (void)pid, (void)context;
    return false;
}

static int remove_file(void **state)
{
    (void)state;
    handles_sweep(&open_files, nobody, NULL);
    remove_all(PATH);
    return openings_count() != 0 || records_any();
}

static void the_table_does_what_the_model_does(void **state)
{
    (void)state;
    for (u32 i = 0; i < STEPS; i++) {
        u32 what = any(200);
        if (what == 0)
            end_somewhere();
        else if (what < 4)
            close_somewhere();
        else if (what < 60)
            find_somewhere();
        else
            set_somewhere();
    }
}

// ---- single cases -------------------------------------------------------------------------------

static s64 lock(u32 index, u32 kind, u64 start, u64 last, u64 call)
{
    struct ipc_caller by = process(index, call);
    return fs_server_lock(&by, files[index], kind, start, last, call != 0 ? FS_LOCK_WAIT : 0);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    u64 reader, ends[2];
    struct ipc_caller by = process(0, 0);
    struct fs_record found;
    assert_int_equal(lock(0, 3, 0, 1, 0), E_INVAL);
    assert_int_equal(lock(0, FS_LOCK_READ, 2, 1, 0), E_INVAL);
    assert_int_equal(fs_server_lock(&by, files[0], FS_LOCK_READ, 0, 1, 2), E_INVAL);
    assert_int_equal(fs_server_lock(&by, files[1], FS_LOCK_READ, 0, 1, 0), E_STALE);
    assert_int_equal(fs_server_lock_test(&by, files[1], FS_LOCK_READ, 0, 1, &found), E_STALE);
    assert_int_equal(open_as(PATH, FS_READ, by.pid, &reader), 0);
    assert_int_equal(fs_server_lock(&by, reader, FS_LOCK_READ, 0, 1, 0), 0);
    assert_int_equal(fs_server_lock(&by, reader, FS_LOCK_WRITE, 0, 1, 0), E_PERM);
    assert_int_equal(fs_server_pipe(&by, &ends[0], &ends[1]), 0);
    assert_int_equal(fs_server_lock(&by, ends[0], FS_LOCK_READ, 0, 1, 0), E_NOTSUP);
}

// One process cannot have more than its part; others have theirs, and ends give all back.
static void nobody_fills_the_table(void **state)
{
    (void)state;
    u64 i = 0, call = 0;
    while (lock(0, FS_LOCK_WRITE, 2 * i, 2 * i, 0) == 0)
        i++;
    assert_int_equal(i, RECORDS_OF_PROCESS_MAX);
    assert_int_equal(lock(0, FS_LOCK_READ, 0, 0, 0), 0); // in place of one
    assert_int_equal(lock(0, FS_LOCK_READ, 1, 1, 0), 0); // becomes one with it
    assert_int_equal(lock(1, FS_LOCK_WRITE, 2 * i, UINT64_MAX, 0), 0);
    while (lock(1, FS_LOCK_WRITE, 0, 0, ++call) == IPC_LATER)
        ;
    assert_int_equal(call, RECORDS_WAITS_MAX + 1);
    assert_int_equal(lock(2, FS_LOCK_WRITE, 0, 0, ++call), IPC_LATER);
    assert_int_equal(lock(0, FS_LOCK_WRITE, 2 * i + 7, 2 * i + 7, ++call), E_BUSY);
    assert_int_equal(lock(0, FS_LOCK_NONE, 0, UINT64_MAX, 0), 0);
    assert_int_equal(host_answer_count,
                     RECORDS_WAITS_MAX); // the third process waits for the second
}

// Processes without a right leave a part of the table to those that have one.
static void a_part_is_for_those_with_a_right(void **state)
{
    (void)state;
    u64 all = 0, own, file;
    for (u32 pid = FIRST_PID + PROCESSES; all < RECORDS_MAX; pid++) {
        struct ipc_caller by = {.pid = pid};
        assert_int_equal(open_as(PATH, RW, pid, &file), 0);
        for (own = 0; fs_server_lock(&by, file, FS_LOCK_READ, 2 * own, 2 * own, 0) == 0; own++)
            ;
        all += own;
        if (own < RECORDS_OF_PROCESS_MAX)
            break;
    }
    assert_int_equal(all, RECORDS_MAX - RECORDS_MAX / RECORDS_RESERVED);
    file = opened(PATH, RW);
    assert_int_equal(fs_server_lock(&caller, file, FS_LOCK_READ, 0, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_table_does_what_the_model_does, make_file, remove_file),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_is_refused, make_file, remove_file),
        cmocka_unit_test_setup_teardown(nobody_fills_the_table, make_file, remove_file),
        cmocka_unit_test_setup_teardown(a_part_is_for_those_with_a_right, make_file, remove_file),
    };
    return cmocka_run_group_tests_name("fs_locks", tests, server_start, NULL);
}
