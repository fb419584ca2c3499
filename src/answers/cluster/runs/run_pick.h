/* run_pick.h - a run as a command line names it: one folder, or some of the *.metrics files in
 * one. */
#pragma once

#include "cluster/runs/run.h"

/* The run of the folder; of files only those are kept that are named, all other kinds stay.  An
 * inventory among them is passed over: it is found anyway.  NULL with a sentence. */
struct run *run_pick(char *const *words, size_t count, struct fault *fault);
