// SPDX-License-Identifier: MIT
// A guest that does to the model unit what it must not do. It gives another version, and pages and
// rings that are none. Then all CPUs at once store random values all over the page and give random
// commands with random arguments. The unit must write nowhere but where it was told to, not at all
// when it was told off, and afterwards count to the instruction again.
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <string.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"
#include "model_measure.h"

#define COMMANDS 100000  // of all CPUs together
#define ATTACHMENTS 3000 // of each
#define TURNS 1000
#define PATTERN 0x6b6b6b6b6b6b6b6bUL

// A piece of memory: a guard, the page, the CPUs' rings, another guard, 64 KB each.
#define PIECE_ORDER 6
#define PART_BYTES 0x10000UL
#define RING_RECORDS 16UL
enum part { GUARD_BELOW, PAGE, RINGS, GUARD_ABOVE };

_Static_assert((PAGE_SIZE << PIECE_ORDER) == 4 * PART_BYTES, "four parts");
_Static_assert(ORRERY_MAX_CPUS *RING_RECORDS * sizeof(struct model_record) <= PART_BYTES, "rings");
_Static_assert(MODEL_PAGE_BYTES == PART_BYTES, "page");

// Those that there are, and some beyond.
#define EACH_COMMAND(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(127) X(255)

static const u8 numbers[] = {
#define COMMAND_NUMBER(n) n,
    EACH_COMMAND(COMMAND_NUMBER)};

static void command(u32 number, u64 word)
{
    switch (number) {
#define COMMAND_CASE(n)                                                                            \
    case n:                                                                                        \
        __asm__ volatile("twi 0,%0,%1" ::"r"(word), "i"(MODEL_COMMAND | (n)) : "memory");          \
        break;
        EACH_COMMAND(COMMAND_CASE)
    default:
        break;
    }
}

static void *part_of(u8 *piece, enum part part)
{
    return piece + part * PART_BYTES;
}

static void fill(u8 *piece, enum part part)
{
    memset(part_of(piece, part), (int)(PATTERN & 0xff), PART_BYTES);
}

// Words that are not the pattern any more.
static u64 changed(u8 *piece, enum part part)
{
    const u64 *words = part_of(piece, part);
    u64 count = 0;

    for (u64 i = 0; i < PART_BYTES / sizeof(u64); i++)
        count += words[i] != PATTERN;
    return count;
}

// ---- attaching ----------------------------------------------------------------------------------

static u64 attach(u64 physical)
{
    command(MODEL_ATTACH, physical);
    return model_slot()->result; // of the kernel's own page, which is attached still
}

static void check_version(u8 *piece)
{
    struct model_page *page = part_of(piece, PAGE);

    page->magic = 0;
    page->version = MODEL_VERSION + 7;
    bench_exact(MODEL_BAD_VERSION, attach(virt_to_phys(page)),
                "a page of another version: refused");
    bench_exact(MODEL_BAD_VERSION, page->cpu[cpu_id()].result, "  and told so");
    bench_exact(MODEL_VERSION, page->version, "  with the version of the unit");
    bench_exact(0, page->magic, "  not attached");
}

static void check_addresses(u8 *piece)
{
    u64 page = virt_to_phys(part_of(piece, PAGE));
    const u64 addresses[] = {page + 8,        page + 0x1000, 1UL << 46, (1UL << 46) - PART_BYTES,
                             1UL << 63,       ~0UL,          ~0xffffUL, (u64)piece,
                             page | 1UL << 60};
    struct bench_tally tally = {0};

    for (u32 i = 0; i < ARRAY_SIZE(addresses); i++)
        bench_compare(&tally, MODEL_BAD_COMMAND, attach(addresses[i]));
    bench_tally_row(&tally, "pages beyond memory or not aligned: refused");
}

static void attach_and_detach(struct bench_worker *worker)
{
    struct model_page *page = part_of(worker->argument, PAGE);

    for (u32 i = 0; i < ATTACHMENTS; i++) {
        command(MODEL_ATTACH, virt_to_phys(page));
        command(MODEL_DETACH, 0);
        worker->result++;
    }
}

// Each CPU ends what another has begun, or is about to end.
static void check_attachments(u8 *piece)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};
    struct model_page *page = part_of(piece, PAGE);

    page->version = MODEL_VERSION;
    if (bench_on_cpus(bench_all_cpus(), attach_and_detach, piece, workers) != 0)
        memset(workers, 0, sizeof(workers));
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, ATTACHMENTS, workers[cpu].result);
    bench_tally_row(&tally, "attached and detached by all CPUs at once");
}

