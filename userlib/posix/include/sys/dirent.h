// SPDX-License-Identifier: MIT
// Directories, behind newlib's <dirent.h>.
#ifndef _SYS_DIRENT_H
#define _SYS_DIRENT_H

#include <sys/types.h>

#define MAXNAMLEN 255
#define _DIRENT_HAVE_D_TYPE

#define DT_UNKNOWN 0
#define DT_FIFO 1
#define DT_CHR 2
#define DT_DIR 4
#define DT_REG 8
#define DT_LNK 10
#define DT_SOCK 12

struct dirent {
    ino_t d_ino;
    unsigned char d_type; // DT_*
    char d_name[MAXNAMLEN + 1];
};

typedef struct posix_directory DIR;

#endif
