// SPDX-License-Identifier: MIT
// The reader of log files against a writer, in all interleavings of the steps of both. Rows are
// given whole, in order and once. None is missed without being counted as lost. The writer stores
// as log-handler/ does, which another test compares with it.
#include <log/handler.h>
#include <orrery/errors.h>
#include <user/log.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PLACE 0x4000u
#define BASE 0x8000u
#define ROW_WORDS 2u // counter and stamp
#define ROW_BYTES (ROW_WORDS * 4)
#define CONTROL (LOG_WITH_COUNTER | LOG_STAMP_VIRTUAL)
#define WRITTEN 3u // rows, while somebody reads
#define STEPS_OF_ROW (ROW_WORDS + 1)
#define WRITER_STEPS (WRITTEN * STEPS_OF_ROW)
#define ROWS_MAX 16
#define READER_STEPS_MAX 64
#define FIRST 0xfffffffeu // stamp: they wrap while the test runs

static u8 area[LOG_AREA_BYTES + LOG_OVERRUN];

static struct log_register *file(void)
{
    return (struct log_register *)(area + PLACE);
}

// ---- the writer, in steps -----------------------------------------------------------------------

static bool of_program;        // the writer is one, and nothing waits for it
static u32 writer_step, stamp; // of the last row, or of the one that is being written
static bool writes;            // it is in the middle of a row

static u32 *word_at(u32 offset)
{
    return (u32 *)(area + offset);
}

// The first of a row looks at the flags: without, the whole row is skipped.
static void write_step(void)
{
    u32 offset = file()->offset, bytes = 4u << (file()->control & LOG_SIZE(15));

    if (writer_step % STEPS_OF_ROW == 0) {
        writes = (file()->control & LOG_ENTRIES) != 0;
        stamp += writes;
        if (writes)
            word_at(offset)[0] = stamp * 7;
    } else if (writer_step % STEPS_OF_ROW == 1) {
        if (writes)
            word_at(offset)[1] = stamp;
    } else {
        if (writes)
            file()->offset = BASE | ((offset + ROW_BYTES) & (bytes - 1));
        writes = false;
    }
    writer_step++;
}

static void write_row(void)
{
    for (u32 i = 0; i < STEPS_OF_ROW; i++)
        write_step();
}

// Before each step of the reader a program stores anything anywhere; the sanitizers see what the
// reader does with it.
static bool spoils;
static u64 random_state = 88172645463325252;

static u32 random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (u32)random_state;
}

static void spoil(void)
{
    for (u32 i = 0; i < 4; i++)
        *word_at(random_number() % LOG_AREA_BYTES & ~3u) = random_number();
    file()->offset = random_number();
    file()->control = random_number();
    *word_at((BASE + random_number() % 64) & ~3u) = FIRST + random_number() % 16;
}

// ---- interleavings ------------------------------------------------------------------------------

// How many steps the writer does before each of the reader's, and how many it has in all.
static u32 schedule[READER_STEPS_MAX], reader_step, writer_end;
static u32 stopped_at; // the reader's step before which the writer was stopped; 0: it was not
static u64 settled, undisturbed; // readings

void log_step(void)
{
    assert_true(reader_step < READER_STEPS_MAX);
    if (spoils)
        spoil();
    for (u32 i = 0; i < schedule[reader_step] && writer_step < writer_end; i++)
        write_step();
    reader_step++;
}

s64 sys_log_quiesce(u32 cpu)
{
    assert_int_equal(cpu, 5);
    assert_false(of_program);
    settled++;
    stopped_at = reader_step;
    while (writer_step < writer_end && writer_step % STEPS_OF_ROW != 0)
        write_step();
    return 0;
}

u64 log_timebase(void)
{
    return 0;
}

// The next schedule: where the writer did all its steps before the last step of the reader that it
// reached, one step moves on to the next place. False: that was the last schedule.
static bool next_schedule(u32 reader_steps)
{
    u32 at = reader_steps;

    // As an odometer of the steps that are left after each place: the last place that has some
    // gives one to the place behind it.
    while (at > 0 && schedule[at - 1] == 0)
        at--;
    if (at == 0)
        return false;
    u32 place = at - 1, moved = schedule[place];
    if (place + 1 < reader_steps) {
        schedule[place]--;
        schedule[place + 1] = 1;
        return true;
    }
    // It stands at the end: all that is there goes back behind the next lower one.
    schedule[place] = 0;
    while (at > 0 && schedule[at - 1] == 0)
        at--;
    if (at == 0)
        return false;
    schedule[at - 1]--;
    schedule[at] = moved + 1;
    return true;
}

