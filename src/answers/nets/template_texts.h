/* template_texts.h - frees the parts of a template, and has the texts of the shipped templates. */
#pragma once

#include "nets/template.h"

void template_group_fini(struct template_group *group);
void template_list_fini(struct template_list *list);
