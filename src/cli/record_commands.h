/* record_commands.h - the commands of `memoir-record`, as in commands.h. */
#pragma once

int cmd_run(int argc, char **argv);
