// SPDX-License-Identifier: MIT
// The parts of the test, and what they share.
#ifndef TEST_LOGS_TESTS_H
#define TEST_LOGS_TESTS_H

#include <orrery/log.h>
#include <user/process.h>

#define COUNT_REGISTER(domain) (0x4100 + (domain)*8)
#define COUNT_ROW(domain) (0x5000 + (domain)*16)

void refusals(void);
void counts(void);
void storm(void);
void owners(void);
// Roles of children. Their exit statuses.
int refused_without_right(void);
int refused_beside_owner(void);
int refused_without_memory(void);
int call_master(u64 calls);
int own_logs(void);

// ---- areas (areas.c) ----------------------------------------------------------------------------

// Memory for an area, mapped at *address: the capability, or an error.
s64 area_memory(u64 bytes, u8 **address);
void area_forget(cap_t memory, u8 *address);
// An area for a CPU's logs: its number, or an error. The memory stays mapped, if address is not
// NULL.
s64 area_add(u32 cpu, u8 **address);
// A first area on each CPU, in which calls of each domain are counted.
bool lay_out_counts(u8 *areas[ORRERY_MAX_CPUS]);
u64 calls_of(u8 *const areas[ORRERY_MAX_CPUS], u32 domain);

// ---- children (main.c) --------------------------------------------------------------------------

#define CALLS_FOR_EVER UINT64_MAX
// This program in a role, on a CPU, in a domain from the beginning (0: in that of the master). Its
// calls go to the master, which answers. Its pid.
struct child {
    const char *role;
    u64 argument;
    u32 cpu, domain, rights;
    u64 memory_limit;
};
u32 child_start(const struct child *child);
s32 child_end(u32 pid);   // waits: its status
void child_kill(u32 pid); // and waits
u64 master_called(void);  // how often
u64 master_owned(void);   // the same by children that own the logs

#endif
