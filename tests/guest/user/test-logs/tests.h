// SPDX-License-Identifier: MIT
// The parts of the test, and what they share.
#ifndef TEST_LOGS_TESTS_H
#define TEST_LOGS_TESTS_H

#include <children.h>
#include <orrery/log.h>
#include <user/process.h>

#define COUNT_REGISTER(event, domain) (0x4100 + ((event)*LOG_DOMAINS + (domain)) * 8)
// Two files of 1,024 rows, behind those that count.
#define ROWS_REGISTER(which) (0x7200 + (which)*8)
#define ROWS_FILE(which) (0xe000u + (which)*0x1000)
#define COUNT_ROW(event, domain) (0x8000 + ((event)*LOG_DOMAINS + (domain)) * 16)

void refusals(void);
void counts(void);
void passing(void);
void same(void);
void same_step(void); // at each call of a child in this role
void services(void);
void monitored(void);
void monitor_child(u32 pid);
void pages(void);
void reading(void);
void example(void);
void hardware(void); // with a unit that counts
void hardware_without_unit(void);
void speed(void);
void storm(void);
void owners(void);
// Roles of children. Their exit statuses.
int refused_without_right(void);
int refused_beside_owner(void);
int refused_without_memory(void);
int call_master(u64 calls);
int call_same(u64 calls);
int send_to_master(u64 messages);
int work_and_sleep(u64 turns);
int fill_and_sleep(u64 pages);
int churn(u64 pages); // until it is killed
int own_logs(void);
int measure_calls(void);

// All processes that there are, the master and the kernel's threads go to these domains.
void map_everything(u32 master, u32 others, u32 kernel);

// ---- areas (areas.c) ----------------------------------------------------------------------------

// Memory for an area, mapped at *address: the capability, or an error.
s64 area_memory(u64 bytes, u8 **address);
void area_forget(cap_t memory, u8 *address);
// An area for a CPU's logs: its number, or an error. The memory stays mapped, if address is not
// NULL.
s64 area_add(u32 cpu, u8 **address);
// A first area on each CPU. For each event and domain it has the sum of the counters; for
// LOG_MEMORY the last one.
bool lay_out_counts(u8 *areas[ORRERY_MAX_CPUS]);
void forget_counts(u8 *const areas[ORRERY_MAX_CPUS]);
u32 count_on(const u8 *area, u32 event, u32 domain);
u32 count_of(u8 *const areas[ORRERY_MAX_CPUS], u32 event, u32 domain); // of all CPUs
// Every n-th of an event of a domain is logged.
void set_threshold(u8 *const areas[ORRERY_MAX_CPUS], u32 event, u32 domain, s32 threshold);
// A file in which rows are counted, from none on: which events go there, and how many have.
void rows_begin(u8 *area, u32 which);
void rows_add(u8 *area, u32 which, u32 event, u32 domain);
u32 rows_of(const u8 *area, u32 which);
void enable_all(void); // all characteristics
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
    bool monitored; // by the monitor of monitored.c
    u64 *pages;     // out, if not NULL: of its memory before it runs
};
u32 child_start(const struct child *child);
u64 master_called(void);   // how often
u64 master_owned(void);    // the same by children that own the logs
u64 master_told(void);     // the second word of the last call that had one
u64 master_messages(void); // messages that it got

#endif
