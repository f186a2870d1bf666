// SPDX-License-Identifier: MIT
// The kernel's ELF file. It is opened once and compared with the kernel that runs or ran.
#include "symbols/kernel.h"
#include "symbols/images.h"
#include "tools/kov.h"

#include <string.h>

void kernel_use_build_id(struct kernel *kernel, const u8 *id, size_t size)
{
    kernel->id_size = size > KERNEL_BUILD_ID_BYTES ? KERNEL_BUILD_ID_BYTES : size;
    if (kernel->id_size > 0)
        memcpy(kernel->id, id, kernel->id_size);
}

void kernel_build_id_text(const struct kernel *kernel, char text[KERNEL_BUILD_ID_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i < kernel->id_size; i++)
        snprintf(text + 2 * i, 3, "%02x", kernel->id[i]);
}

static enum kernel_match match(const struct kernel *kernel, struct symbols *symbols)
{
    if (symbols == NULL)
        return KERNEL_UNREADABLE;
    const u8 *id = NULL;
    size_t size = symbols_build_id(symbols, &id);
    if (size == 0 || kernel->id_size == 0)
        return KERNEL_UNKNOWN;
    bool same = size == kernel->id_size && memcmp(id, kernel->id, size) == 0;
    return same ? KERNEL_MATCHES : KERNEL_DIFFERS;
}

// Takes a file in place of the one that there was if it is the kernel. Otherwise keeps what there
// was; if that is nothing, takes it anyway if `anyway`.
static bool consider(struct kernel *kernel, const char *path, bool anyway)
{
    const char *problem;
    struct symbols *symbols = symbols_open(path, &problem);
    bool matches = match(kernel, symbols) == KERNEL_MATCHES;
    if (!matches && (!anyway || kernel->symbols != NULL)) {
        symbols_close(symbols);
        return false;
    }
    symbols_close(kernel->symbols);
    kernel->symbols = symbols;
    kernel->problem = problem;
    snprintf(kernel->path, sizeof(kernel->path), "%s", path);
    return matches;
}

// Takes the file that the user has named, or the image with the benchmarks if that is the kernel.
// It lies beside the other: orrery-bench.elf beside orrery.elf.
static void open_named(struct kernel *kernel)
{
    char path[PATH_MAX];
    const char *end = strrchr(settings.kernel, '.');
    int stem = (int)(end == NULL ? strlen(settings.kernel) : (size_t)(end - settings.kernel));
    if (!consider(kernel, settings.kernel, true) &&
        snprintf(path, sizeof(path), "%.*s-bench.elf", stem, settings.kernel) < (int)sizeof(path))
        consider(kernel, path, false);
}

// Looks for the image by its build id. Another build's names would be wrong, so it takes none of
// those. If the build id is not known, it takes the first image that there is.
static void find(struct kernel *kernel)
{
    static const char *const files[] = {"orrery.elf", "orrery-bench.elf"};
    char path[PATH_MAX];
    bool found = false;
    for (int folder = 0; folder < IMAGE_FOLDERS && !found; folder++)
        for (size_t i = 0; i < ARRAY_SIZE(files) && !found; i++)
            found =
                image_path(folder, files[i], path) && consider(kernel, path, kernel->id_size == 0);
    if (kernel->symbols != NULL)
        return;
    strcpy(kernel->path, "orrery.elf");
    kernel->problem = kernel->id_size == 0
                          ? "there is none beside kov, in build/ or here"
                          : "none beside kov, in build/ or here has the build id of this kernel";
}

enum kernel_match kernel_check(struct kernel *kernel)
{
    if (!kernel->tried && settings.kernel != NULL)
        open_named(kernel);
    else if (!kernel->tried)
        find(kernel);
    if (!kernel->tried)
        image_found(kernel->symbols != NULL ? kernel->path : NULL);
    kernel->tried = true;
    return match(kernel, kernel->symbols);
}

struct symbols *kernel_symbols(struct kernel *kernel)
{
    switch (kernel_check(kernel)) {
    case KERNEL_MATCHES:
        break;
    case KERNEL_DIFFERS:
        warn("%s is not the kernel that was measured (build ids differ): names may be wrong; give "
             "the right file with --kernel",
             kernel->path);
        break;
    case KERNEL_UNKNOWN:
        warn("cannot tell whether %s is the kernel that was measured (no build id): names may be "
             "wrong",
             kernel->path);
        break;
    case KERNEL_UNREADABLE:
        warn("no names of functions: %s: %s; give the kernel's file with --kernel", kernel->path,
             kernel->problem);
        break;
    }
    return kernel->symbols;
}

void kernel_close(struct kernel *kernel)
{
    symbols_close(kernel->symbols);
    kernel->symbols = NULL;
}
