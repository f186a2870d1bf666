// SPDX-License-Identifier: MIT
// Every limit of the server, in one place. Clients are told those that concern them in the hello.
#ifndef DCI_BOUNDS_H
#define DCI_BOUNDS_H

#define DCI_VERSION 2
#define DCI_PORT 4242

#define CLIENTS_MAX 16                  // with a role,
#define OBSERVERS_MAX (CLIENTS_MAX - 1) // of which one place is kept for a controller
#define STRANGERS_MAX 24                // connections without a role
#define SLOTS_MAX (CLIENTS_MAX + STRANGERS_MAX)
#define CHUNK_BYTES_MAX 8192                      // of data in one request
#define REQUEST_BYTES_MAX (CHUNK_BYTES_MAX + 512) // with its arguments a run_start is about as long
// Of requests that wait for those before them; with more the client is closed.
#define WAITING_BYTES_MAX 65536
#define TOKEN_BYTES_MAX 64
#define WRONG_TOKENS_MAX 3

// Longest frame that is sent: a trace packet of 64 KB and what is around it.
#define FRAME_BYTES_MAX (65536 + 128)
// The scans' raw records are read in pieces of this size: encoded, no piece grows by more than a
// tenth, so that it always fits a frame.
#define RECORDS_BYTES_MAX 57344

// A block holds one frame of the longest kind, or several short ones. With its header it is just
// below a power of two, which is what the allocator gives.
#define BLOCK_BYTES (131072 - 256)
#define PUSH_BLOCKS_MAX 32  // of pushed data that wait for one client
#define ANSWER_BLOCKS_MAX 4 // of responses; then its requests have to wait
#define NEWS_BLOCKS_MAX 2   // of what begins and ends, beyond pushed data; then it is disconnected
#define SPARE_BLOCKS_MAX 32 // free ones kept for later

#define HELLO_SECONDS 5    // to get a role
#define IDLE_SECONDS 8     // without taking a byte that waits: then it counts as gone
#define FINISHED_SECONDS 8 // for the answers to one that has sent its last, which may be gone
#define CLOSE_SECONDS 2    // to take the last message before a closing
// Between the requests of a client that has sent its last: if it has gone, that shows.
#define FINISHED_PAUSE_MS 2
#define TURN_MS 4       // of work for one client, and
#define STEPS_A_TURN 16 // of its requests, before others have their turn

#define VISITS_MAX 512  // processes that are asked at once for one request
#define ROOM_FIRST 4096 // bytes that a process is asked for first; then twice as many each time
// Of answers that wait for room in the client's queue: then nothing more is asked.
#define ROUND_BYTES_MAX 524288
#define LIST_QUESTIONS_MAX 48  // to one process for one request: more than LIST_BYTES_MAX takes
#define FEW_QUESTIONS 4        // whoever has needed more is asked after the others,
#define HEAD_START_MS 100      // which have so long to answer
#define LIST_BYTES_MAX 2097152 // of one process for one request: what is beyond is not taken
#define SWITCHING_RETRY_MS 20  // without memory for it; answers are looked at as they come
#define FAILURES_MAX 256       // processes that have failed of late
// Until one that did is asked again with the others; twice as long each time in a row.
#define FAILURE_SECONDS 5
#define FAILURE_SECONDS_MAX 60     // but no longer
#define COUNTED_PROCESSES_MAX 4096 // whose DREFs are counted; further ones are not
#define LOGGED_PROCESSES_MAX 1024  // whose sleep locks are; further ones are not
#define LOGS_BYTES_MAX 32768       // of records that a process is asked for at once
#define LOGS_A_PROCESS 64          // questions in one reading; what is left comes with the next
#define CLIENT_MONITORS_MAX 4      // that end with a client
#define KEPT_MONITORS_MAX 16       // that do not
#define MONITOR_TRACKS_MAX 32      // of one
#define MONITOR_RING_BYTES 65536   // where none are asked for
#define MONITOR_READ_BYTES 32768   // of records in one frame
#define FILTER_PIDS_MAX 32
#define EXCLUDED_MAX 32            // processes that a client leaves out of counting
#define RUNS_MAX 64                // programs of all clients
#define CLIENT_RUNS_MAX 32         // of one
#define UPLOAD_BYTES_MAX 16777216  // of one program
#define UPLOADS_BYTES_MAX 33554432 // of all that have not started
#define UPLOAD_SECONDS 30          // without going on
#define OUTPUT_BYTES_MAX 16384     // of a program or the console in one frame

#define VISIT_PACKETS_MAX 64 // of a process in a round; of one that has ended, a CPU
#define PACKETS_A_ROUND 16   // pushed a CPU before others have their turn
#define TRACE_INTERVAL_MS 10
#define PROCESS_TRACE_INTERVAL_MS 50
#define SAMPLING_INTERVAL_MS 10 // between two looks at the buffers while there is much in them
#define SAMPLING_INTERVAL_MS_MAX 40
#define SAMPLES_BYTES_FEW 4096 // asked for first: the kernel makes a copy of what is asked for
#define OUTPUT_INTERVAL_MS 20
#define DISPLACED_MS 1000 // for whose trace ends to take what the buffers hold
#define FLUSH_MS_MIN 10
#define FLUSH_MS_MAX 60000
#define POWER_OFF_DELAY_MS 100 // for the answer to reach the viewer

_Static_assert(WAITING_BYTES_MAX >= 4 + REQUEST_BYTES_MAX, "a request must fit the input");
_Static_assert(FRAME_BYTES_MAX <= BLOCK_BYTES, "a frame must fit a block");
_Static_assert(LOGS_BYTES_MAX * 3 / 2 < FRAME_BYTES_MAX, "a record of 32 bytes takes at most 47");
_Static_assert(MONITOR_READ_BYTES * 3 / 2 < FRAME_BYTES_MAX,
               "a record of 32 bytes takes at most 48");
_Static_assert(RECORDS_BYTES_MAX + RECORDS_BYTES_MAX / 10 < FRAME_BYTES_MAX, "as said above");

#endif
