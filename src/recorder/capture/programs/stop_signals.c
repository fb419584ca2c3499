/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/stop_signals.h"

#include <signal.h>
#include <stddef.h>

#include "capture/rings/lifeline.h"

static volatile sig_atomic_t is_asked;

static void on_stop(int number)
{
    (void)number;
    is_asked = 1;
}

static void on_stop_at_once(int number)
{
    on_stop(number);
    lifeline_pull();
}

void stop_signals_catch(bool has_lifeline)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = has_lifeline ? on_stop_at_once : on_stop};
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        sigaction(stops[i], &action, NULL);
    if (has_lifeline)
        sigaction(SIGQUIT, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool stop_signals_asked(void)
{
    return is_asked;
}
