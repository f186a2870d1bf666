// SPDX-License-Identifier: MIT
// How points and handlers are linked, by following the instructions: whatever observers want, a
// fast path visits exactly those who want it, in their order, or gives way.
#include <kernel/panic.h>
#include <kernel/patch.h>
#include <kernel/points.h>
#include <kernel/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// Text: a veto, a fast path's point, a point; and entry and exit of four handlers of the fast path.
enum {
    VETO,
    FAST,
    PLAIN,
    ONE, // goes to a handler that is alone
    ENTRY,
    EXIT = ENTRY + 4,
    SLOW = EXIT + 4, // what veto and point lead to
    TOLD,
    FUNCTION, // and two more
    WORDS = FUNCTION + 3,
};
#define OWN 0x41820000u
u32 text[WORDS];
struct observer first, second, third;

// What boot/orrery.ld gathers. The second observer's bit 2 has no handler on the fast path, the
// third one's bit 1 needs none.
#define QUAD(...) ".quad " #__VA_ARGS__ "\n"
__asm__(".pushsection .data.rel,\"aw\"\n.balign 8\n"
        ".globl points_start, points_end, handlers_start, handlers_end\n"
        "points_start:\n"
        // VETO, SLOW; 19 stands for the path, 1 for EVENT_switch
        QUAD(text + 4 * 0, text + 4 * 12, 19, 1)
        // FAST; PLAIN, TOLD; ONE
        QUAD(text + 4 * 1, 0, 19, 0) QUAD(text + 4 * 2, text + 4 * 13, 0, 0)
            QUAD(text + 4 * 3, 0, 0, 1) "points_end:\nhandlers_start:\n" QUAD(0, 0, 0, 0, 0)
                QUAD(0, 1, first, text + 4 * 14, 0) QUAD(0, 3, second, text + 4 * 15, 0)
                    QUAD(0, 1, third, text + 4 * 16, 0) QUAD(19, 0, 0, 0, 0)
                        QUAD(19, 2, first, text + 4 * 4, text + 4 * 8)
                            QUAD(19, 1, first, text + 4 * 5, text + 4 * 9)
                                QUAD(19, 1, second, text + 4 * 6, text + 4 * 10)
                                    QUAD(19, 1, third, 0, 0) QUAD(19, 4, third, text + 4 * 7,
                                                                  0) "handlers_end:\n.popsection");
_Static_assert(SLOW == 12 && TOLD == 13 && FUNCTION == 14 && EVENT_switch == 0,
               "as the tables say");

// ---- the kernel -------------------------------------------------------------------------------

static struct observer *const observers[] = {&first, &second, &third};
static u32 batches;
static bool open;

void mutex_lock(struct mutex *mutex)
{
    (void)mutex;
}

void mutex_unlock(struct mutex *mutex)
{
    (void)mutex;
}

void panic(const char *format, ...)
{
    fail_msg("%s", format);
    abort();
}

u32 ppc_branch(const void *from, const void *to)
{
    assert_in_range((const u32 *)from - text, 0, WORDS - 1);
    return (u32)((const u32 *)to - text);
}

u32 ppc_branch_to(const void *from, void (*function)(void))
{
    return ppc_branch(from, (const void *)function);
}

// Returns whom the fast path visits, a digit each; -1: it gives way.
static int visited(void)
{
    u32 at = text[FAST];
    int path = 0;

    if (text[VETO] != OWN)
        return -1;
    for (u32 steps = 0; at != OWN; steps++) {
        assert_in_range(at, ENTRY, EXIT - 1);
        assert_in_range(steps, 0, 4);
        path = path * 10 + (int)(at - ENTRY) + 1;
        at = at == ENTRY + 3 ? OWN : text[at - ENTRY + EXIT];
    }
    return path;
}

// What visited returns if these are wanted.
static int expected(u64 one, u64 two, u64 three)
{
    const bool wanted[] = {(one & 2) != 0, (one & 1) != 0, (two & 1) != 0, (three & 4) != 0};
    int path = 0;

    if ((two & 2) != 0)
        return -1;
    for (int i = 0; i < 4; i++)
        path = wanted[i] ? path * 10 + i + 1 : path;
    return path;
}

// What is at ONE if these are wanted.
static u32 expected_alone(const u64 wants[3])
{
    const bool wanted[] = {(wants[0] & 1) != 0, (wants[1] & 3) != 0, (wants[2] & 1) != 0};
    u32 count = 0, last = 0;

    for (u32 i = 0; i < 3; i++) {
        count += wanted[i];
        last = wanted[i] ? FUNCTION + i : last;
    }
    return count == 1 ? last : OWN;
}

static int before, after; // a change

void patch_begin(void)
{
    assert_false(open);
    open = true;
}

void patch_word(u32 *instruction, u32 value)
{
    assert_true(open);
    *instruction = value;
}

// Another CPU takes the path as it was, or as it will be, or gives way.
void patch_end(void)
{
    int now = visited();

    assert_true(open && (now == -1 || now == before || now == after));
    open = false;
    batches++;
}

// ---- tests ------------------------------------------------------------------------------------

static int set_up(void **state)
{
    (void)state;
    for (u32 i = 0; i < WORDS; i++)
        text[i] = OWN;
    return 0;
}

static void every_change_links(void **state)
{
    (void)state;
    srand(1);
    for (u32 round = 0; round < 20000; round++) {
        u64 wants[] = {first.wants, second.wants, third.wants};
        u32 who = (u32)rand() % 3;

        before = visited();
        wants[who] = (u64)rand() % 8;
        after = expected(wants[0], wants[1], wants[2]);
        batches = 0;
        observer_wants(observers[who], wants[who]);
        assert_int_equal(observers[who]->wants, wants[who]);
        assert_int_equal(visited(), after);
        assert_int_equal(text[VETO], after == -1 ? SLOW : OWN);
        bool told = (wants[0] & 1) != 0 || (wants[1] & 3) != 0 || (wants[2] & 1) != 0;
        assert_int_equal(text[PLAIN], told ? TOLD : OWN);
        assert_int_equal(text[ONE], expected_alone(wants));
        assert_in_range(batches, 0, 3);
    }
}

static void all_is_as_it_was(void **state)
{
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        before = visited();
        after = expected(0, i < 1 ? second.wants : 0, i < 2 ? third.wants : 0);
        observer_wants(observers[i], 0);
    }
    for (u32 i = 0; i < WORDS; i++)
        assert_int_equal(text[i], OWN);
    batches = 0;
    observer_wants(&first, 0);
    assert_int_equal(batches, 0); // nothing changes, so nobody is interrupted
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_links),
        cmocka_unit_test(all_is_as_it_was),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
