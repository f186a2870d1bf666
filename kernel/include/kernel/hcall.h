// SPDX-License-Identifier: MIT
// Hypercalls. Any context.
#ifndef KERNEL_HCALL_H
#define KERNEL_HCALL_H

#include <orrery/types.h>

#define H_SUCCESS 0
#define H_PUT_TCE 0x20
#define H_LOGICAL_CI_LOAD 0x3c
#define H_LOGICAL_CI_STORE 0x40
#define H_GET_TERM_CHAR 0x54
#define H_PUT_TERM_CHAR 0x58
#define H_EOI 0x64
#define H_CPPR 0x68
#define H_IPI 0x6c
#define H_XIRR 0x74
#define H_CEDE 0xe0
#define H_VIO_SIGNAL 0x104
#define H_REGISTER_LOGICAL_LAN 0x114
#define H_FREE_LOGICAL_LAN 0x118
#define H_ADD_LOGICAL_LAN_BUFFER 0x11c
#define H_SEND_LOGICAL_LAN 0x120
#define H_SET_MODE 0x31c
#define H_REGISTER_PROC_TBL 0x37c
#define H_RTAS 0xf000
#define H_OF_CLIENT 0xf005

// Makes a hypercall with up to eight arguments in r4…r11 (unused ones 0). Returns r3. out, unless
// NULL, receives r4…r7.
s64 hcall(u64 number, const u64 arguments[8], u64 out[4]);

#define HCALL(number, ...) hcall((number), (const u64[8]){__VA_ARGS__}, NULL)

#endif
