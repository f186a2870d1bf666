// SPDX-License-Identifier: MIT
// What every part of kov shares: settings of the command line, exit codes, messages, commands.
#ifndef KOV_H
#define KOV_H

#include <orrery/types.h>
#include <stdio.h>

#define KOV_HOST "127.0.0.1" // where the machine is if no option says otherwise
#define KOV_PORT 4242

// Exit codes of the program. A function that returns `int` returns one of these. If it is not
// KOV_OK, the function has printed the message.
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
    const char *kernel;   // path of the kernel's ELF file, for symbols; NULL: look for it
    const char *programs; // folder of the programs' ELF files; NULL: look for them
    double timeout;       // seconds for a connection or an answer
    bool json, csv;
    bool wide; // on a terminal, too, tables have all columns and lines are not broken
    u64 rows;  // a table has at most so many; 0: all
    bool no_reconnect;
    double reconnect; // how long kov tries to take up a lost connection, seconds
};
extern struct settings settings;

struct command;
struct arguments {
    const struct command *command; // the one that runs
    int count;                     // before "--"
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
    bool has_csv;        // prints tables, so that --csv works
    int (*run)(const struct arguments *arguments);
};

// Every command, in the order of `kov help`; ends with a NULL.
extern const struct command *const commands[];

// Prints "kov: <message>" on stderr, or gives the message to the thread's sink. Returns code.
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Gives "kov: warning: <message>" likewise.
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Sets what stands behind "kov " in commands that messages name for copying, such as
// "--port 4243 ".
void message_command_options(const char *options);
// Keeps fail and warn from printing in this thread while it is on.
void message_quiet(bool on);

// Gets each message of a thread as one line, without the end of the line. Longer lines are cut at
// MESSAGE_LINE_BYTES.
#define MESSAGE_LINE_BYTES 4096
typedef void message_sink(void *context, bool is_warning, const char *text);
// Sends this thread's messages to that sink from here on. NULL: to stderr.
void message_to(message_sink *sink, void *context);
bool message_has_sink(void);

#endif
