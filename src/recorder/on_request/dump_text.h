/* dump_text.h - stacks of threads as text, in the formats that Go has for goroutines. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "on_request/thread_dump.h"

/* debug=1: each distinct stack once, with its count, the most frequent first.  Returns 0 or
 * -ENOMEM. */
int dump_write_grouped(const struct thread_dump *dump, bool hides_addresses, FILE *out);

/* debug=2: thread by thread, with what each does. */
void dump_write_threads(const struct thread_dump *dump, bool hides_addresses, FILE *out);
