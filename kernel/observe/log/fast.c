// SPDX-License-Identifier: MIT
// The code that the fast path of calls writes rows with. It is made from a template whenever calls
// begin to be logged, for the control word that their logs have then. Logs with another control
// word are left to the handler in C. Sides without selectors are left out.
#include "fast.h"

#include <kernel/panic.h>
#include <kernel/patch.h>
#include <kernel/percpu.h>
#include <orrery/log.h>

#include "fast_layout.h"
#include "points.h"

#define CONTROL_BITS 0x1fffu
#define SELECTOR_FIRST_AREA 0x1fff // the last one

// One side of a call or an answer.
struct log_side {
    u64 event;
    u32 *entry;
    u32 *compare; // with the control word that there is code for
    u32 *code;
    const u32 *next;
    const u32 *words;
};
extern const struct log_side log_sides[LOG_SIDES]; // fast.S

// ---- which registers there are ------------------------------------------------------------------

// Stamps that need more than the time base, and counts with a stamp, are left to C.
static bool is_simple(u32 control)
{
    u32 stamp = control & LOG_STAMP;

    return stamp == 0 || (stamp == LOG_STAMP_HARDWARE && !(control & LOG_COUNTER_ADD));
}

// Returns what counts of the control word of a register in the first area; 0 if it is in another.
static u32 control_of(const struct log_head *head, u32 selector)
{
    const struct log_register *place =
        (const struct log_register *)((const u8 *)head + LOG_SELECTOR_PLACE(selector));

    if (selector > SELECTOR_FIRST_AREA)
        return 0;
    return __atomic_load_n(&place->control, __ATOMIC_RELAXED) & CONTROL_BITS;
}

// Chooses the first control word that can be used; 0, which writes nothing, if there is none.
// Returns false if no domain has a selector.
static bool choose_control(u32 event, u32 *control)
{
    bool any = false;

    *control = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct log_head *head = percpu_of(cpu)->log_head;
        for (u32 domain = 1; domain < LOG_DOMAINS && *control == 0; domain++) {
            u32 selector =
                __atomic_load_n(&head->domains[domain].selectors[event], __ATOMIC_RELAXED);
            any |= selector != 0;
            u32 found = selector != 0 ? control_of(head, selector) : 0;
            if (is_simple(found))
                *control = found;
        }
    }
    return any;
}

// ---- code ---------------------------------------------------------------------------------------

// Words that are made for a side.
struct code {
    const struct log_side *side;
    u32 words[LOG_CODE_WORDS];
    u32 count, row; // row: bytes of the row so far
};

static void add_words(struct code *code, u32 first, u32 end)
{
    for (u32 i = first; i < end; i++) {
        KASSERT(code->count < LOG_CODE_WORDS);
        code->words[code->count++] = code->side->words[i];
    }
}

// Adds words, the last of which loads from or stores to the row's end.
static void add_access(struct code *code, u32 first, u32 end)
{
    add_words(code, first, end);
    code->words[code->count - 1] |= code->row;
}

static void add_entry(struct code *code, u32 first, u32 end)
{
    add_access(code, first, end);
    code->row += sizeof(u32);
}

// Adds what stores the offset behind the row, in the file.
static void add_offset(struct code *code, u32 control)
{
    u32 n = control & LOG_SIZE(15);
    u32 file_bits = 2 + (n < LOG_SIZE_MIN ? LOG_SIZE_MIN : n > LOG_SIZE_MAX ? LOG_SIZE_MAX : n);

    add_words(code, LOG_WORD_NEXT, LOG_WORDS);
    u32 *words = code->words + code->count - (LOG_WORDS - LOG_WORD_NEXT);
    words[0] |= code->row + LOG_PADDING_OF(control) * (u32)sizeof(u32);
    words[1] |= (32 - file_bits) << 6;
}

static void make_code(struct code *code, u32 control)
{
    if (control & LOG_WITH_EVENT)
        add_entry(code, LOG_WORD_EVENT, LOG_WORD_CURRENT);
    if (control & LOG_WITH_CURRENT)
        add_entry(code, LOG_WORD_CURRENT, LOG_WORD_CORRESPONDENT);
    if (control & LOG_WITH_CORRESPONDENT)
        add_entry(code, LOG_WORD_CORRESPONDENT, LOG_WORD_OLD);
    if (control & LOG_COUNTER_ADD) {
        add_access(code, LOG_WORD_OLD, LOG_WORD_SUM);
        add_entry(code, LOG_WORD_SUM, LOG_WORD_COUNTER);
    } else if (control & LOG_WITH_COUNTER) {
        add_entry(code, LOG_WORD_COUNTER, LOG_WORD_STAMP);
    }
    if (control & LOG_STAMP)
        add_entry(code, LOG_WORD_STAMP, LOG_WORD_NEXT);
    if (control & LOG_ENTRIES)
        add_offset(code, control);
    if (code->count < LOG_CODE_WORDS) {
        code->words[code->count] = ppc_branch(&code->side->code[code->count], code->side->next);
        code->count++;
    }
}

// Patches a word. Most are as they were.
static void patch(u32 *place, u32 word)
{
    if (*place != word)
        patch_word(place, word);
}

static void patch_side(const struct log_side *side, u32 control)
{
    struct code code = {.side = side};

    make_code(&code, control);
    for (u32 word = 0; word < code.count; word++)
        patch(&side->code[word], code.words[word]);
    patch(side->compare, (*side->compare & 0xffff0000u) | control);
    patch(side->entry, side->words[LOG_WORDS]);
}

u32 log_fast_prepare(void)
{
    u32 controls[LOG_SIDES], looked_at = 0;

    for (u32 i = 0; i < LOG_SIDES; i++) {
        u32 event = (u32)log_sides[i].event;
        looked_at |= choose_control(event, &controls[i]) ? LOG_BIT(event) : 0;
    }
    patch_begin();
    for (u32 i = 0; i < LOG_SIDES; i++) {
        const struct log_side *side = &log_sides[i];
        if (looked_at & LOG_BIT(side->event))
            patch_side(side, controls[i]);
        else
            patch(side->entry, ppc_branch(side->entry, side->next));
    }
    patch_end();
    return looked_at;
}
