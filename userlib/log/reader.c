// SPDX-License-Identifier: MIT
// The reader of log files, as S004 figure 4.10, with three repairs. Rows are given once they have
// been checked, not before. A row that may be in the making is not looked at. The second pass stops
// the writer, so there is no third.
#include <user/log.h>

#include <orrery/errors.h>
#include <string.h>

// Before each access to what the writer accesses: tests make steps of them.
#ifndef LOG_STEP
#define LOG_STEP() ((void)0)
#endif

#define ENTRY ((u32)sizeof(u32))
// Rows behind the newest that may be in the making before the offset tells: the next one, and the
// one behind it, whose stores may overtake that of the offset.
#define UNSAFE_ROWS 2

static u32 load(const u32 *word)
{
    LOG_STEP();
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(u32 *word, u32 value)
{
    LOG_STEP();
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

// ---- layout -------------------------------------------------------------------------------------

static u32 row_bytes_of(u32 control)
{
    static const u32 fields[] = {LOG_WITH_EVENT, LOG_WITH_CURRENT, LOG_WITH_CORRESPONDENT,
                                 LOG_WITH_COUNTER | LOG_COUNTER_ADD, LOG_STAMP};
    u32 entries = LOG_PADDING_OF(control);

    for (u32 i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        entries += (control & fields[i]) != 0;
    return (control & LOG_ENTRIES) != 0 ? entries * ENTRY : 0;
}

// Returns the offset in a row of the stamp, or of what is marked.
static u32 sign_of(u32 control)
{
    u32 padding = LOG_PADDING_OF(control) * ENTRY;

    return (control & LOG_STAMP) ? row_bytes_of(control) - padding - ENTRY : 0;
}

static s64 check_file(u32 place, u32 base, u32 control)
{
    u32 n = control & LOG_SIZE(15), bytes = ENTRY << n, row = row_bytes_of(control);

    if (n < LOG_SIZE_MIN || n > LOG_SIZE_MAX || row == 0 || (row & (row - 1)) != 0 || row > bytes)
        return E_INVAL;
    if (place % sizeof(struct log_register) != 0 ||
        place > LOG_AREA_BYTES - sizeof(struct log_register) || base % bytes != 0 ||
        base > LOG_AREA_BYTES - bytes)
        return E_INVAL;
    return place + sizeof(struct log_register) > base && place < base + bytes ? E_INVAL : 0;
}

s64 log_file_lay_out(u8 *area, u32 place, u32 base, u32 control, u32 since)
{
    struct log_register *file = (struct log_register *)(area + place);
    s64 error = check_file(place, base, control);

    if (error != 0)
        return error;
    u32 sign = (control & LOG_STAMP) ? since : LOG_READ;
    for (u32 at = 0; at < ENTRY << (control & LOG_SIZE(15)); at += row_bytes_of(control))
        *(u32 *)(area + base + at + sign_of(control)) = sign;
    file->offset = base;
    __atomic_store_n(&file->control, control, __ATOMIC_RELEASE);
    return 0;
}

// Begins to read a file that is laid out so.
static s64 begin_file(struct log_reader *reader, const struct log_reader *file, u32 since)
{
    u32 place = (u32)((u8 *)file->place - file->area), control = file->control;
    s64 error = check_file(place, file->base, control);

    if (error != 0 || ((control & LOG_COUNTER_ADD) && !(control & LOG_STAMP)))
        return E_INVAL;
    *reader = *file;
    reader->bytes = ENTRY << (control & LOG_SIZE(15));
    reader->row_bytes = row_bytes_of(control);
    reader->last_stamp = since;
    return 0;
}

static struct log_register *register_at(u8 *area, u32 place)
{
    return (struct log_register *)(area + place);
}

s64 log_reader_begin(struct log_reader *reader, u8 *area, u32 cpu, u32 place, u32 since)
{
    struct log_reader file = {.area = area, .cpu = cpu, .place = register_at(area, place)};

    if (place % sizeof(struct log_register) != 0 ||
        place > LOG_AREA_BYTES - sizeof(struct log_register))
        return E_INVAL;
    file.control = __atomic_load_n(&file.place->control, __ATOMIC_RELAXED);
    u32 bytes = ENTRY << (file.control & LOG_SIZE(15));
    file.base = __atomic_load_n(&file.place->offset, __ATOMIC_RELAXED) & ~(bytes - 1);
    return begin_file(reader, &file, since);
}

s64 log_reader_begin_program(struct log_reader *reader, u8 *area, u32 place, u32 base, u32 control,
                             u32 since)
{
    struct log_reader file = {.area = area,
                              .cpu = LOG_OF_PROGRAM,
                              .place = register_at(area, place),
                              .base = base,
                              .control = control};
    s64 error = begin_file(&file, &file, since);

    if (error != 0 || file.bytes / file.row_bytes <= UNSAFE_ROWS)
        return E_INVAL;
    *reader = file;
    return 0;
}

// ---- rows ---------------------------------------------------------------------------------------

// Moves an offset in the file, around its end.
static u32 moved(const struct log_reader *reader, u32 offset, u32 by)
{
    return reader->base | ((offset + by) & (reader->bytes - 1) & ~(reader->row_bytes - 1));
}

static u32 end_of(const struct log_reader *reader)
{
    LOG_STEP();
    return moved(reader, __atomic_load_n(&reader->place->offset, __ATOMIC_ACQUIRE), 0);
}

// What one pass has found: the rows are the last `count` of those that have room.
struct pass {
    u32 end, count;
    bool complete; // there are no older ones that have not been read
};

// Was this row read before? place: where the next row begins.
static bool was_read(const struct log_reader *reader, const u32 *row, u32 place)
{
    u32 sign = row[sign_of(reader->control) / ENTRY];

    if (!(reader->control & LOG_STAMP))
        return sign == LOG_READ;
    if (reader->known)
        return place == reader->next && sign == reader->last_stamp;
    return !log_stamp_is_later(sign, reader->last_stamp);
}

// Copies rows from the newest back to one that was read, which it copies too, or `limit` of them.
static struct pass copy_back(const struct log_reader *reader, u32 limit, u32 *rows)
{
    struct pass pass = {.end = end_of(reader)};
    u32 at = pass.end;

    while (pass.count < limit && !pass.complete) {
        u32 *row = rows + (reader->bytes - (pass.count + 1) * reader->row_bytes) / ENTRY;
        u32 place = at;
        at = moved(reader, at, -reader->row_bytes);
        for (u32 i = 0; i < reader->row_bytes; i += ENTRY)
            row[i / ENTRY] = load((const u32 *)(reader->area + at + i));
        pass.complete = was_read(reader, row, place);
        pass.count += !pass.complete;
    }
    return pass;
}

// ---- reading ------------------------------------------------------------------------------------

static const u32 *newest(const struct log_reader *reader, const u32 *rows)
{
    return rows + (reader->bytes - reader->row_bytes) / ENTRY;
}

// Returns whether the writer has written nothing since the pass began. If it has gone round to the
// same place, the newest row is another one. (Rows are copied from the newest to the oldest, and
// overwritten from the oldest. So where loads are done in order, the row that was read before would
// be witness enough. Ours may be done in any order before the barrier.)
static bool is_undisturbed(const struct log_reader *reader, const struct pass *pass,
                           const u32 *rows)
{
    u32 sign = sign_of(reader->control);
    u32 last = moved(reader, pass->end, -reader->row_bytes);

    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return end_of(reader) == pass->end &&
           load((const u32 *)(reader->area + last + sign)) == newest(reader, rows)[sign / ENTRY];
}

static void mark_read(const struct log_reader *reader, const struct pass *pass)
{
    u32 at = pass->end;

    for (u32 i = 0; i < pass->count; i++) {
        at = moved(reader, at, -reader->row_bytes);
        store((u32 *)(reader->area + at), LOG_READ);
    }
}

// Reads with the writer stopped. A program may be anywhere in its handler, and nobody waits for it:
// the row that it is about to write is its last, and what it may overwrite is not looked at.
static s64 read_stopped(struct log_reader *reader, u32 safe, struct pass *pass, u32 *rows)
{
    bool quiesces = reader->cpu != LOG_OF_PROGRAM;

    store(&reader->place->control, reader->control & ~LOG_ENTRIES);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    s64 error = quiesces ? sys_log_quiesce(reader->cpu) : 0;
    if (error == 0) {
        *pass = copy_back(reader, quiesces ? reader->bytes / reader->row_bytes : safe, rows);
        if (!(reader->control & LOG_STAMP))
            mark_read(reader, pass);
    }
    LOG_STEP();
    __atomic_store_n(&reader->place->control, reader->control, __ATOMIC_RELEASE);
    return error;
}

s64 log_read(struct log_reader *reader, u32 *rows)
{
    u32 all = reader->bytes / reader->row_bytes, safe = all > UNSAFE_ROWS ? all - UNSAFE_ROWS : 0;
    struct pass pass = {0};
    s64 error = 0;

    reader->passes = 0;
    if (safe != 0 && (reader->control & LOG_STAMP)) {
        reader->passes++;
        pass = copy_back(reader, safe, rows);
    }
    if (!pass.complete || !is_undisturbed(reader, &pass, rows)) {
        reader->passes++;
        error = read_stopped(reader, safe, &pass, rows);
    }
    if (error != 0)
        return error;
    reader->lost += !pass.complete;
    reader->next = pass.end;
    reader->last_stamp = newest(reader, rows)[sign_of(reader->control) / ENTRY];
    reader->known = true;
    memmove(rows, rows + (reader->bytes - pass.count * reader->row_bytes) / ENTRY,
            pass.count * reader->row_bytes);
    return pass.count;
}
