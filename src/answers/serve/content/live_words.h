/* live_words.h - the command by which the server has its helper look into a process: `memoir-record
 * live KIND PID NUMBER FORM`.
 *
 * The helper writes the answer to standard output and exits with 0; otherwise it writes one
 * sentence to standard error. */
#pragma once

#define LIVE_PROGRAM "memoir-record"
#define LIVE_COMMAND "live"

/* KIND, and the meaning of NUMBER. */
#define LIVE_CPU     "cpu"     /* CPU time during NUMBER seconds */
#define LIVE_WALL    "wall"    /* CPU time and waiting time during NUMBER seconds */
#define LIVE_THREADS "threads" /* stacks of all threads now; NUMBER is 0, 1 or 2: Go's `debug` */

/* FORM of the answer; "-" before it hides addresses of the process. */
#define LIVE_PPROF  "pprof"
#define LIVE_FOLDED "folded"
#define LIVE_TEXT   "text"
#define LIVE_HIDES  '-'
