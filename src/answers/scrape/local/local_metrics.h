/* local_metrics.h - a process of this machine that shows no metrics itself, in the text that
 * others show theirs in: what local_sample.h and tcp_sockets.h know of it. */
#pragma once

#include "scrape/local/local_sample.h"
#include "scrape/http/tcp_sockets.h"

/* `account` is NULL when its connections are not known.  `began_unix_s`: when the process began,
 * 0: not known.  The caller frees; NULL when out of memory. */
char *local_metrics_render(const struct local_sample *sample, const struct tcp_account *account,
                           double began_unix_s, size_t *size);
