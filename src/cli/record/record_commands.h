/* record_commands.h - the commands of `memoir-record`, as in commands.h. */
#pragma once

int cmd_run(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_pages(int argc, char **argv);
int cmd_cpu(int argc, char **argv);
int cmd_doctor_process(int argc, char **argv); /* memoir doctor PID */
int cmd_live(int argc, char **argv); /* for memoir serve: see serve/content/live_words.h */
int cmd_namer(int argc, char **argv);
int cmd_names(int argc, char **argv); /* for memoir itself: see name_lines.h */
