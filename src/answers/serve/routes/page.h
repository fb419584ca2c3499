/* page.h - what web/ was made into, as it is served: one document, its script, its style.
 *
 * All three are empty when the page was not built: without node or its packages (see web/make). */
#pragma once

#include <stddef.h>

extern const char page_html[], page_js[], page_css[];
extern const size_t page_html_size, page_js_size, page_css_size;
