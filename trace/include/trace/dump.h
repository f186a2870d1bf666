// SPDX-License-Identifier: MIT
// Shows kov (viewer/trace/dump.c) the trace buffers in a memory dump, and where the kernel
// keeps what memory_waits.c reads. kov recognises the descriptor by its magic and its own physical
// address.
#ifndef TRACE_DUMP_H
#define TRACE_DUMP_H

#include <trace/cpu.h>

#define TRACE_DESCRIPTOR_MAGIC "ORRERY-TRACE-2\0" // 16 bytes with the last NUL

// Where things lie in the kernel's memory. Addresses are the linear map's, offsets in bytes.
struct trace_dump_places {
    u64 processes, process_count;            // an array of pointers; NULL: none
    u64 process_pid, process_name;           // u32; a text of at most PROCESS_NAME_MAX
    u64 process_threads, process_space;      // struct thread_layout's address
    u64 space_hat, hat_tables;               // its first page table
    u64 calls[ORRERY_MAX_CPUS], call_chunks; // arrays of pointers to chunks of records
    u64 chunk_records, record_bytes;         //
    u64 record_word, record_token;           // u64
    u64 record_client, record_server;        // pointers to dispatchers
    u64 dispatcher_pid, dispatcher_thread;   // u32
    u64 state_mask, state_pending;           // of a record's word
};

// All addresses but that in linear_base are physical.
struct trace_descriptor {
    char magic[16];
    u64 self; // physical address of this struct
    u32 cpu_count;
    u32 subbuffer_size;
    // the linear map's address of physical 0, for the pointers in struct trace_cpu
    u64 linear_base;
    u64 preamble, events;      // metadata text, two NUL-terminated strings
    u64 cpus[ORRERY_MAX_CPUS]; // struct trace_cpu (trace/cpu.h); 0: has no buffers
    u64 places;                // struct trace_dump_places; 0: the host has none
};

_Static_assert(sizeof(struct trace_descriptor) == 128, "known to readers of dumps");

// Adds a CPU with buffers to the descriptor. Not concurrently.
void trace_dump_add(u32 number, const struct trace_cpu *cpu);
// Adds where the kernel keeps things, after the first CPU.
void trace_dump_set_places(const struct trace_dump_places *places);

#endif