// ---- random commands ----------------------------------------------------------------------------

static u64 pick(u64 *random, const u64 *choices, u32 count)
{
    return choices[work_random(random) % count];
}

static bool chance(u64 *random, u32 of)
{
    return work_random(random) % of == 0;
}

// One CPU's part.
struct hostility {
    u8 *piece;
    u32 cpu;
    u64 random;
    u64 programmed; // counters that were, as far as it knows
    u64 enabled;    // times that the unit began to count
};

static struct model_cpu *slot_of(const struct hostility *one)
{
    struct model_page *page = part_of(one->piece, PAGE);
    return &page->cpu[one->cpu];
}

// Half of them could be meant, so that not all are refused at the first look. Interrupts are not
// asked for so often that nothing else would run.
static void choose_program(struct hostility *one)
{
    static const u64 periods[] = {0,         0,         16,   17, 1000, 1UL << 31,
                                  1UL << 47, 1UL << 63, ~0UL, 1,  15,   (1UL << 47) + 1};
    u64 *arguments = slot_of(one)->arguments, *random = &one->random;
    u64 event = work_random(random) % (MODEL_EVENTS + 2);

    arguments[0] = work_random(random) % (MODEL_COUNTERS + 2);
    arguments[1] = event;
    arguments[2] = work_random(random) % (2 * (MODEL_FLAGS + 1));
    arguments[3] = pick(random, periods, ARRAY_SIZE(periods));
    arguments[4] = chance(random, 4) ? work_random(random) % (MODEL_RANDOM_MAX + 2) : 0;
    if (event < MODEL_EVENTS && model_machine()->counters[event] != 0 && chance(random, 2)) {
        arguments[0] = (u64)__builtin_ctzl(model_machine()->counters[event]);
        arguments[2] = MODEL_KERNEL | MODEL_USER | MODEL_PRECISE;
        arguments[3] = pick(random, periods, 5);
        arguments[4] = 0;
    }
    if ((arguments[2] & MODEL_INTERRUPT) != 0)
        arguments[3] = 1000000;
}

static void choose_ring(struct hostility *one)
{
    u64 *random = &one->random;
    u64 own = virt_to_phys(part_of(one->piece, RINGS)) +
              one->cpu * RING_RECORDS * sizeof(struct model_record);
    const u64 addresses[] = {own, own, own, 0, own + 8, own + 256, 1UL << 46, ~511UL, 1UL << 63};
    static const u64 records[] = {RING_RECORDS, RING_RECORDS, RING_RECORDS, 8, 0, 1, 7,
                                  131072,       1UL << 63,    ~0UL};
    struct model_ring *ring = &slot_of(one)->ring;

    ring->address = pick(random, addresses, ARRAY_SIZE(addresses));
    ring->records = pick(random, records, ARRAY_SIZE(records));
    ring->tail = chance(random, 2) ? ring->head : work_random(random);
}

static void choose(struct hostility *one, u32 number)
{
    u64 *arguments = slot_of(one)->arguments, any = work_random(&one->random);

    if (number == MODEL_PROGRAM)
        choose_program(one);
    else
        arguments[0] = any & 0x1ff;
    if (number != MODEL_ENABLE)
        return;
    choose_ring(one);
    if (one->programmed != 0 && !chance(&one->random, 4))
        arguments[0] = (any & one->programmed) | (one->programmed & -one->programmed);
}

// Anywhere in the page, another CPU's slot as well.
static void scribble(u64 *random, u8 *piece)
{
    static const u64 edges[] = {0, 1, ~0UL, 1UL << 63};
    u64 *words = part_of(piece, PAGE);
    u64 at = work_random(random) % (MODEL_PAGE_BYTES / sizeof(u64));

    if (work_random(random) % 2 != 0)
        at %= sizeof(struct model_page) / sizeof(u64);
    words[at] =
        work_random(random) % 4 == 0 ? pick(random, edges, ARRAY_SIZE(edges)) : work_random(random);
}

// What MODEL_ATTACH is given: seldom the page, with its version right.
static u64 page_word(struct hostility *one)
{
    struct model_page *page = part_of(one->piece, PAGE);
    const u64 words[] = {1UL << 63, ~0UL, 1UL << 46, virt_to_phys(page) + 8,
                         work_random(&one->random) | 1};

    if (!chance(&one->random, 32))
        return pick(&one->random, words, ARRAY_SIZE(words));
    page->version = MODEL_VERSION;
    return virt_to_phys(page);
}

