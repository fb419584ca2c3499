/* pprof_bytes.h - a small profile.proto, byte by byte, and what is made of it: for tests of
 * reading. */
#pragma once

#include <stddef.h>

/* One sample of 4096 bytes inuse_space, main.work called by main.main, label bytes=64, taken at
 * 1700000000 s, period 524288. */
#define PPROF_MINIMAL_TYPES  "\x0a\x04\x08\x01\x10\x02"
#define PPROF_MINIMAL_SAMPLE "\x12\x0e\x0a\x02\x01\x02\x12\x02\x80\x20\x1a\x04\x08\x02\x18\x40"
#define PPROF_MINIMAL_LOCATIONS                                                                    \
    "\x22\x0d\x08\x01\x18\x80\xa0\x80\x02\x22\x04\x08\x01\x10\x0c"                                 \
    "\x22\x0d\x08\x02\x18\x80\xa2\x80\x02\x22\x04\x08\x02\x10\x1e"
#define PPROF_MINIMAL_FUNCTIONS                                                                    \
    "\x2a\x08\x08\x01\x10\x03\x18\x03\x20\x04"                                                     \
    "\x2a\x08\x08\x02\x10\x05\x18\x05\x20\x04"
#define PPROF_MINIMAL_STRINGS                                                                      \
    "\x32\x00"                                                                                     \
    "\x32\x0binuse_space"                                                                          \
    "\x32\x05"                                                                                     \
    "bytes"                                                                                        \
    "\x32\x09main.work"                                                                            \
    "\x32\x07main.go"                                                                              \
    "\x32\x09main.main"                                                                            \
    "\x32\x05space"
#define PPROF_MINIMAL_TIME "\x48\x80\x80\xa8\xb1\xe3\x9f\xe7\xcb\x17"
#define PPROF_MINIMAL_REST PPROF_MINIMAL_TIME "\x5a\x04\x08\x06\x10\x02\x60\x80\x80\x20"
#define PPROF_MINIMAL_AFTER_SAMPLE                                                                 \
    PPROF_MINIMAL_LOCATIONS PPROF_MINIMAL_FUNCTIONS PPROF_MINIMAL_STRINGS PPROF_MINIMAL_REST
#define PPROF_MINIMAL PPROF_MINIMAL_TYPES PPROF_MINIMAL_SAMPLE PPROF_MINIMAL_AFTER_SAMPLE

/* `data` as one gzip member; the caller frees. */
char *gzip_bytes(const void *data, size_t size, size_t *packed_size);
