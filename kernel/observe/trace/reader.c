// SPDX-License-Identifier: MIT
// One process at a time may reserve the trace's packets, so that two readers do not each get a
// part. The kernel's own threads need no reservation. A reader that is killed leaves the machine as
// it found it: nobody else knows what that was.
#include "reader.h"

#include <kernel/process.h>
#include <kernel/wait.h>
#include <orrery/errors.h>
#include <trace/control.h>
#include <trace/trace.h>

#include "left_out.h"
#include "manager.h"
#include "processes.h"

static struct mutex mutex = MUTEX_INIT("reader of the trace", MUTEX_SERVICE);
static u32 reader; // its pid; 0: nobody
static struct {
    u64 mask, process_mask;
    enum sys_trace_mode mode;
} before; // the reader

static u32 caller(void)
{
    struct process *process = process_current();
    return process != NULL ? process_pid(process) : 0;
}

s64 trace_reader_check(void)
{
    u32 pid = caller(), has = __atomic_load_n(&reader, __ATOMIC_ACQUIRE);
    return pid == 0 || has == 0 || has == pid ? 0 : E_BUSY;
}

bool trace_reader_is_caller(void)
{
    u32 pid = caller();
    return pid != 0 && __atomic_load_n(&reader, __ATOMIC_ACQUIRE) == pid;
}

static void note_before(void)
{
    struct sys_trace_stat stat;
    before.mask = trace_mask();
    before.process_mask = trace_process_mask();
    before.mode = trace_stat(0, &stat) == 0 ? stat.mode : SYS_TRACE_OVERWRITE;
}

// Replaces the reader by another, if it is `from`. Returns whether it was.
static bool change(u32 from, u32 to)
{
    mutex_lock(&mutex);
    bool is = reader == from;
    if (is && to != 0)
        note_before();
    if (is)
        __atomic_store_n(&reader, to, __ATOMIC_RELEASE);
    mutex_unlock(&mutex);
    return is;
}

s64 trace_reader_take(bool on)
{
    u32 pid = caller();
    if (on)
        return change(0, pid) ? 0 : trace_reader_check();
    if (trace_reader_is_caller())
        trace_left_out_clear();
    change(pid, 0);
    return 0;
}

// Keeps what the buffers hold: the next reader may go on where this one ended.
static void set_back(void)
{
    CO_CALL(struct trace_manager, trace_manager, set_mask, before.mask);
    trace_change_mode(before.mode);
    CO_CALL(struct trace_manager, trace_manager, set_process_mask, before.process_mask);
}

static void reader_ends(struct process *process)
{
    if (__atomic_load_n(&reader, __ATOMIC_ACQUIRE) != process_pid(process))
        return;
    trace_left_out_clear();
    set_back();
    change(process_pid(process), 0);
}
PROCESS_END_HOOK(reader_ends);
