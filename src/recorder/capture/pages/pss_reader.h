/* pss_reader.h - proportional resident memory of the recorded processes, read by a thread of its
 * own.
 *
 * The kernel walks every resident page for one number, and the mmap and munmap of the process
 * may wait for it meanwhile.  So rings are never left unread for it, all reads together take at
 * most one part in a hundred of the time, and of processes with more than PSS_RSS_MOST resident
 * it is not asked at all.  What cannot be read is missing: never an error. */
#pragma once

#include <stdint.h>

#define PSS_RSS_MOST (INT64_C(1) << 30) /* bytes: about 20 ms */
#define PSS_SHARE    100u               /* at most one part in so many of the time */
#define PSS_PIDS_MAX 256u               /* further processes are not read */

struct pss_reader;

struct pss_reader *pss_reader_create(void);         /* NULL when it cannot be */
void pss_reader_destroy(struct pss_reader *reader); /* NULL is fine */

/* What was read of `pid` last, once: 0 when nothing has been since it was asked before.  The
 * first question makes it one of those that are read, about once a second, sooner at first.
 * Never waits for a read.  `reader` may be NULL: 0. */
int64_t pss_reader_collect(struct pss_reader *reader, uint32_t pid);

/* It is not read any more; returns while it may still be read once. */
void pss_reader_forget(struct pss_reader *reader, uint32_t pid);