// ---- one run ------------------------------------------------------------------------------------

static struct log_reader reader;
static u32 rows[ROWS_MAX * ROW_WORDS];

static void begin(u32 n, u32 unread)
{
    memset(area, 0, sizeof(area));
    stamp = FIRST;
    writer_step = reader_step = 0;
    writer_end = UINT32_MAX;
    memset(schedule, 0, sizeof(schedule));
    assert_int_equal(log_file_lay_out(area, PLACE, BASE, LOG_SIZE(n) | CONTROL, stamp), 0);
    s64 error = of_program ? log_reader_begin_program(&reader, area, PLACE, BASE,
                                                      LOG_SIZE(n) | CONTROL, stamp)
                           : log_reader_begin(&reader, area, 5, PLACE, stamp);
    assert_int_equal(error, 0);
    for (u32 i = 0; i < unread; i++)
        write_row();
    writer_step = 0;
    writer_end = WRITER_STEPS;
}

// Rows are whole and follow on each other. From `from` on, if nothing is lost.
static u32 check_rows(u32 from, u64 count, bool lost)
{
    u32 first = count != 0 ? rows[1] : 0;

    if (count != 0 && !lost)
        assert_int_equal(first, from + 1);
    for (u32 i = 0; i < count; i++) {
        assert_int_equal(rows[i * ROW_WORDS + 1], first + i);
        assert_int_equal(rows[i * ROW_WORDS], (first + i) * 7);
    }
    if (count != 0)
        assert_true(!log_stamp_is_later(first, stamp) && log_stamp_is_later(first, from));
    return count != 0 ? first + (u32)count - 1 : from;
}

static u32 read_once(u32 from)
{
    u64 lost = reader.lost;

    stopped_at = 0;
    s64 count = log_read(&reader, rows);

    assert_in_range(count, 0, reader.bytes / reader.row_bytes);
    assert_in_range(reader.passes, 1, 2);
    undisturbed += stopped_at == 0;
    assert_int_equal(file()->control & LOG_ENTRIES, CONTROL);
    return check_rows(from, (u64)count, reader.lost != lost);
}

// A reading beside the writer, and one when it has done all.
// Together they give all rows, or say that some were lost.
static u32 run(u32 from, u32 ring)
{
    u32 newest = stamp;
    u32 read = read_once(from);
    // While it is stopped the writer's steps store nothing: it does not matter when they come.
    u32 steps = stopped_at != 0 ? stopped_at : reader_step;

    // What was complete before the reading is in it.
    assert_false(log_stamp_is_later(newest, read));
    memset(schedule, 0, sizeof(schedule));
    while (writer_step < writer_end)
        write_step();
    u64 lost = reader.lost;
    reader_step = 0;
    assert_int_equal(read_once(read), stamp);
    assert_int_equal(read_once(stamp), stamp);
    if (stamp - read < ring)
        assert_int_equal(reader.lost, lost);
    return steps;
}

static u64 run_all(u32 n, u32 unread, bool known, u32 written)
{
    u64 runs = 0;
    u32 first[READER_STEPS_MAX] = {written * STEPS_OF_ROW}, steps;

    memcpy(schedule, first, sizeof(first));
    do {
        u32 kept[READER_STEPS_MAX];
        memcpy(kept, schedule, sizeof(kept));
        begin(n, unread);
        writer_end = written * STEPS_OF_ROW;
        u32 from = FIRST;
        if (known) { // then no more is unread than what comes now
            from = read_once(from);
            reader_step = 0;
        }
        memcpy(schedule, kept, sizeof(kept));
        steps = run(from, (4u << n) / ROW_BYTES - (of_program ? 2 : 0));
        memcpy(schedule, kept, sizeof(kept));
        runs++;
    } while (next_schedule(steps + 1)); // the last place is behind the reading
    return runs;
}

