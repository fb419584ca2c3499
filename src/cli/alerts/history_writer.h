/* history_writer.h - writes the history for a recorder that may open no files.
 *
 * A side process (side_process.h) opens the history.  It gives up all rights before that but those
 * to the folder of the file, for a history is a file of a stranger, too; and it learns what to add
 * by messages that it checks (history_message.h).  Nobody waits for it while the recorder
 * records. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "store/history/history.h"

struct history_writer;

/* To be called while there is one thread.  Returns NULL with `fault` if the history cannot be
 * written; `path` is borrowed until the end. */
struct history_writer *history_writer_begin(const char *path, struct fault *fault);

/* Sends the snapshot and returns at once. */
void history_writer_add(struct history_writer *writer, const struct history_snapshot *snapshot);

/* Waits until what was sent is written, unless that fails or takes too long; frees.  Returns the
 * number of snapshots that are missing. */
uint64_t history_writer_end(struct history_writer *writer);
