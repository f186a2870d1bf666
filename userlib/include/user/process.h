// SPDX-License-Identifier: MIT
// Programs as processes: what one finds at its start, starting others, waiting for them. Any
// thread, not inside of user_disable.
#ifndef USER_PROCESS_H
#define USER_PROCESS_H

#include <orrery/errors.h>
#include <orrery/process.h>

// ---- what a program starts with -----------------------------------------------------------------

// The argument block that _start is given, in the new process's memory, made by process_spawn. All
// addresses are the new process's. Absent (NULL) when the kernel started it.
#define PROCESS_ARGUMENTS_MAGIC 0x4f52524152475631 // "ORRARGV1"
struct process_arguments {
    u64 magic;
    u64 bytes; // of the block with all it refers to
    u32 argc, envc;
    u64 argv, envp; // arrays of addresses of texts, each with a 0 behind
    u64 inherit;    // what the spawner's inherit was, for posix/inherit.c; 0: nothing
    u64 inherit_bytes;
    u64 stack, stack_bytes; // region of the first stack
    u32 rights, reserved;   // RIGHT_*
};
const struct process_arguments *process_arguments(void); // NULL when the kernel started it
u32 process_rights(void);                                // RIGHT_* that it was given
bool process_has_right(u32 pid, u32 rights); // one of them; false for one that has ended

// ---- starting others ----------------------------------------------------------------------------

struct process_grant {
    u32 slot; // in the new process, 1 … CAP_FIRST_FREE - 1
    cap_t cap;
};
#define PROCESS_GRANTS_MAX 15

struct process_spawn {
    // The program, an ELF file: exactly one of
    const char *path; // looked up as process_set_open says
    const void *image;
    cap_t
        memory; // a memory object or file, from memory_offset (page-aligned) on; mapped, not copied
    u64 memory_offset;
    u64 bytes; // of image or memory

    const char *name;        // NULL: the last part of argv[0] or path
    const char *const *argv; // NULL-terminated; NULL: { name }
    const char *const *envp; // NULL-terminated; NULL: environ
    const struct process_grant *grants;
    u32 grant_count;
    u32 rights;                           // at most the caller's own; PROCESS_SAME_RIGHTS
    u32 cpu;                              // of its first dispatcher; PROCESS_HERE
    u32 priority;                         // enum process_priority, 0: PROCESS_NORMAL
    u64 memory_limit;                     // 0: none of its own
    u64 stack_bytes;                      // 0: what the program says, or PROCESS_STACK_DEFAULT
    const void *inherit;                  // copied into the new process (struct process_arguments)
    u64 inherit_bytes;                    // at most 64 KB with argv and envp
    void (*made)(u32 pid, void *context); // called before it starts; NULL: not
    void *made_context;
};
#define PROCESS_SAME_RIGHTS UINT32_MAX
#define PROCESS_HERE UINT32_MAX
// Of the first stack: pages are there when they are touched. A program says what it needs by STACK
// in its user.mk.
#define PROCESS_STACK_DEFAULT 0x100000
#define PROCESS_STACK_MIN 0x4000
#define PROCESS_STACK_MAX 0x4000000
#define PROCESS_SPAWN                                                                              \
    {                                                                                              \
        .cpu = PROCESS_HERE                                                                        \
    }

// Starts a program in a new process. Passes on the caller's CAP_NAMES unless grants say otherwise.
// Returns the new process's pid.
// E_NOENT: no such program; E_INVAL: not an ELF file for this machine; E_NOMEM; E_PERM;
// E_LIMIT: also a stack that is not of PROCESS_STACK_MIN … PROCESS_STACK_MAX bytes.
s64 process_spawn(const struct process_spawn *spawn);
// Does as process_spawn. *process: its capability, to be dropped by sys_cap_drop.
s64 process_spawn_cap(const struct process_spawn *spawn, cap_t *process);

// Waits until a child has ended. pid 0: any child. Returns its pid, with its status in *status.
// Each end is told once. E_NOENT: no such child; E_TIMEOUT.
s64 process_wait(u32 pid, s32 *status, u64 deadline);
// Tells children's ends to function from now on, in a thread of the library's, instead of
// process_wait. Returns 0 or E_NOMEM.
s64 process_on_child(void (*function)(u32 pid, s32 status));

// Finds a program by path, as a memory object with its contents. The library's own looks into the
// initial file system (with RIGHT_INITRD); the files part replaces it. Returns 0; *owned: drop the
// capability after use.
struct process_program {
    const void *image; // where this process has it mapped; NULL: it has not
    cap_t memory;
    bool owned;
    u64 offset; // page-aligned
    u64 bytes;
};
typedef s64 (*process_open)(const char *path, struct process_program *program);
void process_set_open(process_open open);

#endif
