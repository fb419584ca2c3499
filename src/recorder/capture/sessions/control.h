/* control.h - what a running recorder can be asked, from another terminal.
 *
 * The recorder listens on a socket that is found by the PID of the watched process
 * (control_socket.h).  Only the recorder's own user and root are answered, and the asking side
 * checks in turn who answers.  A request and its answer are one line of text each.  The recorder
 * never waits for a slow or silent peer. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

#define CONTROL_TEXT_MAX 512

/* Answers a request: "" when done, else a sentence that says what is wrong. */
typedef void (*control_fn)(void *context, const char *request, char answer[CONTROL_TEXT_MAX]);

struct control;

/* Listens for requests about `pid`.  Returns NULL on failure; the recorder goes on without. */
struct control *control_open(pid_t pid, control_fn answer, void *context);
void control_close(struct control *control);
/* Handles what has arrived; looks a few times a second at most. */
void control_look(struct control *control, uint64_t now_ns);

/* The other side: asks the recorder of `pid`.  Returns 0; -ESRCH if `pid` is not recorded; or
 * another -errno.  `fault` says why. */
int control_ask(pid_t pid, const char *request, struct fault *fault);
