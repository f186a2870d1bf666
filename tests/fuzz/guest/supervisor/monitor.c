// SPDX-License-Identifier: MIT
// The process that watches all others, and what it and processes with RIGHT_MONITOR leave behind
// that is the whole machine's.
#include "supervisor.h"

#include <orrery/ipc.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>

#define MONITOR "bin/fuzz-monitor"
#define PATIENCE_US 5000000
#define PACKET_BYTES 65536
#define WORKLOAD_US 20000

static struct archived program;
static s64 monitor; // its pid, 0: none
static u64 kernel_mask;

static void spawn(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    cap_t process;

    how.rights = RIGHT_MONITOR;
    monitor = archive_start(&program, "fuzz-monitor", &how, &process);
    if (monitor > 0)
        sys_cap_drop(process);
    else
        monitor = 0;
}

bool is_monitor(u32 pid)
{
    return monitor != 0 && pid == (u32)monitor;
}

void monitor_start(void)
{
    kernel_mask = sys_trace_mask();
    if (options.monitored && archive_find(MONITOR, &program) == 0)
        spawn();
}

// Packets of processes that have ended, which the kernel keeps for a reader.
static void take_packets(void)
{
    static u8 packet[PACKET_BYTES];
    struct sys_trace_process process;
    u64 cursor = 0;

    while (sys_trace_process_list(&cursor, &process, sizeof(process)) > 0) {
        for (u32 cpu = 0; !process.live && cpu < ORRERY_MAX_CPUS; cpu++) {
            while (sys_trace_read_process(process.pid, cpu, true, packet, sizeof(packet)) > 0)
                ;
        }
    }
}

// The kernel keeps what an ended workload measured, objects too, until somebody stops it.
static void stop_workloads(void)
{
    struct sys_workload_run run;

    for (u32 i = 0; sys_workload_run_get(i, &run) == 0; i++) {
        sys_workload_stop(run.id);
        while (sys_workload_run_get(i, &run) == 0 && run.running)
            thread_sleep_us(WORKLOAD_US);
        sys_workload_stop(run.id);
    }
}

static void restore_machine(void)
{
    stop_workloads();
    sys_trace_set_mask(kernel_mask);
    sys_trace_set_process_mask(0);
    sys_dref_set_processes(false);
    take_packets();
}

void monitor_pause(bool paused)
{
    if (!paused) {
        if (program.bytes != 0)
            spawn();
        return;
    }
    if (monitor != 0) {
        sys_process_kill((u32)monitor, 0);
        process_wait((u32)monitor, NULL, time_after_us(PATIENCE_US));
        monitor = 0;
    }
    restore_machine();
}
