/* tree_form.h - inside tree_text: the words of the two forms. */
#pragma once

#include "serve/content/tree_parts.h"

/* Names, head and tail.  0 or -ENOMEM. */
int tree_form_write(struct tree_text *text, const struct recording *recording);

/* What stands after the name of a node up to its children, and after them; the size of it. */
size_t tree_form_open(const struct tree_text *text, uint32_t node, char into[NODE_TEXT_MOST]);
size_t tree_form_close(const struct tree_text *text, uint32_t node, char into[NODE_TEXT_MOST]);