static void in_all_interleavings(void **state)
{
    (void)state;
    u64 all = 0;

    for (u32 n = 2; n <= 4; n++) {
        u64 runs = 0;
        u32 unread_max = n < 4 ? (4u << n) / ROW_BYTES + 1 : 3;
        for (u32 unread = 0; unread <= unread_max; unread++)
            for (u32 known = 0; known <= 1; known++)
                runs += run_all(n, unread, known, WRITTEN);
        printf("log_reader: %u rows: %lu interleavings, stopped %lu times\n", (4u << n) / ROW_BYTES,
               runs, settled);
        assert_true(runs >= 10);
        all += runs;
    }
    assert_true(all > 100000 && settled > 0 && undisturbed > 0);
}

// A fast writer: many rows, up to several rounds, between two steps of the reader, and parts of
// another row there and at a later step.
static void beside_a_fast_writer(void **state)
{
    (void)state;
    const u32 n = 4, ring = (4u << n) / ROW_BYTES;
    u64 runs = 0;

    for (u32 unread = 0; unread <= ring + 1; unread++)
        for (u32 place = 0; place < READER_STEPS_MAX / 2; place++)
            for (u32 later = place + 1; later < READER_STEPS_MAX / 2; later++)
                for (u32 steps = 1; steps <= (2 * ring + 1) * STEPS_OF_ROW; steps++) {
                    begin(n, unread);
                    schedule[place] = steps;
                    schedule[later] = STEPS_OF_ROW + 1;
                    writer_end = steps + STEPS_OF_ROW + 1;
                    writer_end += STEPS_OF_ROW - writer_end % STEPS_OF_ROW;
                    run(FIRST, of_program ? ring - 2 : ring);
                    runs++;
                }
    printf("log_reader: %lu runs beside a fast writer\n", runs);
}

// Nobody stops a program, and nobody waits for the row that it is writing.
static void beside_a_program_in_all_interleavings(void **state)
{
    (void)state;
    u64 before = settled, runs = 0;

    of_program = true;
    for (u32 unread = 0; unread <= 5; unread++)
        for (u32 known = 0; known <= 1; known++)
            runs += run_all(3, unread, known, 2);
    printf("log_reader: 4 rows of a program: %lu interleavings\n", runs);
    assert_true(runs > 100000 && settled == before);
    beside_a_fast_writer(state);
    of_program = false;
}

static void whatever_a_program_stores(void **state)
{
    (void)state;
    u64 given = 0;

    of_program = true;
    for (u32 round = 0; round < 20000; round++) {
        u32 n = 3 + round % 2, control = LOG_SIZE(n) | CONTROL;
        begin(n, 0);
        if (round % 3 == 0)
            control = LOG_SIZE(n) | LOG_WITH_COUNTER | LOG_WITH_EVENT;
        spoil();
        assert_int_equal(log_reader_begin_program(&reader, area, PLACE, BASE, control, FIRST), 0);
        spoils = true;
        for (u32 i = 0; i < 3; i++) {
            reader_step = 0;
            s64 count = log_read(&reader, rows);
            assert_in_range(count, 0, (4u << n) / ROW_BYTES - 2);
            given += (u64)count;
            if (reader.passes == 2)
                assert_int_equal(file()->control, control);
        }
        spoils = false;
    }
    of_program = false;
    assert_true(given > 0);
}

static s64 begin_program(u32 place, u32 base, u32 control)
{
    struct log_reader other;

    return log_reader_begin_program(&other, area, place, base, control, 0);
}

static void files_of_programs_have_more_than_two_rows(void **state)
{
    (void)state;
    assert_int_equal(begin_program(PLACE, BASE, LOG_SIZE(2) | CONTROL), E_INVAL);
    assert_int_equal(begin_program(LOG_AREA_BYTES + 8, BASE, LOG_SIZE(3) | CONTROL), E_INVAL);
    assert_int_equal(begin_program(PLACE, LOG_AREA_BYTES, LOG_SIZE(3) | CONTROL), E_INVAL);
    assert_int_equal(begin_program(PLACE, BASE, LOG_SIZE(3) | CONTROL), 0);
}

// ---- with the handler ---------------------------------------------------------------------------

static struct log_cpu cpu = {.areas = {area}};

static void set_up(u32 control)
{
    struct log_head *head = (struct log_head *)area;

    memset(area, 0, sizeof(area));
    cpu.virtual_time = FIRST;
    writer_end = 0;
    memset(schedule, 0, sizeof(schedule));
    assert_int_equal(log_file_lay_out(area, PLACE, BASE, control, FIRST), 0);
    assert_int_equal(log_reader_begin(&reader, area, 5, PLACE, FIRST), 0);
    head->domains[1].selectors[LOG_CALL_SENT] = LOG_SELECTOR(0, PLACE);
}

