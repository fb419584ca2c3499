/* name_lines.h - the protocol between `memoir` and `memoir-record names`: lines of text.
 *
 * A question is "ADDRESS BUILD PATH": the ELF virtual address of a call in hex, the build id of the
 * module or "-" if unknown, and the file of the module.  The answer is a line with the number of
 * functions at that address (0: unknown), then one line per function, innermost first:
 * "LINE\tFILE\tSYMBOL\tFUNCTION".  Texts have no control characters.  Answers are in the order of
 * the questions. */
#pragma once

#define NAME_PROGRAM "memoir-record"
#define NAME_COMMAND "names"
#define NAME_FIELDS  4
