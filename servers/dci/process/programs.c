// SPDX-License-Identifier: MIT
// Programs of clients: processes with pipes. Each has two threads that move its bytes, so that the
// server's loop never waits for it. A third thread waits for its end.
#include "programs.h"

#include "byte_queue.h"

#include <errno.h>
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <posix/spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/thread.h>

#define PIECE_BYTES 4096
#define PATH_BYTES 300
#define UPLOAD_STEP 262144

struct program {
    u32 references; // one of the server, and one of each thread
    u8 *image;      // the uploaded file
    u64 image_bytes, image_capacity;
    struct byte_queue output, input;
    int output_file, input_file; // this server's ends of the pipes
    u32 pid;
    s32 status;
    u32 ended; // status is valid
};

static void put(struct program *program)
{
    if (__atomic_sub_fetch(&program->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(program->image);
    free(program);
}

s64 program_open(struct program **program)
{
    *program = calloc(1, sizeof(**program));
    if (*program == NULL)
        return E_NOMEM;
    **program = (struct program){.references = 1, .output_file = -1, .input_file = -1};
    return 0;
}

s64 program_upload(struct program *program, const void *bytes, u64 count)
{
    if (program->image_bytes + count > program->image_capacity) {
        u64 capacity = program->image_capacity * 2 + UPLOAD_STEP;
        u8 *image = realloc(program->image, capacity);
        if (image == NULL)
            return E_NOMEM;
        program->image = image;
        program->image_capacity = capacity;
    }
    memcpy(program->image + program->image_bytes, bytes, count);
    program->image_bytes += count;
    return 0;
}

// ---- its threads -------------------------------------------------------------------------------

static s64 move_output(void *argument)
{
    struct program *program = argument;
    u8 piece[PIECE_BYTES];
    ssize_t count;

    while ((count = read(program->output_file, piece, sizeof(piece))) > 0)
        if (!byte_queue_put_all(&program->output, piece, (u64)count))
            break;
    close(program->output_file);
    byte_queue_end(&program->output);
    put(program);
    return 0;
}

static bool write_all(int file, const u8 *bytes, u64 count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written <= 0)
            return false;
        bytes += written;
        count -= (u64)written;
    }
    return true;
}

static s64 move_input(void *argument)
{
    struct program *program = argument;
    u8 piece[PIECE_BYTES];
    u64 count;

    while ((count = byte_queue_wait(&program->input, piece, sizeof(piece))) > 0)
        if (!write_all(program->input_file, piece, count))
            break;
    byte_queue_close(&program->input);
    close(program->input_file);
    put(program);
    return 0;
}

// Waits for the program's end. Its output that is left in the pipe still comes. Its children may
// hold the pipe's other end for ever, so nobody waits for them.
static s64 wait_for_end(void *argument)
{
    struct program *program = argument;
    s32 status = 0;

    process_wait(program->pid, &status, THREAD_FOREVER);
    program->status = status;
    __atomic_store_n(&program->ended, 1, __ATOMIC_RELEASE);
    byte_queue_close(&program->input);
    put(program);
    return 0;
}

static s64 start_thread(struct program *program, const char *name, thread_function function)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;

    attributes.name = name;
    attributes.detached = true;
    __atomic_add_fetch(&program->references, 1, __ATOMIC_RELAXED);
    s64 error = thread_create(&thread, &attributes, function, program);
    if (error != 0)
        __atomic_sub_fetch(&program->references, 1, __ATOMIC_RELAXED);
    return error;
}

static s64 start_threads(struct program *program)
{
    s64 error = start_thread(program, "run end", wait_for_end);
    if (error != 0)
        return error;
    error = start_thread(program, "run output", move_output);
    if (error != 0) {
        close(program->output_file);
        byte_queue_end(&program->output);
    }
    s64 input_error = start_thread(program, "run input", move_input);
    if (input_error != 0) {
        close(program->input_file);
        byte_queue_close(&program->input);
    }
    return error != 0 ? error : input_error;
}

// ---- starting ----------------------------------------------------------------------------------

static s64 spawn(struct program *program, const char *path, struct process_spawn *wanted,
                 const struct posix_spawn_fd fds[3])
{
    char place[PATH_BYTES];
    cap_t process;

    wanted->rights = PROCESS_SAME_RIGHTS;
    if (program->image_bytes > 0) {
        wanted->image = program->image;
        wanted->bytes = program->image_bytes;
    } else {
        snprintf(place, sizeof(place), "%s%s", strchr(path, '/') == NULL ? "/bin/" : "", path);
        wanted->path = place;
    }
    s64 pid = posix_spawn_program(wanted, fds, 3, &process);
    if (pid > 0)
        sys_cap_drop(process);
    return pid;
}

static s64 spawn_with_pipes(struct program *program, const char *path, struct process_spawn *wanted,
                            const int output[2], const int input[2])
{
    const struct posix_spawn_fd fds[3] = {{0, input[0]}, {1, output[1]}, {2, output[1]}};

    s64 pid = spawn(program, path, wanted, fds);
    close(output[1]);
    close(input[0]);
    if (pid <= 0) {
        close(output[0]);
        close(input[1]);
        return pid;
    }
    program->pid = (u32)pid;
    program->output_file = output[0];
    program->input_file = input[1];
    s64 error = start_threads(program);
    if (error == 0)
        return pid;
    sys_process_kill(program->pid, 1);
    return error;
}

// Returns why there is no pipe: the file server, which has them, may be away.
static s64 no_pipe(void)
{
    return errno == ETIMEDOUT ? E_TIMEOUT : E_LIMIT;
}

s64 program_start(struct program *program, const char *path, u64 stack_bytes, u32 count,
                  const char *const arguments[])
{
    struct process_spawn wanted = PROCESS_SPAWN;
    const char *list[count + 1];
    int output[2], input[2];

    memcpy(list, arguments, count * sizeof(*list));
    list[count] = NULL;
    wanted.argv = list;
    wanted.stack_bytes = stack_bytes;
    if (pipe(output) != 0)
        return no_pipe();
    if (pipe(input) != 0) {
        s64 error = no_pipe();
        close(output[0]);
        close(output[1]);
        return error;
    }
    s64 pid = spawn_with_pipes(program, path, &wanted, output, input);
    free(program->image);
    program->image = NULL;
    return pid;
}

// ---- while it runs -----------------------------------------------------------------------------

s64 program_read(struct program *program, void *buffer, u64 bytes)
{
    u64 count = byte_queue_take(&program->output, buffer, bytes);

    if (count > 0)
        return (s64)count;
    return byte_queue_over(&program->output) ? E_PEER : 0;
}

s64 program_write(struct program *program, const void *bytes, u64 count)
{
    return (s64)byte_queue_put(&program->input, bytes, count);
}

void program_end_input(struct program *program)
{
    byte_queue_end(&program->input);
}

bool program_ended(const struct program *program, s32 *status)
{
    if (__atomic_load_n(&program->ended, __ATOMIC_ACQUIRE) == 0)
        return false;
    *status = program->status;
    return true;
}

void program_close(struct program *program)
{
    if (program->pid != 0 && __atomic_load_n(&program->ended, __ATOMIC_ACQUIRE) == 0)
        sys_process_kill(program->pid, 1);
    byte_queue_close(&program->output);
    byte_queue_close(&program->input);
    put(program);
}