static void log_rows(u32 count)
{
    for (u32 i = 0; i < count; i++)
        log_happens(&cpu, LOG_CALL_SENT, 1, 2, cpu.virtual_time + 1);
}

static s64 read_rows(void)
{
    reader_step = 0;
    return log_read(&reader, rows);
}

static void what_the_handler_writes_is_read(void **state)
{
    (void)state;
    set_up(LOG_SIZE(4) | CONTROL); // 8 rows
    for (u32 round = 0; round < 1000; round++) {
        u32 before = cpu.virtual_time, count = round % 8;
        log_rows(count);
        assert_int_equal(read_rows(), count);
        assert_int_equal(reader.passes, count < 6 ? 1 : 2);
        for (u32 i = 0; i < count; i++)
            assert_int_equal(rows[i * 2 + 1], before + 1 + i);
    }
    assert_int_equal(reader.lost, 0);
    for (u32 more = 8; more < 26; more++) { // also 16 and 24: round, to the same place
        log_rows(more);
        assert_int_equal(read_rows(), 8);
        assert_int_equal(rows[15], cpu.virtual_time);
        assert_int_equal(reader.lost, more - 7);
    }
}

static void without_stamps_rows_are_marked(void **state)
{
    (void)state;
    set_up(LOG_SIZE(4) | LOG_WITH_CURRENT | LOG_WITH_COUNTER);
    cpu.virtual_time = 41;
    for (u32 count = 0; count <= 8; count++) {
        log_rows(count);
        assert_int_equal(read_rows(), count);
        for (u32 i = 0; i < count; i++) {
            assert_int_equal(rows[i * 2], 1);
            assert_int_equal(rows[i * 2 + 1], 42);
        }
        assert_int_equal(reader.lost, count == 8);
    }
    log_rows(11);
    assert_int_equal(read_rows(), 8);
    assert_int_equal(reader.lost, 2);
    assert_int_equal(read_rows(), 0);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        u32 place, base, control;
    } wrong[] = {
        {PLACE, BASE, LOG_SIZE(4)},                                // no entry
        {PLACE, BASE, LOG_SIZE(1) | CONTROL},                      // size
        {PLACE, BASE, LOG_SIZE(14) | CONTROL},                     // the same
        {PLACE, BASE, LOG_SIZE(4) | CONTROL | LOG_PADDING(1)},     // rows of three
        {PLACE, BASE, LOG_SIZE(2) | LOG_ENTRIES | LOG_PADDING(3)}, // a row is longer than the file
        {PLACE, BASE + 32, LOG_SIZE(4) | CONTROL},                 // no multiple of the size
        {PLACE, LOG_AREA_BYTES, LOG_SIZE(4) | CONTROL},            // behind the area
        {PLACE + 4, BASE, LOG_SIZE(4) | CONTROL},                  // no register
        {LOG_AREA_BYTES, BASE, LOG_SIZE(4) | CONTROL},             // behind the area
        {BASE + 8, BASE, LOG_SIZE(4) | CONTROL},                   // in the file
    };

    for (u32 i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_true(log_file_lay_out(area, wrong[i].place, wrong[i].base, wrong[i].control, 0) < 0);
    memset(area, 0, sizeof(area));
    assert_true(log_reader_begin(&reader, area, 5, PLACE, 0) < 0); // none there
    assert_true(log_reader_begin(&reader, area, 5, LOG_AREA_BYTES, 0) < 0);
    u32 control = LOG_SIZE(4) | LOG_WITH_CURRENT | LOG_COUNTER_ADD;
    assert_int_equal(log_file_lay_out(area, PLACE, BASE, control, 0), 0);
    assert_true(log_reader_begin(&reader, area, 5, PLACE, 0) < 0); // rows that count
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_all_interleavings),
        cmocka_unit_test(beside_a_fast_writer),
        cmocka_unit_test(beside_a_program_in_all_interleavings),
        cmocka_unit_test(whatever_a_program_stores),
        cmocka_unit_test(files_of_programs_have_more_than_two_rows),
        cmocka_unit_test(what_the_handler_writes_is_read),
        cmocka_unit_test(without_stamps_rows_are_marked),
        cmocka_unit_test(wrong_files_are_refused),
    };
    return cmocka_run_group_tests_name("log_reader", tests, NULL, NULL);
}
