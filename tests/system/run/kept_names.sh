#!/usr/bin/env bash
# Names of the system's files are kept from one recording to the next, for the user who records alone, and are the same as when they
# are looked up; what is kept may be damaged, or not to be had, and nothing is lost but time.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

names_of() { # names_of FILE: all that the recording knows by name
    "$MEMOIR" report "$1" --json | jq -S '[.. | objects | select(has("function")) | {function, file, line}] | unique'
}

record_ls() { # record_ls FILE [COMMAND…]: ends with the number of namers that were started, or "?"
    local file=$1
    shift
    if command -v strace >/dev/null; then
        "$@" strace -f -qq -e trace=execve -e signal=none -o "$file.trace" "$MEMOIR" run --quiet --force -o "$file" -- ls / >/dev/null
        grep -c '"namer"' "$file.trace"
    else
        "$@" "$MEMOIR" run --quiet --force -o "$file" -- ls / >/dev/null
        echo '?'
    fi
}

export XDG_CACHE_HOME=$PWD/kept
kept=$XDG_CACHE_HOME/memoir/names
mkdir -m 700 "$XDG_CACHE_HOME"
unset DEBUGINFOD_URLS

first=$(record_ls first.memoir)
names_of first.memoir >first.names
at_least looked-up-at-first 1 "$(jq length first.names)"
equal kept-for-us-alone "$(id -u) 700" "$(stat -c '%u %a' "$kept")"
equal kept-as-ours "$(id -u) 600" "$(stat -c '%u %a' "$kept"/* | sort -u)"
second=$(record_ls second.memoir)
names_of second.memoir >second.names
if cmp -s first.names second.names; then ok the-same-again; else not_ok the-same-again "$(diff first.names second.names | head -n 5)"; fi
if [ "$first" = '?' ]; then
    skip no-namer-again "no strace to count them"
else
    equal a-namer-at-first 1 "$first"
    equal no-namer-again 0 "$second"
fi

# Whatever lies there: the names are those that are looked up.
for file in "$kept"/*; do
    printf 'X' | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") / 2)) conv=notrunc status=none
done
record_ls damaged.memoir >/dev/null
names_of damaged.memoir >damaged.names
if cmp -s first.names damaged.names; then ok damaged-is-as-good-as-none; else not_ok damaged-is-as-good-as-none "$(diff first.names damaged.names | head -n 5)"; fi

mkdir elsewhere
rm -r "$kept"
ln -s "$PWD/elsewhere" "$kept"
record_ls led.memoir >/dev/null
names_of led.memoir >led.names
if cmp -s first.names led.names; then ok no-place-costs-no-names; else not_ok no-place-costs-no-names "$(diff first.names led.names | head -n 5)"; fi
equal nothing-is-led-elsewhere "" "$(ls elsewhere)"
rm "$kept"

# Somebody else has names of their own, and root's are not to be had.
if [ "$(id -u)" = 0 ]; then
    record_ls first.memoir >/dev/null
    open_house
    MEMOIR=$house/memoir
    (cd "$house/own" && HOME=$house/own XDG_CACHE_HOME='' record_ls other.memoir "${nobody[@]}" >/dev/null)
    equal others-have-their-own "65534 600" "$(stat -c '%u %a' "$house"/own/.cache/memoir/names/* | sort -u)"
    equal ours-stay-ours "0 600" "$(stat -c '%u %a' "$kept"/* | sort -u)"
    (cd "$house/own" && rm -r .cache other.memoir* && record_ls other.memoir "${nobody[@]}" >/dev/null)
    names_of "$house/own/other.memoir" >other.names
    if cmp -s first.names other.names; then ok others-cannot-read-ours; else not_ok others-cannot-read-ours "$(diff first.names other.names | head -n 5)"; fi
fi