// What makes the unit throw code away is seldom, because of the time it takes.
static u32 choose_number(struct hostility *one)
{
    u32 number = numbers[work_random(&one->random) % ARRAY_SIZE(numbers)];

    if (number == MODEL_DETACH && !chance(&one->random, 64))
        return MODEL_READ;
    return number == MODEL_PROGRAM && !chance(&one->random, 8) ? MODEL_TOTALS : number;
}

static void note_result(struct hostility *one, u32 number, u64 argument)
{
    if (slot_of(one)->result != MODEL_OK)
        return;
    if (number == MODEL_PROGRAM && argument < MODEL_COUNTERS)
        one->programmed |= 1UL << argument;
    one->enabled += number == MODEL_ENABLE && argument != 0;
}

static void be_hostile(struct bench_worker *worker)
{
    struct hostility one = {
        .piece = worker->argument, .cpu = worker->cpu, .random = 88172645463325252UL + worker->cpu};

    for (u32 i = 0; i < COMMANDS / cpu_count; i++) {
        u32 number = choose_number(&one);
        scribble(&one.random, one.piece);
        choose(&one, number);
        const u64 argument = slot_of(&one)->arguments[0];
        command(number, page_word(&one));
        note_result(&one, number, argument);
    }
    worker->result = one.enabled;
}

static void check_commands(u8 *piece)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    u64 enabled = 0;

    if (bench_on_cpus(bench_all_cpus(), be_hostile, piece, workers) != 0)
        memset(workers, 0, sizeof(workers));
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        enabled += workers[cpu].result;
    bench_range(100, COMMANDS, enabled, "random commands, the page spoilt: made it count");
}

// ---- afterwards ---------------------------------------------------------------------------------

static void count_window(struct bench_worker *worker)
{
    static const struct model_case loop = {.name = "empty loop", .body = model_body_spin};
    u64 counter = (u64)__builtin_ctzl(model_machine()->counters[MODEL_INSTRUCTIONS]);
    const struct model_program program = {
        .counter = counter, .event = MODEL_INSTRUCTIONS, .flags = MODEL_KERNEL};
    u64 counts[MODEL_COUNTERS] = {0};

    if (model_program(&program) == 0 && model_enable(1UL << counter) == 0)
        model_window(&loop, TURNS, counts);
    model_enable(0);
    worker->result = counts[counter];
}

static void check_counts(const char *when)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};

    if (bench_on_cpus(bench_all_cpus(), count_window, NULL, workers) != 0)
        memset(workers, 0, sizeof(workers));
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, 2 * TURNS + MODEL_WINDOW_INSTRUCTIONS, workers[cpu].result);
    bench_tally_row(&tally, "a loop on each CPU, %s", when);
}

static void run_loop(struct bench_worker *worker)
{
    work_spin(1000000);
    worker->result = 1;
}

// The page is not touched any more, whatever was enabled.
static void check_detached(u8 *piece)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    command(MODEL_DETACH, 0);
    fill(piece, PAGE);
    fill(piece, RINGS);
    command(MODEL_READ, 0);
    bench_on_cpus(bench_all_cpus(), run_loop, NULL, workers);
    bench_exact(0, changed(piece, PAGE) + changed(piece, RINGS),
                "words written after MODEL_DETACH");
}

static void check_all(u8 *piece)
{
    const struct model_page *own = model_machine();

    check_counts("before");
    check_version(piece);
    check_addresses(piece);
    check_counts("after what was refused");
    fill(piece, GUARD_BELOW);
    fill(piece, GUARD_ABOVE);
    memset(part_of(piece, PAGE), 0, PART_BYTES);
    check_attachments(piece);
    check_commands(piece);
    bench_exact(0, changed(piece, GUARD_BELOW) + changed(piece, GUARD_ABOVE),
                "words written beside page and rings");
    check_detached(piece);
    command(MODEL_ATTACH, virt_to_phys(own));
    bench_exact(MODEL_MAGIC, own->magic, "the kernel's page: attached again");
    check_counts("attached anew");
}

void bench_hostile(void)
{
    u8 *piece = model_present() ? pages_alloc_zeroed(PIECE_ORDER) : NULL;

    if (piece == NULL) {
        bench_note(
            "skipped: this machine has no model unit (start it with scripts/qemu --pmu model)");
        return;
    }
    if (model_acquire() == 0) {
        check_all(piece);
        model_release();
    } else {
        bench_exact(0, 1, "the unit is in use");
    }
    pages_free(piece, PIECE_ORDER);
}
