// SPDX-License-Identifier: MIT
// Programs that have reached code of the kernel which nothing had executed before.
#include "supervisor.h"

#include <string.h>

#define CORPUS_FILE "fuzz/corpus"

static struct fuzz_program corpus[CORPUS_MAX] __attribute__((aligned(FUZZ_PAGE)));
static u32 count;
static u64 made;

u32 corpus_count(void)
{
    return count;
}

struct fuzz_program *corpus_at(u32 index)
{
    return &corpus[index];
}

static void set_heads(struct fuzz_program *program, u32 index)
{
    for (u32 part = 0; part < FUZZ_PROGRAM_PAGES; part++) {
        struct fuzz_head *head = &program->pages[part].page.head;
        *head = (struct fuzz_head){.magic = FUZZ_MAGIC,
                                   .kind = FUZZ_PAGE_CORPUS,
                                   .owner = index,
                                   .part = part,
                                   .number = made};
    }
}

static bool good(struct fuzz_program *program)
{
    u32 steps = fuzz_first(program)->steps;

    if (steps == 0 || steps > FUZZ_STEPS)
        return false;
    for (u32 i = 0; i < steps; i++) {
        if (fuzz_step_of(program, i)->call >= FUZZ_CALLS)
            return false;
    }
    return true;
}

void corpus_load(void)
{
    struct archived file;

    memset(corpus, 0, sizeof(corpus)); // all of its memory is there before the first look
    if (archive_find(CORPUS_FILE, &file) != 0)
        return;
    for (u64 at = 0; at + sizeof(corpus[0]) <= file.bytes && count < CORPUS_MAX;
         at += sizeof(corpus[0])) {
        memcpy(&corpus[count], file.contents + at, sizeof(corpus[0]));
        if (good(&corpus[count])) {
            set_heads(&corpus[count], count);
            count++;
        }
    }
    summary->corpus_loaded = summary->corpus = count;
}

void corpus_add(const struct fuzz_program *program, u64 gained, u32 rights)
{
    u32 index = count < CORPUS_MAX ? count++ : (u32)random_below(CORPUS_MAX);

    made++;
    corpus[index] = *program;
    set_heads(&corpus[index], index);
    fuzz_first(&corpus[index])->gained = gained;
    fuzz_first(&corpus[index])->rights = rights;
    summary->corpus = count;
}

// The youngest are the more promising.
static u32 choose(void)
{
    u64 one = random_below(count), other = random_below(count);
    return (u32)(random_percent(50) && other > one ? other : one);
}

void corpus_next(struct fuzz_program *program)
{
    if (count == 0 || random_percent(options.fresh)) {
        program_make(program);
        return;
    }
    *program = corpus[choose()];
    program_mutate(program, &corpus[choose()]);
}
