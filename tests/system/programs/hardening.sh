#!/usr/bin/env bash
# scripts/check-hardening finds each protection that is left out.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cat >one.c <<'END'
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char text[32];
    strcpy(text, argv[0]);
    printf("%s %d\n", text, argc);
    return 0;
}
END
compile=(-O2 -fstack-protector-strong -fcf-protection=full -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fPIE)
link=(-pie "-Wl,-z,relro" "-Wl,-z,now" "-Wl,-z,noexecstack" "-Wl,-z,shstk")

# said FLAG...: what check-hardening says of a program that is built with these at the end.
said() {
    gcc "${compile[@]}" one.c -o one "${link[@]}" "$@" 2>gcc.err || cat gcc.err
    "$TOP/scripts/check-hardening" "$PWD/one" 2>&1
}
finds() { # finds CASE WORDS FLAG...
    local wanted=$2 text
    text=$(said "${@:3}")
    if grep -q -- "$wanted" <<<"$text"; then echo "ok $1"; else echo "not ok $1: ${text:-it says nothing}"; fi
}
finds_object() { # finds_object CASE WORDS FLAG...
    local text
    gcc "${compile[@]}" "${@:3}" -c one.c -o one.o
    text=$("$TOP/scripts/check-hardening" "$PWD/one.o" 2>&1)
    if [ -z "$2" ]; then equal "$1" "" "$text"; return; fi
    if grep -q -- "$2" <<<"$text"; then echo "ok $1"; else echo "not ok $1: ${text:-it says nothing}"; fi
}

equal whole-is-silent "" "$(said)"
finds relro "no GNU_RELRO" -Wl,-z,norelro
finds bind-now "no BIND_NOW" -Wl,-z,lazy
finds executable-stack "an executable stack" -Wl,-z,execstack
finds rpath "-rpath" -Wl,-rpath,/tmp
finds pie "always at the same address" -no-pie -fno-pie
finds protector "no __stack_chk_fail" -fno-stack-protector
finds fortify "__memcpy_chk" -U_FORTIFY_SOURCE
link=(-pie "-Wl,-z,relro" "-Wl,-z,now" "-Wl,-z,noexecstack")
finds shadow-stack "shadow stacks"
finds_object object-is-silent ""
finds_object object-protector "no __stack_chk_fail" -fno-stack-protector
finds_object object-fortify "printf without checks" -U_FORTIFY_SOURCE
finds_object object-cet "without IBT and SHSTK" -fcf-protection=none
finds_object object-half-cet "without IBT and SHSTK" -fcf-protection=return
