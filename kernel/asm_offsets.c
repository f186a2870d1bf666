// SPDX-License-Identifier: MIT
// Where assembly finds the fields of structures. This is compiled, never linked: what its assembly
// says behind "->" becomes a line of gen/kernel/asm_offsets.h (scripts/make/generated.mk).
#include <kernel/percpu.h>
#include <kernel/pmu_cpu.h>
#include <kernel/points.h>
#include <kernel/spinlock.h>

#include "ipc/call_record.h"
#include "ipc/endpoint.h"
#include "observe/log/points.h"
#include "observe/monitors/ring.h"
#include "observe/monitors/sensor.h"
#include "observe/monitors/tracks.h"
#include "proc/dispatcher.h"
#include "proc/run_queue.h"
#include "proc/thread.h"

#define SAY(name, value) __asm__ volatile("->" #name " %0" : : "i"(value))
#define OFFSET(name, type, field) SAY(name, offsetof(type, field))

// Asserts that two doublewords are a pair, which ipc/fast_path.S or observe/monitors/fire.S takes
// in one piece.
#define PAIR(type, first, second)                                                                  \
    _Static_assert(offsetof(type, first) % 16 == 0 &&                                              \
                       offsetof(type, second) == offsetof(type, first) + sizeof(u64),              \
                   "lq, stq")

PAIR(struct endpoint, cpus[0].server, cpus[0].coid);
PAIR(struct call_record, server, endpoint);
PAIR(struct call_record, word, client);
_Static_assert(CALL_CHUNK == 32 && CALL_MAX == 32768, "fast_reply.S");
PAIR(struct dispatcher, kernel_stack, process_coid);
PAIR(struct percpu, kernel_stack, process);
PAIR(struct dispatcher, tag, urgency);
_Static_assert(offsetof(struct dispatcher, pid) == offsetof(struct dispatcher, urgency) + 4,
               "fast_path.S: the low half of that");
PAIR(struct monitor_track, ring, kinds);
_Static_assert(offsetof(struct monitor_track, id) == offsetof(struct monitor_track, kinds) + 4,
               "fire.S: the low half of that");
PAIR(struct monitor_ring, next, written);
PAIR(struct monitor_ring, stop, position);
PAIR(struct sys_monitor_record, time, id);
PAIR(struct sys_monitor_record, word[0], word[1]);
_Static_assert(offsetof(struct sys_monitor_record, kind) ==
                       offsetof(struct sys_monitor_record, id) + 4 &&
                   offsetof(struct sys_monitor_record, reason) ==
                       offsetof(struct sys_monitor_record, kind) + 1,
               "fire.S: the order in a word");

void asm_offsets(void);

