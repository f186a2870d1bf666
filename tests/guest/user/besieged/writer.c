// SPDX-License-Identifier: MIT
// Writes files to the disk in rounds, syncs them, and looks whether each is what a round that is
// not older made of it. What a round makes of a file follows from their numbers.
#include "siege.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <user/thread.h>
#include <waiting.h>

#define FILES 4
#define WORDS_MIN 100
#define WORDS_MAX 5000
#define TRY_US 20000
#define NEW "/data/besieged-new"

static struct thread *thread;
static volatile bool over;
static u32 rounds, wrong; // atomic
static u32 synced[FILES]; // the round that a file is at least of
static u32 tried[FILES];  // and at most

static void path_of(u32 file, char path[32])
{
    snprintf(path, 32, "/data/besieged-%u", file);
}

// Returns how many words.
static u32 fill(u32 file, u32 round, u32 words[WORDS_MAX])
{
    u32 value = round * 2654435761u ^ file * 2246822519u;
    u32 count = WORDS_MIN + (value >> 8) % (WORDS_MAX - WORDS_MIN);

    words[0] = round;
    for (u32 i = 1; i < count; i++)
        words[i] = value = value * 1664525u + 1013904223u;
    return count;
}

static bool write_file(u32 file, u32 round)
{
    static u32 words[WORDS_MAX];
    ssize_t bytes = (ssize_t)(fill(file, round, words) * sizeof(u32));
    char path[32];
    int fd = open(NEW, O_RDWR | O_CREAT | O_TRUNC, 0644);

    path_of(file, path);
    bool done = fd >= 0 && write(fd, words, (size_t)bytes) == bytes && rename(NEW, path) == 0 &&
                fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return done;
}

// Whether what stands there is whole, and of a round that may be there.
static bool is_right(u32 file, const u32 *found, u32 count)
{
    static u32 words[WORDS_MAX];
    u32 round = count > 0 ? found[0] : 0;

    if (round < synced[file] || round > tried[file] || fill(file, round, words) != count)
        return false;
    for (u32 i = 0; i < count; i++)
        if (words[i] != found[i])
            return false;
    return true;
}

enum look { LOOK_RIGHT, LOOK_WRONG, LOOK_FAILED };

static enum look look_once(u32 file)
{
    static u32 found[WORDS_MAX + 1];
    char path[32];

    path_of(file, path);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return LOOK_FAILED;
    // A server that ends meanwhile leaves a short read: only nothing more is the end.
    size_t done = 0;
    ssize_t bytes;
    while ((bytes = read(fd, (char *)found + done, sizeof(found) - done)) > 0)
        done += (size_t)bytes;
    close(fd);
    if (bytes < 0)
        return LOOK_FAILED;
    return is_right(file, found, (u32)(done / sizeof(u32))) ? LOOK_RIGHT : LOOK_WRONG;
}

// The server may be away for a while: then again. What has been read is as it is.
static void look(u32 file)
{
    enum look result = LOOK_FAILED;

    if (synced[file] == 0 ||
        (WAIT_FOR((result = look_once(file)) != LOOK_FAILED) && result == LOOK_RIGHT))
        return;
    printf("besieged: FAILED: file %u of rounds %u to %u is %s\n", file, synced[file], tried[file],
           result == LOOK_WRONG ? "not whole" : "not there");
    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static s64 write_rounds(void *argument)
{
    (void)argument;
    while (!over) {
        u32 round = rounds + 1;
        for (u32 file = 0; file < FILES; file++) {
            tried[file] = round;
            while (!write_file(file, round) && !over)
                thread_sleep_us(TRY_US);
            if (over)
                return 0;
            synced[file] = round;
            look(file);
        }
        __atomic_store_n(&rounds, round, __ATOMIC_RELAXED);
    }
    return 0;
}

s64 writer_begin(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;

    over = false;
    attributes.name = "writer";
    return thread_create(&thread, &attributes, write_rounds, NULL);
}

void writer_end(void)
{
    over = true;
    if (thread != NULL)
        thread_join(thread, NULL);
    thread = NULL;
    for (u32 file = 0; file < FILES; file++)
        look(file);
}

u32 writer_rounds(void)
{
    return __atomic_load_n(&rounds, __ATOMIC_RELAXED);
}

u32 writer_wrong(void)
{
    return __atomic_load_n(&wrong, __ATOMIC_RELAXED);
}
