// SPDX-License-Identifier: MIT
// Installation: -plugin pmu-model.so,ram=FILE,machine=FILE[,console=SOCKETS]. It reports errors
// before the machine starts.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "interrupt.h"
#include "plan.h"

int qemu_plugin_version = 4;

struct options {
    const char *ram, *machine, *console;
};

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pmu-model: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

static bool parse(int count, char **words, struct options *options)
{
    const struct {
        const char *name;
        const char **value;
    } known[] = {
        {"ram=", &options->ram},
        {"machine=", &options->machine},
        {"console=", &options->console},
    };
    for (int i = 0; i < count; i++) {
        size_t j = 0;
        while (j < ARRAY_SIZE(known) && strncmp(words[i], known[j].name, strlen(known[j].name)))
            j++;
        if (j == ARRAY_SIZE(known))
            return refuse("unknown option %s; there are ram=, machine= and console=", words[i]);
        *known[j].value = words[i] + strlen(known[j].name);
    }
    if (!options->ram)
        return refuse("needs ram=FILE, the file that holds the machine's memory");
    if (!options->machine)
        return refuse("needs machine=FILE, the configuration of the modelled machine");
    return true;
}

// Returns whether a word of QEMU's own command line contains text. There is no other way for a
// plugin to know.
static bool command_line_has(const char *text)
{
    char line[65536];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, line, sizeof(line) - 1);
    if (file >= 0)
        close(file);
    if (length < 0)
        length = 0;
    line[length] = '\0';
    for (const char *word = line; word < line + length; word += strlen(word) + 1) {
        if (strstr(word, text))
            return true;
    }
    return false;
}

static bool check_machine(const qemu_info_t *info)
{
    if (strcmp(info->target_name, "ppc64") != 0 || !info->system_emulation)
        return refuse("is for qemu-system-ppc64, not for %s", info->target_name);
    if (info->system.max_vcpus > MODEL_CPUS)
        return refuse("has room for %d CPUs, this machine can have %d", MODEL_CPUS,
                      info->system.max_vcpus);
    // Plugins then see all CPUs as the one that translated a block.
    if (info->system.max_vcpus > 1 &&
        (command_line_has("icount") || command_line_has("thread=single")))
        return refuse(
            "cannot tell CPUs apart with -icount or thread=single: use one CPU, or neither");
    return true;
}

static void on_init(qemu_plugin_id_t id, unsigned number)
{
    (void)id;
    if (number == 0 && !guest_registers_find()) {
        refuse("this QEMU does not offer the registers r0 … r31, msr, lr, cr and srr0");
        _exit(1);
    }
    vcpu_init(number);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    struct options options = {0};
    char error[256];
    if (!check_machine(info) || !parse(argc, argv, &options))
        return 1;
    if (!machine_load(options.machine, &unit.machine, error, sizeof(error))) {
        refuse("%s", error);
        return 1;
    }
    if (!guest_memory_open(options.ram)) {
        refuse("%s: %s", options.ram, strerror(errno));
        return 1;
    }
    unit.id = id;
    unit.cpus = (unsigned)info->system.max_vcpus;
    if (options.console)
        interrupt_consoles(options.console);
    if (!unit_init()) {
        refuse("no memory");
        return 1;
    }
    qemu_plugin_register_vcpu_init_cb(id, on_init);
    plan_register();
    return 0;
}
