/* page.h - the web page that the server sends, made from web/: one document, its script, its style.
 *
 * All three are empty if the page was not built, because node or its packages were missing (see
 * web/make). */
#pragma once

#include <stddef.h>

extern const char page_html[], page_js[], page_css[];
extern const size_t page_html_size, page_js_size, page_css_size;
