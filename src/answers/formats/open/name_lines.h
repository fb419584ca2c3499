/* name_lines.h - what `memoir` asks `memoir-record names`, and how it answers: lines of text.
 *
 * A question is "ADDRESS BUILD PATH": the ELF virtual address of a call in hex, the build id of
 * the module or "-" when it is not known, the file of the module.  Its answer is a line with the
 * number of functions there, 0 when nothing is known, and then a line for each, innermost first:
 * "LINE\tFILE\tSYMBOL\tFUNCTION".  Texts have no control characters.  Answers come in the order
 * of the questions. */
#pragma once

#define NAME_PROGRAM "memoir-record"
#define NAME_COMMAND "names"
#define NAME_FIELDS  4
