/* heaptrack_format.h - what the writer and the reader of heaptrack files both know.
 *
 * A file is lines: a letter, a blank, fields with a blank between them.  Numbers are lower-case
 * hex. Tables are numbered by order of appearance.  *Raw* files have what the program's side
 * wrote, addresses; *interpreted* ones what heaptrack_interpret made of it, names.
 *
 *   letter  raw                                interpreted
 *   v       heaptrack's version, format        the same
 *   x       string: the executable
 *   X       the command line, as it is         the same
 *   I       bytes of a page, pages             the same
 *   S       a leak rule, as it is              the same
 *   A       recorded by attaching              the same
 *   m       string: module (- forgets all, x is the executable), bias, {address, bytes} of
 *           segments
 *   s                                          string                               from 1
 *   i                                          address, module, {function, file, line}   from 1
 *   t       address, caller (0: none)          place, caller                        from 1
 *   a                                          bytes, trace                         from 0
 *   +       bytes, trace, pointer              info
 *   -       pointer                            info
 *   c       ms since the start                 the same
 *   R       resident pages                     the same
 *   #       comment                            the same
 *
 * A string is its length, a blank, its bytes; before format 3 the bytes alone, to the end of the
 * line, or in `m` to the next blank.  Before format 2 a place has no inlined functions; format 0
 * has no infos, and + and - as in raw files. */
#pragma once

#include <stdint.h>

enum heaptrack_letter {
    HEAPTRACK_VERSION = 'v',
    HEAPTRACK_EXECUTABLE = 'x',
    HEAPTRACK_COMMAND = 'X',
    HEAPTRACK_SYSTEM = 'I',
    HEAPTRACK_RULE = 'S',
    HEAPTRACK_ATTACHED = 'A',
    HEAPTRACK_MODULE = 'm',
    HEAPTRACK_STRING = 's',
    HEAPTRACK_PLACE = 'i',
    HEAPTRACK_TRACE = 't',
    HEAPTRACK_INFO = 'a',
    HEAPTRACK_ALLOCATION = '+',
    HEAPTRACK_FREE = '-',
    HEAPTRACK_TIME = 'c',
    HEAPTRACK_RSS = 'R',
    HEAPTRACK_COMMENT = '#',
};

#define HEAPTRACK_FORMAT     3       /* that we write, and the newest we read */
#define HEAPTRACK_WRITTEN_BY 0x10400 /* 1.4.0, as which we write */
#define HEAPTRACK_STAMP_NS   UINT64_C(1000000)
#define HEAPTRACK_PAGE_BYTES 4096 /* when a file or a recording does not say */

#define HEAPTRACK_COMMAND_MAX 4096 /* bytes of a command line that heaptrack writes */

/* What heaptrack's unwinder leaves of a stack at most: 64 frames, two of which are its own. */
#define HEAPTRACK_FRAMES_MAX 62

/* Comments of ours. */
#define HEAPTRACK_MADE_UP                                                                          \
    "# written by memoir from sums per call stack and time; sizes and order of single blocks are " \
    "made up"
#define HEAPTRACK_SCALED "about one event in " /* begins the one that says how many are left out */
#define HEAPTRACK_FACT   "# memoir "           /* then the name of a fact, a blank, its value */
