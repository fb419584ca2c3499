#!/bin/sh
# Turns text files into C: embed-text.sh HEADER SOURCE FILE...
# Each becomes `const char embedded_NAME[]`, NAME being the file's name with _ for the dot, ending in a NUL.
set -eu

header=$1
source=$2
shift 2

made='/* Made by scripts/embed-text.sh; do not edit. */'
printf '%s\n#pragma once\n' "$made" >"$header"
printf '%s\n#include "report/embedded.h"\n' "$made" >"$source"
for file in "$@"; do
    name=$(basename "$file" | tr . _)
    printf 'extern const char embedded_%s[];\n' "$name" >>"$header"
    {
        printf 'const char embedded_%s[] = {\n' "$name"
        od -An -v -tx1 "$file" | sed -e "s/ \(..\)/'\\\\x\1',/g"
        printf '0};\n'
    } >>"$source"
done
