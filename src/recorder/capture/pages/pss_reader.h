/* pss_reader.h - reads the proportional resident memory (PSS) of the recorded processes, in a
 * thread of its own.
 *
 * For one number, the kernel walks every resident page, and mmap and munmap of the process may wait
 * meanwhile.  So the reader of rings never waits for it, all reads together take at most one
 * hundredth of the time, and a process with more than PSS_RSS_MOST resident bytes is not read at
 * all.  What cannot be read is missing, which is no error. */
#pragma once

#include <stdint.h>

#define PSS_RSS_MOST (INT64_C(1) << 30) /* Bytes; takes about 20 ms. */
#define PSS_SHARE    100u               /* At most one part in this many of the time. */
#define PSS_PIDS_MAX 256u               /* Further processes are not read. */

struct pss_reader;

struct pss_reader *pss_reader_create(void);         /* NULL on failure. */
void pss_reader_destroy(struct pss_reader *reader); /* NULL is allowed. */

/* Returns what was read of `pid` last, once: 0 if nothing was read since the last call.  From the
 * first call on, the process is read about once a second, sooner at first.  Never waits for a
 * read.  `reader` may be NULL: returns 0. */
int64_t pss_reader_collect(struct pss_reader *reader, uint32_t pid);

/* Stops reading the process; one more read may happen after the return. */
void pss_reader_forget(struct pss_reader *reader, uint32_t pid);
