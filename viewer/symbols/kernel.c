// SPDX-License-Identifier: MIT
// The kernel's ELF file. It is opened once and compared with the kernel that runs or ran.
#include "symbols/kernel.h"
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

// Opens the image with the benchmarks if that is the kernel. It lies beside the other:
// orrery-bench.elf beside orrery.elf. The settings may mean either.
static void open_beside(struct kernel *kernel)
{
    char path[PATH_MAX];
    const char *problem;
    const char *end = strrchr(settings.kernel, '.');
    int stem = (int)(end == NULL ? strlen(settings.kernel) : (size_t)(end - settings.kernel));
    if (snprintf(path, sizeof(path), "%.*s-bench.elf", stem, settings.kernel) >= (int)sizeof(path))
        return;
    struct symbols *beside = symbols_open(path, &problem);
    if (match(kernel, beside) != KERNEL_MATCHES) {
        symbols_close(beside);
        return;
    }
    symbols_close(kernel->symbols);
    kernel->symbols = beside;
    strcpy(kernel->path, path);
}

enum kernel_match kernel_check(struct kernel *kernel)
{
    if (!kernel->tried) {
        kernel->tried = true;
        snprintf(kernel->path, sizeof(kernel->path), "%s", settings.kernel);
        kernel->symbols = symbols_open(settings.kernel, &kernel->problem);
        if (match(kernel, kernel->symbols) != KERNEL_MATCHES && kernel->id_size != 0)
            open_beside(kernel);
    }
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
