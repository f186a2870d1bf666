// SPDX-License-Identifier: MIT
// Functions of addresses. Under the lock there are only tables; the files are used without it, by
// the one thread.
#include "gateway/resolver.h"
#include "symbols/code.h"
#include "symbols/images.h"
#include "symbols/kernel.h"
#include "symbols/place.h"
#include "symbols/programs.h"
#include "tools/intern.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS (RESOLVER_ADDRESSES / 3 * 4) // a power of two

_Static_assert((SLOTS & (SLOTS - 1)) == 0, "slots are found by a mask");

// A kernel, and the programs of the same build.
struct image {
    struct kernel kernel;
    struct programs programs;
};

struct binary {
    u32 image;
    char *program; // NULL: the kernel
};

struct slot {
    u64 address;
    u32 binary; // 0: free
    bool known;
    struct resolved resolved;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running, ending;

static struct image images[RESOLVER_IMAGES]; // the thread's, but for the build id
static struct binary binaries[RESOLVER_BINARIES + 1];
static u32 image_count, binary_count;
static struct intern texts;
static struct slot *slots; // a hash table
static u32 slot_count;
static u32 *wanted; // numbers of slots, the first to be looked up next
static u32 wanted_first, wanted_end;
static u64 cleared; // how often all addresses were forgotten

// ---- the thread --------------------------------------------------------------------------------

static struct symbols *symbols_of(const struct binary *binary)
{
    struct image *image = &images[binary->image];
    struct symbols *symbols = kernel_symbols(&image->kernel);
    if (binary->program == NULL)
        return symbols;
    image_found(symbols != NULL ? image->kernel.path : NULL);
    return program_symbols_named(&image->programs, binary->program);
}

static const char *keep(const char *text)
{
    if (text == NULL)
        return NULL;
    u32 number = intern_text(&texts, text); // may move the array
    return texts.texts[number];
}

// Writes the answer for an address. Only then the lock is taken.
static void resolve(const struct slot *asked, u32 index, u64 when)
{
    const struct binary *binary = &binaries[asked->binary];
    char name[512];
    struct code_range range;
    struct symbol symbol = {0};
    const char *inlined = NULL;
    struct symbols *symbols = symbols_of(binary);
    if (code_find(symbols, asked->address, &range)) {
        symbol = symbols_find(symbols, asked->address);
        inlined = symbols_inlined(symbols, asked->address);
    }
    if (symbol.function != NULL)
        snprintf(name, sizeof(name), "%s:%s", binary->program == NULL ? "kernel" : binary->program,
                 symbol.function);
    pthread_mutex_lock(&lock);
    if (cleared == when) {
        slots[index].known = true;
        slots[index].resolved =
            (struct resolved){.function = symbol.function == NULL ? NULL : keep(name),
                              .inlined = keep(inlined),
                              .file = symbol.file == NULL ? NULL : keep(place_path(symbol.file)),
                              .line = symbol.line};
    }
    pthread_mutex_unlock(&lock);
}

static void *run(void *context)
{
    (void)context;
    message_quiet(true); // the page tells what is not known
    pthread_mutex_lock(&lock);
    while (!ending) {
        if (wanted_first == wanted_end) {
            pthread_cond_wait(&work, &lock);
            continue;
        }
        u32 index = wanted[wanted_first++];
        struct slot asked = slots[index];
        u64 when = cleared;
        pthread_mutex_unlock(&lock);
        resolve(&asked, index, when);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool is_running(void)
{
    if (running || ending)
        return running;
    slots = memory_get(SLOTS * sizeof(*slots));
    wanted = memory_get(SLOTS * sizeof(*wanted));
    running = pthread_create(&thread, NULL, run, NULL) == 0;
    if (!running) {
        free(slots);
        free(wanted);
    }
    return running;
}

// ---- who asks ----------------------------------------------------------------------------------

static u32 image_of(const u8 *build_id, size_t size)
{
    struct kernel kernel = {0};
    kernel_use_build_id(&kernel, build_id, size);
    for (u32 i = 0; i < image_count; i++)
        if (images[i].kernel.id_size == kernel.id_size &&
            memcmp(images[i].kernel.id, kernel.id, kernel.id_size) == 0)
            return i;
    if (image_count == RESOLVER_IMAGES)
        return RESOLVER_IMAGES;
    kernel_use_build_id(&images[image_count].kernel, build_id, size);
    images[image_count].programs.quiet = true;
    return image_count++;
}

static bool same_program(const char *left, const char *right)
{
    if (left == NULL || right == NULL)
        return left == right;
    return strcmp(left, right) == 0;
}

u32 resolver_binary(const u8 *build_id, size_t size, const char *program)
{
    u32 found = 0;
    pthread_mutex_lock(&lock);
    u32 image = image_of(build_id, size);
    for (u32 i = 1; i <= binary_count && found == 0; i++)
        if (binaries[i].image == image && same_program(binaries[i].program, program))
            found = i;
    if (found == 0 && image < RESOLVER_IMAGES && binary_count < RESOLVER_BINARIES) {
        found = ++binary_count;
        binaries[found] =
            (struct binary){image, program == NULL ? NULL : memory_copy_text(program)};
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static u32 slot_of(u32 binary, u64 address)
{
    u64 mixed = (address ^ (u64)binary << 48) * 0x9e3779b97f4a7c15u;
    u32 slot = (u32)(mixed >> 40) & (SLOTS - 1);
    while (slots[slot].binary != 0 &&
           (slots[slot].binary != binary || slots[slot].address != address))
        slot = (slot + 1) & (SLOTS - 1);
    return slot;
}

static void forget_addresses(void)
{
    memset(slots, 0, SLOTS * sizeof(*slots));
    slot_count = wanted_first = wanted_end = 0;
    cleared++;
}

// Looks an address up in the table. If it is new, it is wanted from now on.
static bool look_up(u32 binary, u64 address, struct resolved *found)
{
    u32 slot = slot_of(binary, address);
    if (slots[slot].binary == 0) {
        if (slot_count == RESOLVER_ADDRESSES) {
            forget_addresses();
            slot = slot_of(binary, address);
        }
        slots[slot] = (struct slot){.address = address, .binary = binary};
        slot_count++;
        wanted[wanted_end++] = slot;
        pthread_cond_signal(&work);
    }
    *found = slots[slot].resolved;
    return slots[slot].known;
}

bool resolver_find(u32 binary, u64 address, struct resolved *found)
{
    *found = (struct resolved){0};
    if (binary == 0)
        return true;
    pthread_mutex_lock(&lock);
    bool known = !is_running() || look_up(binary, address, found);
    pthread_mutex_unlock(&lock);
    return known;
}

void resolver_end(void)
{
    pthread_mutex_lock(&lock);
    bool was_running = running;
    ending = true;
    running = false;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    if (was_running) {
        pthread_join(thread, NULL);
        free(slots);
        free(wanted);
    }
    for (u32 i = 0; i < image_count; i++) {
        kernel_close(&images[i].kernel);
        programs_close(&images[i].programs);
    }
    for (u32 i = 1; i <= binary_count; i++)
        free(binaries[i].program);
    intern_free(&texts);
    image_count = binary_count = 0;
}
