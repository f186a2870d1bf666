// SPDX-License-Identifier: MIT
// The type jmp_buf, in place of newlib's: that is for 32 bits, and has no room for what setjmp of
// userlib/libc saves. <setjmp.h> includes this file.
#ifndef USERLIB_MACHINE_SETJMP_H
#define USERLIB_MACHINE_SETJMP_H

#define SETJMP_BYTES 320 // r1, r2, lr, cr, r14 to r31, f14 to f31

#ifndef __ASSEMBLER__
#define _JBTYPE double
#define _JBLEN (SETJMP_BYTES / 8)
typedef _JBTYPE jmp_buf[_JBLEN];
#endif

#endif
