// SPDX-License-Identifier: MIT
// Reads log files (orrery/log.h) while the kernel, or a program, writes them, after S004 §3.7.3 and
// figure 4.10. A reading takes no lock and makes no system call. Only one that was disturbed does:
// its second and last pass stops the writer of this file for as long as the copy takes. Link with
// `log` (userlib/log). Any thread; one at a time for each file.
#ifndef USER_LOG_H
#define USER_LOG_H

#include <orrery/log.h>

// The name under which the owner of the logs serves ipc/log.idl.
#define LOG_SERVICE "log"

struct log_reader {
    u8 *area; // as it is mapped
    u32 cpu;  // LOG_OF_PROGRAM: a program writes there, and not the kernel
    struct log_register *place;
    u32 base, bytes, row_bytes, control;
    u32 next;       // offset of the row that comes behind the last one that was read
    u32 last_stamp; // of that last one; at first: of the time since when
    bool known;     // there is such a last one
    u32 passes;     // of the last reading: 1, 2
    u64 lost;       // readings in which all rows of the file were new: older ones may be gone
};

// Is one stamp later than another? They wrap.
static inline bool log_stamp_is_later(u32 stamp, u32 other)
{
    return (s32)(stamp - other) > 0;
}

// Makes an area of LOG_AREA_BYTES and gives it to the logs of a CPU, which the caller owns from
// then on (sys_log_area). *area: where it is mapped. On an error nothing is left of it.
// RIGHT_MONITOR.
s64 log_area_map(u32 cpu, u8 **area);
// Lays out an empty file at offset base of an area, and its register at place; both as orrery/log.h
// has it. since: a time stamp that is not later than any that will be written. E_INVAL: the file or
// the register do not fit, or a row is not of 1, 2, 4 or 8 entries.
s64 log_file_lay_out(u8 *area, u32 place, u32 base, u32 control, u32 since);
// Begins to read a file that has been laid out so, of an area of this CPU: the rows later than the
// time stamp since, or all if they have none. A stamp can be told from the 2^31 units around it
// only (hardware: 4 minutes), so since must not be older. E_INVAL: there is no such file, or its
// rows count (LOG_COUNTER_ADD) and have no stamp.
s64 log_reader_begin(struct log_reader *reader, u8 *area, u32 cpu, u32 place, u32 since);
// Does as log_reader_begin for a file that a program writes (docs/logs.md, "In programs"), as it
// was laid out.
// Nothing that stands in the area is believed, now or later, so it cannot cost the reader memory or
// time. What rows say is the program's affair. E_INVAL also: the file has less than three rows, of
// which two may be in the making.
s64 log_reader_begin_program(struct log_reader *reader, u8 *area, u32 place, u32 base, u32 control,
                             u32 since);
#define LOG_OF_PROGRAM UINT32_MAX
// Copies the rows that have come since the last reading, the oldest first, each once. rows has room
// for the whole file. Returns how many, or an error of sys_log_quiesce (never for a program's
// file). What happens during a second pass is not logged. A file without stamps is always stopped,
// and the first entry of each row that was read becomes LOG_READ: an entry that must never have
// this value by itself. Stamps in units of 10 ms do not tell when the kernel has gone round within
// one unit.
s64 log_read(struct log_reader *reader, u32 *rows);
#define LOG_READ 0xffffffffu

#endif
