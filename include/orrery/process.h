// SPDX-License-Identifier: MIT
// System calls on processes and dispatchers (S000 §2.4; docs/processes.md). In the kernel these are
// the functions behind the calls, in a process the stubs; kernel/syscalls/syscalls.def binds both.
// Results: 0 or a count or a handle, or a negative error (orrery/errors.h).
#ifndef ORRERY_PROCESS_H
#define ORRERY_PROCESS_H

#include <orrery/types.h>

// Index into the calling process's capability table; 0 is none.
typedef u32 cap_t;

// Well-known slots, filled by the creator of the process.
#define CAP_NAMES 1  // endpoint of init's name service
#define CAP_PARENT 2 // endpoint of the creator, or 0
#define CAP_FIRST_FREE 16

// Rights of a process. It can grant no more than it has. A call without its right returns E_PERM.
#define RIGHT_MONITOR 0x01 // scan, sampling, trace and DREF control of all, workloads
#define RIGHT_NET 0x02     // the network device
#define RIGHT_BLOCK 0x04   // the block device
#define RIGHT_CONSOLE 0x08 // the console
#define RIGHT_POWER 0x10   // power off
#define RIGHT_PROCESS 0x20 // kill any process but the first
#define RIGHT_INITRD 0x40  // the initial file system
#define RIGHT_SERVER 0x80  // PRIORITY_SERVER
#define RIGHT_SWAP 0x100   // other implementations for live objects of the kernel
#define RIGHT_PLACE 0x200  // CPUs, priority and slice of any process (orrery/place.h)
#define RIGHT_ALL 0x3ff

#define PROCESS_NAME_MAX 32
// Members of a family that have not ended: a process without rights that one with rights has
// started, and all without rights that descend from it.
#define PROCESS_FAMILY_MAX 64

struct sys_process_new {
    char name[PROCESS_NAME_MAX];
    u32 rights;       // RIGHT_*
    u32 priority;     // enum process_priority
    u64 memory_limit; // bytes of memory it may use, 0: no limit of its own
};
enum process_priority { PROCESS_LOW = 1, PROCESS_NORMAL = 2, PROCESS_HIGH = 3, PROCESS_SERVER = 4 };

// Creates an empty process. Returns a capability for it. The caller gets EVENT_CHILD when it ends.
// The process has at most the caller's rights (E_PERM) and memory limit. Without RIGHT_SERVER its
// priority is at most PROCESS_NORMAL or the caller's, whichever is higher (E_INVAL). E_LIMIT: the
// caller's family has PROCESS_FAMILY_MAX members.
s64 sys_process_create(const struct sys_process_new *process);
s64 sys_process_pid(cap_t process); // 0: the caller's own
// Copies bytes (<= 64 KB) into the memory of a process that has not started.
s64 sys_process_write(cap_t process, u64 address, const void *from, u64 bytes);
// Copies one of the caller's capabilities into a slot (1 … CAP_FIRST_FREE - 1) of a process that
// has not started.
s64 sys_process_grant(cap_t process, u32 slot, cap_t cap);
struct sys_process_start {
    u64 pc, toc, sp; // entry, r2, r1
    u64 argument;    // r3
    u32 cpu;         // of its first dispatcher, which begins disabled
    u32 reserved;
};
s64 sys_process_start(cap_t process, const struct sys_process_start *start);
// Ends a process, also one that has not started. For its creator, or with RIGHT_PROCESS. The parent
// gets the status.
s64 sys_process_kill(u32 pid, s32 status);
void sys_exit(s32 status) __attribute__((noreturn));
#define STATUS_KILLED(vector) ((s32)(0x10000 | (vector))) // ended by an exception

struct sys_process_info {
    u32 pid, parent;
    u32 state; // enum process_state
    u32 rights;
    u32 priority;
    u32 dispatchers;   // mask of CPUs
    coid_t object;     // its Process object in the kernel
    u64 start_time;    // time base
    u64 cpu_ticks;     // time base, all dispatchers
    u64 memory_pages;  // resident, its own
    u64 faults;        // page faults
    u64 calls, events; // IPC calls made, events delivered
    char name[PROCESS_NAME_MAX];
};
enum process_state { PROCESS_NEW, PROCESS_LIVE, PROCESS_ENDING };
// Lists all processes, as whole records. *cursor is 0 to start. Returns bytes written, 0 at the
// end.
s64 sys_process_list(u64 *cursor, void *buffer, u64 bytes);
s64 sys_process_info(u32 pid, struct sys_process_info *process); // 0: the caller. E_NOENT
// Returns the rights (RIGHT_…) of a process, 0: the caller. E_NOENT: no such process; E_PEER: it is
// ending.
s64 sys_process_rights(u32 pid);

