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
#define WHY_BYTES 512

_Static_assert((SLOTS & (SLOTS - 1)) == 0, "slots are found by a mask");
_Static_assert(RESOLVER_MACHINES *RESOLVER_BINARIES < RESOLVER_FULL, "all have numbers");

// A kernel, and the programs of the same build.
struct image {
    struct kernel kernel;
    struct programs programs;
    u64 used; // when it was used last, in look-ups; 0: the place is free
};

struct binary {
    u8 id[KERNEL_BUILD_ID_BYTES]; // of the kernel
    size_t id_size;
    char *program; // NULL: the kernel
};

struct slot {
    u64 address;
    u32 binary; // 0: free
    bool known;
    struct resolved resolved;
};

// What a machine has asked for.
struct asked {
    struct binary *binaries; // the first has number 1 of this machine's
    size_t binary_count, binary_capacity;
    struct slot *slots; // a hash table; NULL: nothing yet
    u32 slot_count;
    u32 *wanted; // numbers of slots, the first to be looked up next
    u32 wanted_first, wanted_end;
    u64 cleared; // how often all addresses were forgotten
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running, ending;

static struct image images[RESOLVER_IMAGES]; // the thread's alone
static u64 look_ups;                         // likewise
static struct asked machines[RESOLVER_MACHINES];
static struct intern texts;

// ---- the thread --------------------------------------------------------------------------------

static void close_image(struct image *image)
{
    kernel_close(&image->kernel);
    programs_close(&image->programs);
    *image = (struct image){0};
}

// Returns the image of a build. If there is no place for it, it takes that of the one that was not
// used for longest.
static struct image *image_of(const struct binary *binary)
{
    struct image *oldest = &images[0];
    for (u32 i = 0; i < RESOLVER_IMAGES; i++) {
        struct image *image = &images[i];
        if (image->used != 0 && image->kernel.id_size == binary->id_size &&
            memcmp(image->kernel.id, binary->id, binary->id_size) == 0) {
            image->used = ++look_ups;
            return image;
        }
        if (image->used < oldest->used)
            oldest = image;
    }
    close_image(oldest);
    kernel_use_build_id(&oldest->kernel, binary->id, binary->id_size);
    oldest->programs.quiet = true;
    oldest->used = ++look_ups;
    return oldest;
}

// Returns the kernel's symbols. Those of another build would give wrong names, so NULL, and why.
static struct symbols *symbols_of_kernel(struct kernel *kernel, char why[WHY_BYTES])
{
    switch (kernel_check(kernel)) {
    case KERNEL_MATCHES:
    case KERNEL_UNKNOWN:
        return kernel->symbols;
    case KERNEL_DIFFERS:
        snprintf(why, WHY_BYTES, "%.300s is not the kernel that was measured (build ids differ)",
                 kernel->path);
        break;
    case KERNEL_UNREADABLE:
        snprintf(why, WHY_BYTES, "%.300s: %.150s", kernel->path, kernel->problem);
        break;
    }
    return NULL;
}

// Returns the symbols of a binary. NULL: there are none, and `why`.
static struct symbols *symbols_of(const struct binary *binary, char why[WHY_BYTES])
{
    struct image *image = image_of(binary);
    struct symbols *kernel = symbols_of_kernel(&image->kernel, why);
    if (binary->program == NULL)
        return kernel;
    image_found(kernel != NULL ? image->kernel.path : NULL);
    struct symbols *symbols = program_symbols_named(&image->programs, binary->program);
    if (symbols == NULL && (kernel != NULL || settings.programs != NULL))
        snprintf(why, WHY_BYTES, "there is no ELF file of the program %.300s", binary->program);
    return symbols;
}

static const char *keep(const char *text)
{
    if (text == NULL)
        return NULL;
    u32 number = intern_text(&texts, text); // may move the array
    return texts.texts[number];
}

// Writes the answer for an address. Only then the lock is taken.
static void resolve(struct asked *machine, const struct slot *wanted, u32 index, u64 when,
                    const struct binary *binary)
{
    char name[512], why[WHY_BYTES] = "";
    struct code_range range;
    struct symbol symbol = {0};
    const char *inlined = NULL;
    struct symbols *symbols = symbols_of(binary, why);
    if (code_find(symbols, wanted->address, &range)) {
        symbol = symbols_find(symbols, wanted->address);
        inlined = symbols_inlined(symbols, wanted->address);
    }
    const char *file = binary->program == NULL ? "kernel" : binary->program;
    snprintf(name, sizeof(name), "%s:%s", file, symbol.function == NULL ? "" : symbol.function);
    pthread_mutex_lock(&lock);
    if (machine->cleared == when) {
        machine->slots[index].known = true;
        machine->slots[index].resolved =
            (struct resolved){.binary = keep(file),
                              .function = symbol.function == NULL ? NULL : keep(name),
                              .inlined = keep(inlined),
                              .file = symbol.file == NULL ? NULL : keep(place_path(symbol.file)),
                              .line = symbol.line,
                              .why = symbols == NULL ? keep(why) : NULL};
    }
    pthread_mutex_unlock(&lock);
}

// Looks up the address that a machine wants next. Returns false if there is none. The lock is held,
// but not while files are read.
static bool serve(struct asked *machine, u32 number)
{
    if (machine->wanted_first == machine->wanted_end)
        return false;
    u32 index = machine->wanted[machine->wanted_first++];
    u64 when = machine->cleared;
    struct slot wanted = machine->slots[index];
    struct binary binary = machine->binaries[wanted.binary - 1 - number * RESOLVER_BINARIES];
    pthread_mutex_unlock(&lock);
    resolve(machine, &wanted, index, when, &binary);
    pthread_mutex_lock(&lock);
    return true;
}

// Machines take turns, so that one with many addresses does not keep the others waiting.
static void *run(void *context)
{
    (void)context;
    message_quiet(true); // the page tells what is not known
    pthread_mutex_lock(&lock);
    while (!ending) {
        bool served = false;
        for (u32 i = 0; i < RESOLVER_MACHINES && !ending; i++)
            served |= serve(&machines[i], i);
        if (!served && !ending)
            pthread_cond_wait(&work, &lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool is_running(void)
{
    if (!running && !ending)
        running = pthread_create(&thread, NULL, run, NULL) == 0;
    return running;
}

// ---- who asks ----------------------------------------------------------------------------------

static bool is_binary(const struct binary *binary, const struct kernel *kernel, const char *program)
{
    if (binary->id_size != kernel->id_size ||
        memcmp(binary->id, kernel->id, kernel->id_size) != 0 ||
        (binary->program == NULL) != (program == NULL))
        return false;
    return program == NULL || strcmp(binary->program, program) == 0;
}

// The latest is looked at first: it is of the present boot.
static u32 find_binary(struct asked *asked, const struct kernel *kernel, const char *program)
{
    for (size_t i = asked->binary_count; i > 0; i--)
        if (is_binary(&asked->binaries[i - 1], kernel, program))
            return (u32)i;
    if (asked->binary_count == RESOLVER_BINARIES)
        return 0;
    asked->binaries = memory_grow(asked->binaries, asked->binary_count, &asked->binary_capacity,
                                  sizeof(*asked->binaries));
    struct binary *binary = &asked->binaries[asked->binary_count++];
    *binary = (struct binary){.id_size = kernel->id_size,
                              .program = program == NULL ? NULL : memory_copy_text(program)};
    memcpy(binary->id, kernel->id, kernel->id_size);
    return (u32)asked->binary_count;
}

u32 resolver_binary(u32 machine, const u8 *build_id, size_t size, const char *program)
{
    struct kernel kernel = {0};
    kernel_use_build_id(&kernel, build_id, size);
    pthread_mutex_lock(&lock);
    u32 found = find_binary(&machines[machine], &kernel, program);
    pthread_mutex_unlock(&lock);
    return found == 0 ? RESOLVER_FULL : machine * RESOLVER_BINARIES + found;
}

static u32 slot_of(const struct asked *asked, u32 binary, u64 address)
{
    u64 mixed = (address ^ (u64)binary << 48) * 0x9e3779b97f4a7c15u;
    u32 slot = (u32)(mixed >> 40) & (SLOTS - 1);
    while (asked->slots[slot].binary != 0 &&
           (asked->slots[slot].binary != binary || asked->slots[slot].address != address))
        slot = (slot + 1) & (SLOTS - 1);
    return slot;
}

static void forget_addresses(struct asked *asked)
{
    memset(asked->slots, 0, SLOTS * sizeof(*asked->slots));
    asked->slot_count = asked->wanted_first = asked->wanted_end = 0;
    asked->cleared++;
}

// Looks an address up in the table. If it is new, it is wanted from now on.
static bool look_up(struct asked *asked, u32 binary, u64 address, struct resolved *found)
{
    if (asked->slots == NULL) {
        asked->slots = memory_get(SLOTS * sizeof(*asked->slots));
        asked->wanted = memory_get(RESOLVER_ADDRESSES * sizeof(*asked->wanted));
    }
    u32 slot = slot_of(asked, binary, address);
    if (asked->slots[slot].binary == 0) {
        if (asked->slot_count == RESOLVER_ADDRESSES) {
            forget_addresses(asked);
            slot = slot_of(asked, binary, address);
        }
        asked->slots[slot] = (struct slot){.address = address, .binary = binary};
        asked->slot_count++;
        asked->wanted[asked->wanted_end++] = slot;
        pthread_cond_signal(&work);
    }
    *found = asked->slots[slot].resolved;
    return asked->slots[slot].known;
}

bool resolver_find(u32 binary, u64 address, struct resolved *found)
{
    *found = (struct resolved){0};
    if (binary == RESOLVER_FULL)
        *found = (struct resolved){.binary = "?", .why = "the machine has had too many programs"};
    if (binary == 0 || binary == RESOLVER_FULL)
        return true;
    pthread_mutex_lock(&lock);
    bool known = !is_running() ||
                 look_up(&machines[(binary - 1) / RESOLVER_BINARIES], binary, address, found);
    pthread_mutex_unlock(&lock);
    return known;
}

static void free_asked(struct asked *asked)
{
    for (size_t i = 0; i < asked->binary_count; i++)
        free(asked->binaries[i].program);
    free(asked->binaries);
    free(asked->slots);
    free(asked->wanted);
    *asked = (struct asked){0};
}

void resolver_end(void)
{
    pthread_mutex_lock(&lock);
    bool was_running = running;
    ending = true;
    running = false;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    if (was_running)
        pthread_join(thread, NULL);
    for (u32 i = 0; i < RESOLVER_IMAGES; i++)
        close_image(&images[i]);
    for (u32 i = 0; i < RESOLVER_MACHINES; i++)
        free_asked(&machines[i]);
    intern_free(&texts);
}
