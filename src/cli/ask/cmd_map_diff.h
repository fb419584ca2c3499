/* cmd_map_diff.h - `memoir map diff`: what changed between two breakdowns, saved or of a process
 * now. */
#pragma once

int cmd_map_diff(int argc, char **argv); /* argv[0] is "diff" */
