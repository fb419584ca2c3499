/* signal_frame.h - where the kernel keeps the registers of a thread that runs a signal handler.
 *
 * A ucontext lies at the stack pointer of the code that returns from the handler; it contains a row
 * of words.  Each machine/ARCHITECTURE/signal_frame.h defines
 *   SIGNAL_WORDS_AT  bytes from the start of the context to the first word
 *   SIGNAL_ORDER     an initializer: for each word the number of its register
 *   SIGNAL_FP_WORD, SIGNAL_SP_WORD, SIGNAL_IP_WORD  the indexes of the words that hold these */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/signal_frame.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
