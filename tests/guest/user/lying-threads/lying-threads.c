// SPDX-License-Identifier: MIT
// lying-threads KIND: what this program's memory says of its threads, to the kernel and to readers
// of a dump, is not so, and changes all the time, until it is killed.
#include <orrery/process.h>
#include <orrery/thread_layout.h> // its struct is called struct lying_layout here: user.mk
#include <stdio.h>
#include <string.h>
#include <user/thread.h>

#define WORDS 1024 // two pages
#define MAGIC 0x1234
#define CHANGES 2000 // between two pauses
#define PAUSE_US 200

// Where a thread has what. All but the last lie in the thread.
enum { MAGIC_AT, NEXT_AT, ID_AT, SWITCHES_AT, MUTEX_AT, WORKER_AT, CALL_AT, THREAD_WORDS };

struct thread_layout thread_layout __attribute__((aligned(64)));
static u64 words[WORDS] __attribute__((aligned(4096)));

static u64 any(void)
{
    static u64 seed = 7;
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return seed >> 20;
}

static u64 *any_thread(void)
{
    return &words[any() % (WORDS / THREAD_WORDS) * THREAD_WORDS];
}

// Numbers that may lead somewhere, or nowhere.
static u64 any_word(void)
{
    switch (any() % 10) {
    case 0:
        return any() << any() % 44;
    case 1:
        return UINT64_MAX - any() % 64;
    case 2:
        return (u64)any_thread() | any() % 8;
    case 3:
        return (u64)(words + WORDS) - any() % 16; // partly outside
    case 4:
        return 0xc000000000000000 + any() % 0x1000000; // the kernel's
    case 5:
        return 0x1000 + any() % 64; // nothing is there
    case 6:
        return any() % 4096; // perhaps the number of a call
    case 7:
        return MAGIC;
    case 8:
        return (u64)&thread_layout + any() % 64;
    default:
        return (u64)any_thread();
    }
}

static void tell_layout(void)
{
    thread_layout = (struct thread_layout){
        .magic = THREAD_LAYOUT_MAGIC,
        .first = (u64)&words[WORDS - 1],
        .thread_magic = MAGIC,
        .magic_at = MAGIC_AT * sizeof(u64),
        .next = NEXT_AT * sizeof(u64),
        .id = ID_AT * sizeof(u64),
        .switches = SWITCHES_AT * sizeof(u64),
        .mutex = MUTEX_AT * sizeof(u64),
        .worker = WORKER_AT * sizeof(u64),
        .call = CALL_AT * sizeof(u64),
    };
}

// A list of so many threads, whose last one leads to the first if `round`.
static void tell_list(u64 count, bool round)
{
    for (u64 i = 0; i < count; i++) {
        u64 *thread = &words[i * THREAD_WORDS];
        bool last = i + 1 == count;
        thread[MAGIC_AT] = MAGIC;
        thread[NEXT_AT] = !last ? (u64)(thread + THREAD_WORDS) : round ? (u64)words : 0;
        thread[ID_AT] = (i + 1) << 32; // an u32, in the upper half
        thread[WORKER_AT] = (u64)thread;
    }
    words[WORDS - 1] = (u64)words;
}

// ---- kinds --------------------------------------------------------------------------------------

// Anything anywhere; mostly a list that can be followed.
static void tell_wild(void)
{
    u64 word = any_word();
    u32 offset = (u32)any() % 64;
    tell_layout();
    tell_list(40, any() % 4 == 0);
    for (u64 i = any() % 16; i > 0; i--)
        any_thread()[any() % THREAD_WORDS] = any_word();
    if (any() % 4 == 0)
        memcpy((char *)&thread_layout + any() % 7 * sizeof(word), &word, sizeof(word));
    else if (any() % 4 == 0)
        memcpy((char *)&thread_layout.magic_at + any() % 7 * sizeof(offset), &offset,
               sizeof(offset));
}

// A list without end, of threads that all wait for a mutex that nobody has, or work on a call.
static void tell_circle(void)
{
    for (u64 i = 0; i < 3; i++) {
        u64 *thread = &words[i * THREAD_WORDS];
        thread[MUTEX_AT] = (u64)&words[WORDS - 2];
        thread[CALL_AT] = any() % 4096;
    }
}

// What is read the second time is never what was read the first time; the owners are far away.
static void tell_change(void)
{
    for (u64 i = 0; i < 8; i++) {
        u64 *thread = &words[i * THREAD_WORDS];
        thread[SWITCHES_AT]++;
        thread[MUTEX_AT] = any_word();
        thread[CALL_AT]++;
    }
}

// All threads wait for each other, one for the next, but each with a time limit, or for nobody.
static void tell_limited(void)
{
    static const u64 what[] = {THREAD_WAITS_SEMAPHORE, THREAD_WAITS_CONDITION,
                               THREAD_WAITS_JOIN | THREAD_WAITS_LIMITED};
    for (u64 i = 0; i < 8; i++) {
        u64 *next = &words[(i + 1) % 8 * THREAD_WORDS];
        words[i * THREAD_WORDS + MUTEX_AT] = (u64)next | what[any() % 3];
    }
}

static const struct {
    const char *name;
    u64 threads;
    bool round;
    void (*tell)(void);
} kinds[] = {{"wild", 40, false, tell_wild},
             {"circle", 3, true, tell_circle},
             {"change", 8, false, tell_change},
             {"limited", 8, false, tell_limited}};

int main(int argc, char **argv)
{
    for (u64 i = 0; argc == 2 && i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        tell_list(kinds[i].threads, kinds[i].round);
        tell_layout();
        printf("lying-threads: %s %ld\n", argv[1], sys_process_pid(0));
        fflush(stdout);
        for (u64 n = 0;; n++) {
            kinds[i].tell();
            if (n % CHANGES == 0)
                thread_sleep_us(PAUSE_US);
        }
    }
    return 1;
}
