// SPDX-License-Identifier: MIT
// What every part of kov shares: settings of the command line, exit codes, messages, commands.
#ifndef KOV_H
#define KOV_H

#include <orrery/types.h>
#include <stdio.h>

#define KOV_VERSION "0.1"

// Exit codes of the program. Functions that return `int` return one of these, and have printed the
// message already when it is not KOV_OK.
enum kov_exit {
    KOV_OK = 0,
    KOV_FAILED = 1,     // the command could not do what it was asked
    KOV_USAGE = 2,      // wrong arguments
    KOV_CONNECTION = 3, // cannot connect, or the other side breaks the protocol
};

// Options that stand before or after any command.
struct settings {
    const char *host;
    u64 port;
    const char *token;    // NULL: none was given
    const char *kernel;   // path of the kernel's ELF file, for symbols
    const char *programs; // folder of the programs' ELF files
    double timeout;       // seconds for a connection or an answer
    bool json, csv;
    bool no_reconnect;
    double reconnect; // seconds for which a lost connection is tried again
};
extern struct settings settings;

struct arguments {
    int count; // before "--"
    char **values;
    int workload_count; // after "--"
    char **workload;
    bool has_workload; // "--" was given
};

struct option;
struct command {
    const char *name; // "objects", or two words: "trace record"
    const char *synopsis;
    const char *summary;
    const char *details;             // paragraphs for `kov help NAME`, may be NULL
    const struct option *options[3]; // tables; NULL after the last
    int max_arguments;
    bool takes_workload; // accepts "-- WORKLOAD"
    bool has_csv;        // prints tables, which --csv can have
    int (*run)(const struct arguments *arguments);
};

// Every command, in the order of `kov help`; ends with a NULL.
extern const struct command *const commands[];

// Tells "kov: <message>" on stderr, or the thread's sink the message, and returns code.
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Tells "kov: warning: <message>" likewise.
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
// While on, neither of the two tells anything in this thread.
void message_quiet(bool on);

// Gets the messages of a thread as one line each, without the end of the line; longer ones are cut
// at MESSAGE_LINE_BYTES.
#define MESSAGE_LINE_BYTES 4096
typedef void message_sink(void *context, bool is_warning, const char *text);
// This thread's messages go there from here on; NULL: to stderr.
void message_to(message_sink *sink, void *context);
bool message_has_sink(void);

#endif
