/* template_texts.h - giving back the pieces of a template, and the texts of the shipped ones. */
#pragma once

#include "nets/template.h"

void template_group_fini(struct template_group *group);
void template_list_fini(struct template_list *list);
