# SPDX-License-Identifier: MIT
# bzip2 and bzip2recover. bzdiff and its kin are scripts for a shell that is not here.
PACKAGE := bzip2
PROGRAMS := bzip2=bzip2.c bzip2recover=bzip2recover.c
SRC := blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c
INC := .
# Its own samples, for its own test.
FILES := $(foreach sample,sample1.bz2 sample1.ref sample2.bz2 sample2.ref sample3.bz2 sample3.ref,\
    ports/bzip2/$(sample)=$(PORT_DIR)/$(sample))
