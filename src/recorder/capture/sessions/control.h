/* control.h - what a running recorder can be asked, from another terminal.
 *
 * A socket that is found by the number of the watched process (control_socket.h).  Only the
 * recorder's own user and root are heard, and whoever asks checks in turn who answers.  A request
 * and its answer are one line of text each.  A slow or silent peer costs the recorder nothing: it
 * never waits. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

#define CONTROL_TEXT_MAX 512

/* Answers a request: "" when done, else what is wrong. */
typedef void (*control_fn)(void *context, const char *request, char answer[CONTROL_TEXT_MAX]);

struct control;

/* Listens for requests about `pid`.  NULL when that cannot be; the recorder does without. */
struct control *control_open(pid_t pid, control_fn answer, void *context);
void control_close(struct control *control);
/* Deals with what has arrived; looks a few times a second at most. */
void control_look(struct control *control, uint64_t now_ns);

/* The other side: asks the recorder of `pid`.  0, -ESRCH when nothing records it, or another
 * -errno; `fault` says it. */
int control_ask(pid_t pid, const char *request, struct fault *fault);
