// SPDX-License-Identifier: MIT
// File descriptors: small numbers for open files of any kind. A kind is a table of functions
// (struct fd_ops). Files, pipes and directories of servers and the console are here; sockets come
// from userlib/net. Any thread. Results are 0, a count, a file descriptor or -errno (newlib's
// numbers), unless said otherwise.
#ifndef POSIX_FD_H
#define POSIX_FD_H

#include <orrery/errors.h>
#include <orrery/process.h>
#include <sys/stat.h>

#define FD_MAX 256           // descriptors of a process
#define FD_KIND_MAX 16       // bytes of a kind's name with its NUL
#define FD_INHERIT_WORDS 8   // what a kind needs to make its file again in a child
#define FD_AT_POSITION (-1L) // offset: the file's own position

struct fd_file;

// How a file reaches a child process: see fd_ops.
struct fd_inherit {
    char kind[FD_KIND_MAX];
    s32 fd; // in the child
    u32 flags;
    u64 words[FD_INHERIT_WORDS]; // the kind's own
};

// What a kind of file can do. NULL: cannot; the caller gets the error given here.
struct fd_ops {
    const char *kind;
    s64 (*read)(struct fd_file *file, void *to, u64 bytes, s64 offset);          // EINVAL
    s64 (*write)(struct fd_file *file, const void *from, u64 bytes, s64 offset); // EINVAL
    s64 (*seek)(struct fd_file *file, s64 offset, int whence);                   // ESPIPE
    s64 (*truncate)(struct fd_file *file, u64 bytes);                            // EINVAL
    s64 (*sync)(struct fd_file *file);                                           // nothing to do
    s64 (*stat)(struct fd_file *file, struct stat *info); // fills in all of it; EINVAL
    s64 (*ready)(struct fd_file *file, int events); // poll.h's bits that hold now; POLLIN | POLLOUT
    void (*leave)(struct fd_file *file);            // a descriptor of it has gone; nothing to do
    void (*close)(struct fd_file *file); // the last reference has gone; frees nothing of ours
    // Before a child is started: fills in words with what the child needs. The descriptor stays
    // open here.
    s64 (*lend)(struct fd_file *file, struct fd_inherit *to); // EINVAL
    // The child has pid now; or 0: it could not be started, and what lend made goes.
    void (*lent)(struct fd_file *file, const struct fd_inherit *to, u32 pid);
    // In the child: fills in a new file from the words.
    s64 (*borrow)(struct fd_file *file, const struct fd_inherit *from);
    bool terminal; // isatty
};

// An open file; several descriptors can refer to it.
struct fd_file {
    const struct fd_ops *ops;
    u32 references;
    u32 flags;  // O_* of fcntl.h; O_NONBLOCK changes by fcntl
    u64 handle; // these three are the kind's own
    u64 words[2];
    void *private;
};

// Makes an open file with one reference; NULL: no memory. It is not in the table yet: call
// fd_install, or fd_put to give it up.
struct fd_file *fd_file_new(const struct fd_ops *ops, u32 flags);
// Gives the file the lowest free descriptor >= at_least. Takes over the caller's reference, also on
// error.
int fd_install(struct fd_file *file, int at_least); // -EMFILE
// Returns the file behind a descriptor, held until fd_put; NULL: EBADF.
struct fd_file *fd_hold(int fd);
void fd_put(struct fd_file *file);

// Makes a kind known to processes that inherit files of it. In USER_INIT(5, …). E_LIMIT.
s64 fd_register_kind(const struct fd_ops *ops);

// posix_errno: errno for one of our errors, 0 for 0 and above. posix_result: -1 with errno set, or
// the result.
int posix_errno(s64 error);
s64 posix_result(s64 result_or_minus_errno);

#endif
