/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_terminal.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* What a signal handler may use: no ncurses, which was perhaps at work. */
static struct {
    struct termios before;
    char goodbye[256]; /* switches back to the other screen, shows the cursor, plain text */
    size_t goodbye_size;
    volatile sig_atomic_t is_taken;
} terminal;

static const int fatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,  SIGALRM,
                            SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT,  SIGSYS,
                            SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2, SIGVTALRM};

static void give_back(void)
{
    ssize_t const ignored = write(STDOUT_FILENO, terminal.goodbye, terminal.goodbye_size);
    (void)ignored;
    tcsetattr(STDOUT_FILENO, TCSANOW, &terminal.before);
}

static void on_fatal(int number)
{
    if (terminal.is_taken)
        give_back();
    terminal.is_taken = 0;
    signal(number, SIG_DFL);
    raise(number);
}

static void keep_string(const char *text)
{
    size_t const size = text && text != (char *)-1 ? strlen(text) : 0;
    if (terminal.goodbye_size + size <= sizeof(terminal.goodbye)) {
        memcpy(terminal.goodbye + terminal.goodbye_size, text ? text : "", size);
        terminal.goodbye_size += size;
    }
}

static void prepare_goodbye(void)
{
    terminal.goodbye_size = 0;
    keep_string(exit_attribute_mode);
    keep_string(cursor_normal);
    keep_string(keypad_local);
    keep_string(exit_ca_mode);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
        struct sigaction action = {.sa_handler = on_fatal};
        sigaction(fatal[i], &action, NULL);
    }
}

int top_terminal_begin(struct fault *fault)
{
    setlocale(LC_CTYPE, "");
    if (tcgetattr(STDOUT_FILENO, &terminal.before) < 0)
        return fault_set(fault, -errno, "the output is not a terminal; --once prints one page");
    if (!newterm(NULL, stdout, stdin)) {
        const char *name = getenv("TERM");
        return fault_set(fault, -ENOTTY,
                         "the terminal type \"%s\" is not known here; set TERM to the right type, "
                         "or use --once",
                         name ? name : "");
    }
    prepare_goodbye();
    terminal.is_taken = 1;
    atexit(top_terminal_end);
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    return 0;
}

void top_terminal_end(void)
{
    if (!terminal.is_taken)
        return;
    terminal.is_taken = 0;
    endwin();
}
