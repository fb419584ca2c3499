/* perf_data_format.h - numbers of perf.data that <linux/perf_event.h> does not have, and functions
 * to read its words.
 *
 * file:    0 "PERFILE2"   8 u64 header size (104; 16: pipe mode)   16 u64 attribute entry size
 *          24 attributes: u64 offset, size   40 data: u64 offset, size   72 features: 256 bits
 * record:  0 u32 type   4 u16 misc   6 u16 size, including these 8 bytes */
#pragma once

#include <stdint.h>
#include <string.h>

#define PERF_FILE_MAGIC        "PERFILE2"
#define PERF_FILE_MAGIC_OTHER  "2ELIFREP" /* from a machine with the other byte order */
#define PERF_FILE_MAGIC_OLD    "PERFFILE"
#define PERF_FILE_MAGIC_BYTES  8u
#define PERF_FILE_HEADER_BYTES 104u
#define PERF_PIPE_HEADER_BYTES 16u
#define PERF_FEATURE_WORDS     4u

/* Records that perf writes, not the kernel. */
enum perf_user_record {
    PERF_USER_ATTR = 64,
    PERF_USER_TRACING_DATA = 66,
    PERF_USER_BUILD_ID = 67,
    PERF_USER_FINISHED_ROUND = 68,
    PERF_USER_AUXTRACE = 71,
    PERF_USER_EVENT_UPDATE = 78,
    PERF_USER_FEATURE = 80,
    PERF_USER_COMPRESSED = 81,
    PERF_USER_COMPRESSED2 = 83,
    PERF_USER_LIMIT = 128 /* no record has a type this large */
};

enum perf_feature {
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOSTNAME = 3,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_VERSION = 5,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_NRCPUS = 7,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12,
    PERF_FEATURE_SAMPLE_TIME = 21,
    PERF_FEATURE_CLOCK_DATA = 29,
};

#define PERF_BUILD_ID_BYTES    20u
#define PERF_BUILD_ID_HAS_SIZE (1u << 15) /* bit of misc, in the list of build ids */
#define PERF_KERNEL_PID        UINT32_MAX

static inline uint64_t perf_word(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint32_t perf_half(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* One complete record.  `body` has record size - 8 bytes. */
struct perf_record {
    uint32_t type;
    uint16_t misc;
    uint32_t size; /* size of the body */
    const uint8_t *body;
};
