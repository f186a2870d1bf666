// SPDX-License-Identifier: MIT
// The template of the code that writes rows on the fast path of calls. Shared by C and assembly.
#ifndef KERNEL_LOG_FAST_LAYOUT_H
#define KERNEL_LOG_FAST_LAYOUT_H

#define LOG_SIDES 4       // a call's and an answer's, sent and taken
#define LOG_CODE_WORDS 13 // the longest: five entries

// Where each part of the template begins. Entries end with an access to displacement 0.
#define LOG_WORD_EVENT 0
#define LOG_WORD_CURRENT 2
#define LOG_WORD_CORRESPONDENT 3
#define LOG_WORD_OLD 4 // a load
#define LOG_WORD_SUM 5
#define LOG_WORD_COUNTER 7
#define LOG_WORD_STAMP 9
#define LOG_WORD_NEXT 12
#define LOG_WORDS 16 // and behind them the side's first instruction

#endif
