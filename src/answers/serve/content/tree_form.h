/* tree_form.h - inside tree_text: the JSON of its two forms. */
#pragma once

#include "serve/content/tree_parts.h"

/* Makes the names, the head and the tail.  Returns 0 or -ENOMEM. */
int tree_form_write(struct tree_text *text, const struct recording *recording);

/* Write the text that follows a node's name up to its children, and the text that follows the
 * children.  Return the size of the text. */
size_t tree_form_open(const struct tree_text *text, uint32_t node, char into[NODE_TEXT_MOST]);
size_t tree_form_close(const struct tree_text *text, uint32_t node, char into[NODE_TEXT_MOST]);
