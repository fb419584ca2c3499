/* golden.h - output compared with a file that a person has read and found right.
 *
 * Files stand in golden/ beside the test.  To refresh them after a wanted change, run the test with
 * MEMOIR_UPDATE_GOLDEN=1 and read the difference before committing it. */
#pragma once

/* Fails the test when `text` is not the content of golden/`name`.  `test_file` is __FILE__. */
void golden_check(const char *test_file, const char *name, const char *text);
