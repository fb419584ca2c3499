/* live_words.h - how the server asks its helper to look into a process: `memoir-record live KIND
 * PID NUMBER FORM`.
 *
 * The answer is on standard output and the status 0; else one sentence is on standard error. */
#pragma once

#define LIVE_PROGRAM "memoir-record"
#define LIVE_COMMAND "live"

/* KIND, and what NUMBER is. */
#define LIVE_CPU     "cpu"     /* time on processors, in so many seconds */
#define LIVE_WALL    "wall"    /* the same and time spent waiting */
#define LIVE_THREADS "threads" /* every thread's stack now; 0, 1 or 2: Go's `debug` */

/* FORM: how, and "-" in front when addresses of the process are not to be shown. */
#define LIVE_PPROF  "pprof"
#define LIVE_FOLDED "folded"
#define LIVE_TEXT   "text"
#define LIVE_HIDES  '-'
