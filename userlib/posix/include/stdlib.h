// SPDX-License-Identifier: MIT
// newlib's <stdlib.h>, with room for UTF-8 (<uchar.h>).
#include_next <stdlib.h>

#undef MB_CUR_MAX
#define MB_CUR_MAX 4
