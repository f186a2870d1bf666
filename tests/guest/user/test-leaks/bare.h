// SPDX-License-Identifier: MIT
// The process without a library, shared by C and assembly.
#ifndef TEST_LEAKS_BARE_H
#define TEST_LEAKS_BARE_H

#define BARE_PAGE 0x1000
#define BARE_PAGES 3      // its start, the upcall of a kick, that of an exception: struct registers
#define BARE_IMAGE 0x800  // in the first page: its struct sys_process_image
#define BARE_UPCALL 0x200 // of its code: where upcalls come

#endif
