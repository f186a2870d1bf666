// SPDX-License-Identifier: MIT
// Every limit of the server. The hello tells clients the ones that concern them. Sizes are in
// bytes.
#ifndef DCI_BOUNDS_H
#define DCI_BOUNDS_H

#define DCI_VERSION 2
#define DCI_PORT 4242

#define CLIENTS_MAX 16                  // clients with a role
#define OBSERVERS_MAX (CLIENTS_MAX - 1) // one place is kept for a controller
#define STRANGERS_MAX 24                // connections without a role
#define SLOTS_MAX (CLIENTS_MAX + STRANGERS_MAX)
#define CHUNK_BYTES_MAX 8192                      // data in one request
#define REQUEST_BYTES_MAX (CHUNK_BYTES_MAX + 512) // a run_start with its arguments is about as long
#define WAITING_BYTES_MAX 65536 // waiting requests; with more the client is closed
#define TOKEN_BYTES_MAX 64
#define WRONG_TOKENS_MAX 3

// The longest frame that is sent: a trace packet of 64 KB, and the fields around it.
#define FRAME_BYTES_MAX (65536 + 128)
// Raw records of scans are read in pieces of this size. No piece grows by more than a tenth when it
// is encoded, so it always fits a frame.
#define RECORDS_BYTES_MAX 57344

// A block holds one frame of the longest kind, or several short ones. Its size and header together
// are just below a power of two, which is what the allocator gives.
#define BLOCK_BYTES (131072 - 256)
#define PUSH_BLOCKS_MAX 32  // pushed data that waits for one client
#define ANSWER_BLOCKS_MAX 4 // responses that wait for one client; then its requests have to wait
#define NEWS_BLOCKS_MAX 2   // begins and ends, beyond pushed data; then the client is disconnected
#define SPARE_BLOCKS_MAX 32 // free blocks kept for later

#define HELLO_SECONDS 5     // for a new connection to get a role
#define IDLE_SECONDS 8      // a client that takes no waiting byte for so long counts as gone
#define FINISHED_SECONDS 8  // for the answers to a client that sends no more, and may be gone
#define CLOSE_SECONDS 2     // for a client to take the last message before it is closed
#define FINISHED_PAUSE_MS 2 // between requests of a client that sends no more: shows if it is gone
#define TURN_MS 4           // a client's turn ends after so much work,
#define STEPS_A_TURN 16     // or after so many steps of its requests

#define VISITS_MAX 512  // processes that are asked at once for one request
#define ROOM_FIRST 4096 // the first question to a process; each later one asks for twice as much
// Bytes of answers that wait for the client's queue; beyond them nothing more is asked.
#define ROUND_BYTES_MAX 524288
#define LIST_QUESTIONS_MAX 48  // to one process for one request: enough for LIST_BYTES_MAX
#define FEW_QUESTIONS 4        // a process that needs more is asked after the others,
#define HEAD_START_MS 100      // which get so long to answer
#define LIST_BYTES_MAX 2097152 // of one process for one request; the rest is not taken
#define SWITCHING_RETRY_MS 20  // until switching is tried again after memory was short
#define FAILURES_MAX 256       // processes that have failed lately
// Until a process that has failed is asked again with the others: twice as long after each further
// failure, up to the maximum.
#define FAILURE_SECONDS 5
#define FAILURE_SECONDS_MAX 60
#define COUNTED_PROCESSES_MAX 4096 // processes whose DREFs are counted; further ones are not
#define LOGGED_PROCESSES_MAX 1024  // processes whose sleep locks are logged; further ones are not
#define LOGS_BYTES_MAX 32768       // records that a process is asked for at once
#define LOGS_A_PROCESS 64          // questions in one reading; the rest comes with the next one
#define CLIENT_MONITORS_MAX 4      // monitors that end with a client
#define KEPT_MONITORS_MAX 16       // monitors that do not
#define MONITOR_TRACKS_MAX 32      // of one monitor
#define MONITOR_RING_BYTES 65536   // if a client asks for no size
#define MONITOR_READ_BYTES 32768   // records in one frame
#define FILTER_PIDS_MAX 32
#define EXCLUDED_MAX 32            // processes that a client leaves out of counting
#define RUNS_MAX 64                // programs of all clients
#define CLIENT_RUNS_MAX 32         // programs of one client
#define UPLOAD_BYTES_MAX 16777216  // of one program
#define UPLOADS_BYTES_MAX 33554432 // of all programs that have not started
#define UPLOAD_SECONDS 30          // until an upload that does not go on is given up
#define OUTPUT_BYTES_MAX 16384     // output of a program or the console in one frame

#define VISIT_PACKETS_MAX 64 // of a process in a round; of a process that has ended, for each CPU
#define PACKETS_A_ROUND 16   // pushed for each CPU before others have their turn
#define TRACE_INTERVAL_MS 10 // between two looks at the rings while packets get full
#define TRACE_INTERVAL_MS_MAX 50     // while none does; less for rings with few sub-buffers
#define TRACE_BUSY_MS 100            // for so long after a full packet they are looked at often
#define PROCESS_TRACE_INTERVAL_MS 50 // between two looks at full packets of processes
#define PROCESS_FLUSH_MS 500         // at least, between two wishes for those that are not full
#define SAMPLING_INTERVAL_MS 10      // between two looks at the buffers while they hold much
#define SAMPLING_INTERVAL_MS_MAX 160 // while they hold little
#define SAMPLES_BYTES_FEW 4096       // the first read: the kernel copies as much as it is asked for
#define SUMS_POLL_MS 250             // between two looks while nobody gets single samples
#define SUMS_POLL_PRECISE_MS 100     // the same, of precise samples
#define SUMS_INTERVAL_MS 1000        // between two pushes of sums
#define SUMS_PASSES 256              // reads of a buffer that hold all of the largest one
#define OUTPUT_INTERVAL_MS 20        // between two looks at programs' output
#define OUTPUT_INTERVAL_MS_MAX 250   // at a console that does not tell that something was printed
#define DISPLACED_MS 1000 // for a client whose trace is ended to take the rest of the buffers
#define FLUSH_MS_MIN 10
#define FLUSH_MS_MAX 60000
#define POWER_OFF_DELAY_MS 100 // for the answer to reach the viewer

_Static_assert(WAITING_BYTES_MAX >= 4 + REQUEST_BYTES_MAX, "a request must fit the input");
_Static_assert(FRAME_BYTES_MAX <= BLOCK_BYTES, "a frame must fit a block");
_Static_assert(LOGS_BYTES_MAX * 3 / 2 < FRAME_BYTES_MAX, "a record of 32 bytes takes at most 47");
_Static_assert(MONITOR_READ_BYTES * 3 / 2 < FRAME_BYTES_MAX,
               "a record of 32 bytes takes at most 48");
_Static_assert(RECORDS_BYTES_MAX + RECORDS_BYTES_MAX / 10 < FRAME_BYTES_MAX,
               "records must fit a frame");

#endif
