// SPDX-License-Identifier: MIT
// What the monitor asks of a process's library (EVENT_MONITOR): S000 §3.2.1 "Object Scan" for user
// objects, and the switches of DREF counting and tracing. The answer goes through the monitor buffer at
// USER_MONITOR, a shared region of process and kernel.
#ifndef ORRERY_MONITOR_H
#define ORRERY_MONITOR_H

//                               arguments                  results          in the buffer
#define MONITOR_SCAN 1  // cursor, bytes              new cursor       struct sys_object records
#define MONITOR_CLASS 2 // index                                       struct sys_class
#define MONITOR_DREF_ENABLE 3 // on
#define MONITOR_DREF_READ                                                                          \
    4 // cursor, bytes              new cursor       struct sys_dref_count records
#define MONITOR_TRACE_MASK 5 // mask, mode (0: as it is)
#define MONITOR_TRACE_READ 6 // cpu, flush                                  one packet
#define MONITOR_TRACE_STAT 7 // cpu                                         struct sys_trace_stat
#define MONITOR_MOVE 8 // cpu                                         all its threads go to that CPU

#endif