// Requests one EVENT_KICK with these bits (0: none) for the calling dispatcher after the next end
// of any process. sys_process_list then no longer shows that process. Replaces the process's
// earlier request. So a program asks, looks at the list, waits, and repeats. E_LIMIT: too many
// processes ask.
s64 sys_process_await_end(u64 bits);

// A program's facts for the kernel. Its start-up code registers them once, before its first upcall.
struct sys_process_image {
    u64 upcall_entry; // code address
    u64 upcall_toc;
    u64 rseq_start, rseq32_start, rseq_end; // restartable sequences, as in the kernel's image
    u64 text_start, text_end;               // the range of unwind_map
    u64 unwind_map;                         // one byte an instruction (kernel/unwind.h), 0: none
    u64 threads; // where its struct thread_layout is (orrery/thread_layout.h), 0: none
};
s64 sys_process_register(const struct sys_process_image *image);

// ---- dispatchers -------------------------------------------------------------------------------

// Adds a dispatcher on cpu. It begins with EVENT_START on upcall_stack, disabled. E_EXIST.
s64 sys_dispatcher_create(u32 cpu, u64 upcall_stack);
// Sends EVENT_KICK with these bits (not 0) to the caller's process's dispatcher on cpu.
s64 sys_dispatcher_kick(u32 cpu, u64 bits);
// Requests EVENT_TIMER when the time base reaches deadline, in place of an earlier request.
// UINT64_MAX: none.
s64 sys_timer(u64 deadline);

// Calls that take or return an event, or do not return, have stubs of their own (assembly):
//   SYS_WAIT              next event; the dispatcher sleeps until there is one
//   SYS_POLL              next event, or EVENT_NONE
//   SYS_RESUME  r3 state  goes on with a struct user_state, enabled
//   SYS_CALL, SYS_REPLY, SYS_REPLY_WAIT, SYS_SEND: orrery/ipc.h
// All but SYS_SEND, SYS_REPLY: only while disabled (else E_INVAL in r3).

// ---- monitoring (orrery/inspect.h) --------------------------------------------------------------

// A question to the library of a process; the asker does not wait. The results of the calls come
// from the kernel. What the process says is in struct sys_inspect_answer only, and may be anything.
#define INSPECT_PATIENCE_US 1000000 // longest wait for an answer
struct sys_inspect_question {
    u32 pid;
    u32 operation; // INSPECT_*
    u64 arguments[4];
    u64 patience_us; // time for the answer; 0 or more than INSPECT_PATIENCE_US: INSPECT_PATIENCE_US
    u64 kick;        // bits of an EVENT_KICK for the calling dispatcher at the answer; 0: none
};
// Asks. Returns the number (> 0) of the question. RIGHT_MONITOR. E_NOENT: no such process. E_PEER:
// it is ending. E_NOTSUP: it has no library. E_BUSY: somebody else's question to it is open.
// E_TIMEOUT: it has not even taken the last one. E_NOMEM: no memory for its buffer.
s64 sys_inspect_ask(const struct sys_inspect_question *question);
// Returns 0 if a question of the caller's process is over, E_AGAIN if not yet, or E_NOENT if no
// such question is open.
s64 sys_inspect_poll(u32 pid, u64 question);
struct sys_inspect_answer {
    s64 status;     // as in orrery/inspect.h: bytes in its buffer, or an error
    u64 results[2]; // described in orrery/inspect.h
    u64 time;       // time base: when it answered
};
// Closes a question of the caller's process and copies at most status bytes from the buffer.
// Returns how many. E_AGAIN: not answered yet, the question stays open. E_TIMEOUT: no answer in
// time. E_PEER: the process has ended. E_NOENT: no such question is open, or another asker has
// replaced it because nobody looked for a second after its time. E_PROTO: the answer is an
// impossible trace packet.
s64 sys_inspect_answer(u32 pid, u64 question, struct sys_inspect_answer *answer, void *buffer,
                       u64 bytes);

// Both in one, for programs that ask little: asks, and the calling dispatcher waits for the answer.
// Returns the library's answer or the result of sys_inspect_ask or sys_inspect_answer; the caller
// cannot tell which.
struct sys_inspect_request {
    u32 pid;
    u32 operation; // INSPECT_*
    u64 arguments[4];
    u64 results[2];
};
s64 sys_process_inspect(struct sys_inspect_request *request, void *buffer, u64 bytes);
// Gives the library's answer to EVENT_INSPECT: result (bytes in the inspection buffer, or an
// error). E_NOENT: nobody waits for it any more.
s64 sys_inspect_done(u64 request_id, s64 result, u64 result0, u64 result1);

#endif