void asm_offsets(void)
{
    // From r13.
    OFFSET(PERCPU_SOFT_MASKED, struct percpu, soft_masked);
    OFFSET(PERCPU_SOFT_WORK, struct percpu, work);
    OFFSET(PERCPU_INNERMOST_LOCK, struct percpu, innermost_lock);
    OFFSET(PERCPU_PMI_STACK, struct percpu, pmi_stack);
    OFFSET(PERCPU_EMERGENCY_STACK, struct percpu, emergency_stack);
    OFFSET(PERCPU_RSEQ_BASE, struct percpu, rseq_base);
    OFFSET(PERCPU_RSEQ_SIZE, struct percpu, rseq_size);
    OFFSET(PERCPU_SCRATCH, struct percpu, scratch);
    OFFSET(PERCPU_CURRENT, struct percpu, current);
    OFFSET(PERCPU_BOOT_STACK, struct percpu, boot_stack);
    OFFSET(PERCPU_MMU_MSR, struct percpu, mmu_msr);
    OFFSET(PERCPU_KERNEL_STACK, struct percpu, kernel_stack);
    OFFSET(PERCPU_PROCESS, struct percpu, process);
    OFFSET(PERCPU_TOC, struct percpu, toc);
    OFFSET(PERCPU_SYSCALLS, struct percpu, syscalls);
    OFFSET(PERCPU_DISPATCHER, struct percpu, dispatcher);
    OFFSET(PERCPU_PID, struct percpu, pid);
    OFFSET(PERCPU_RUN_QUEUE, struct percpu, run_queue);
    OFFSET(PERCPU_USER_WINDOW, struct percpu, user_window);
    OFFSET(PERCPU_LOG_HEAD, struct percpu, log_head);
    OFFSET(PERCPU_CALL_CHUNKS, struct percpu, call_chunks);
    OFFSET(PERCPU_ENDPOINT_CPU, struct percpu, endpoint_cpu);
    SAY(PMU_CPU_MAP, R13_PMU + offsetof(struct pmu_cpu, map));
    SAY(PMU_CPU_TAG, R13_PMU + offsetof(struct pmu_cpu, tag));

    OFFSET(DISPATCHER_STATE, struct dispatcher, state);
    OFFSET(DISPATCHER_OWN_STATE, struct dispatcher, waiting); // and asleep: two bytes
    OFFSET(DISPATCHER_HANDED, struct dispatcher, handed);
    SAY(DISPATCHER_HANDED_SHIFT, 8 * (7 - offsetof(struct dispatcher, handed)));
    OFFSET(DISPATCHER_ASLEEP_BYTE, struct dispatcher, asleep);
    OFFSET(DISPATCHER_KERNEL_STACK, struct dispatcher, kernel_stack);
    OFFSET(DISPATCHER_COID, struct dispatcher, process_coid);
    OFFSET(DISPATCHER_TAG, struct dispatcher, tag);
    OFFSET(DISPATCHER_URGENCY, struct dispatcher, urgency);
    OFFSET(DISPATCHER_PROCESS_PID, struct dispatcher, pid);
    OFFSET(DISPATCHER_CALL_TYPE, struct dispatcher, call_type);
    OFFSET(DISPATCHER_THREAD, struct dispatcher, thread);
    OFFSET(DISPATCHER_CAPABILITIES, struct dispatcher, capabilities);
    OFFSET(DISPATCHER_OWN_CALL, struct dispatcher, ipc.own);
    OFFSET(DISPATCHER_HANDED_CALL, struct dispatcher, ipc.handed);
    OFFSET(DISPATCHER_HANDED_OTHER, struct dispatcher, ipc.handed_other);
    OFFSET(DISPATCHER_ALONE, struct dispatcher, ipc.alone);
    OFFSET(DISPATCHER_NO_CALL, struct dispatcher, ipc.none);
    OFFSET(DISPATCHER_MESSAGE, struct dispatcher, message);
    OFFSET(DISPATCHER_PAGE, struct dispatcher, page);
    OFFSET(DISPATCHER_DOMAIN, struct dispatcher, domain);
    OFFSET(DISPATCHER_DESCRIPTOR, struct dispatcher, descriptor);
    OFFSET(DISPATCHER_UNTRACED, struct dispatcher, untraced);

    OFFSET(SPINLOCK_RANK, struct spinlock, rank);
    OFFSET(SPINLOCK_MASKED, struct spinlock, masked);
    OFFSET(SPINLOCK_OUTER, struct spinlock, outer);

    OFFSET(THREAD_ID, struct thread, id);
    OFFSET(THREAD_STATE, struct thread, state);
    OFFSET(THREAD_PRIORITY, struct thread, priority);
    OFFSET(THREAD_TRACKS, struct thread, tracks);
    OFFSET(THREAD_WAKE_TOKEN, struct thread, wake_token);
    OFFSET(THREAD_FAVOURED, struct thread, favoured);
    OFFSET(THREAD_NEXT, struct thread, next);
    OFFSET(THREAD_DISPATCHER, struct thread, dispatcher);
    OFFSET(THREAD_RUN_TICKS, struct thread, run_ticks);
    OFFSET(THREAD_SWITCHES, struct thread, switches);
    SAY(THREAD_READY, THREAD_READY);
    OFFSET(RUN_QUEUE_LOCK, struct run_queue, lock.word);
    OFFSET(RUN_QUEUE_LENGTH, struct run_queue, length);
    OFFSET(RUN_QUEUE_FIRST, struct run_queue, first);
    OFFSET(RUN_QUEUE_LAST, struct run_queue, last);
    OFFSET(RUN_QUEUE_SWITCHED_AT, struct run_queue, switched_at);
    OFFSET(RUN_QUEUE_OCCUPIED, struct run_queue, occupied);
    OFFSET(RUN_QUEUE_PRIORITY, struct run_queue, running_priority);

    OFFSET(CALL_WORD, struct call_record, word);
    OFFSET(CALL_CLIENT, struct call_record, client);
    OFFSET(CALL_SERVER, struct call_record, server);
    OFFSET(CALL_TOKEN, struct call_record, token);
    SAY(CALL_RECORD_BYTES, sizeof(struct call_record));
    SAY(CALL_MAX, CALL_MAX);
    SAY(CALL_ALONE, CALL_ALONE);
    // From the endpoint + PERCPU_ENDPOINT_CPU.
    OFFSET(ENDPOINT_CPU_SERVER, struct endpoint, cpus[0].server);
    OFFSET(ENDPOINT_CPU_COID, struct endpoint, cpus[0].coid);
    OFFSET(ENDPOINT_CPU_BADGE, struct endpoint, cpus[0].badge);

#define SAY_EVENT(name, parameters, arguments) SAY(EVENT_##name, EVENT_##name);
    EVENTS(SAY_EVENT)
    SAY(EVENT_NUMBERS, EVENT_NUMBERS);

    SAY(LOG_WANTS_SERVICE, LOG_BIT(LOG_OF_SERVICE));
    SAY(LOG_CALLS, LOG_CALLS);
    SAY(LOG_ANSWERS, LOG_ANSWERS);
    OFFSET(LOG_THRESHOLDS, struct log_descriptor, thresholds);
    SAY(LOG_DESCRIPTOR_SHIFT, __builtin_ctzl(sizeof(struct log_descriptor)));
    SAY(LOG_CALL_SENT, LOG_CALL_SENT);
    SAY(LOG_CALL_TAKEN, LOG_CALL_TAKEN);
    SAY(LOG_ANSWER_SENT, LOG_ANSWER_SENT);
    SAY(LOG_ANSWER_TAKEN, LOG_ANSWER_TAKEN);

    OFFSET(TRACKS_FIRES, struct monitor_tracks, fires);
    OFFSET(TRACKS_FIRST, struct monitor_tracks, first);
    OFFSET(TRACK_RING, struct monitor_track, ring);
    SAY(TRACK_SIZE, sizeof(struct monitor_track));
    OFFSET(RING_NEXT, struct monitor_ring, next);
    OFFSET(RING_STOP, struct monitor_ring, stop);
    OFFSET(RING_RUNNING, struct monitor_ring, running);
    OFFSET(RING_PENDING, struct monitor_ring, pending);
    OFFSET(POSITION_WRITTEN, struct sys_monitor_position, written);
    OFFSET(RECORD_TIME, struct sys_monitor_record, time);
    OFFSET(RECORD_WORDS, struct sys_monitor_record, word);
    SAY(RECORD_SIZE, sizeof(struct sys_monitor_record));
    SAY(MONITORS_SWITCHES, MONITORS_SWITCHES);
    SAY(MONITOR_SWITCH, SYS_MONITOR_SWITCH);
    SAY(MONITOR_LEAVES, SYS_MONITOR_LEAVES);
    SAY(MONITOR_COMES, SYS_MONITOR_COMES);
    SAY(MONITOR_FAST_PATH, SYS_MONITOR_FAST_PATH);
}
