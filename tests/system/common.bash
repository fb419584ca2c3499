# shellcheck shell=bash disable=SC2034
# Words for system tests; each script begins with  . "$TOP/tests/system/common.bash"
# A test prints one line per case.  Scripts do not stop at a failed case.
set -u
subjects=$BUILD/tests/subjects
status=0 # of the last program recorded

# Somebody else, who need not be let into the tree (a clone may lie below /root) or into the folder of a test: what it runs is
# copied to a house of its own, and it works in $house/own.  A script with a trap of its own calls leave_house there.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
house=
open_house() { # open_house [SUBJECT…]: $house has the programs of memoir and these subjects
    local file
    house=$(mktemp -d -p /tmp)
    mkdir "$house/own"
    for file in "$BUILD"/memoir "$BUILD"/memoir-* "$BUILD"/libmemoir*.so "${@/#/$subjects/subject-}"; do
        [ ! -f "$file" ] || cp "$file" "$house"
    done
    chown 65534:65534 "$house/own"
    chmod -R a+rX "$house"
}

leave_house() {
    [ -z "$house" ] || rm -rf "$house"
}
trap leave_house EXIT

# COMMAND where it may mount and nobody sees it.  Only a user needs a namespace of users for that, and in a chroot there is none.
with_own_mounts=(unshare --mount)
[ "$(id -u)" = 0 ] || with_own_mounts+=(--map-root-user)

as_nobody() { # as_nobody COMMAND…: in $house/own
    (cd "$house/own" && TMPDIR=$house/own exec "${nobody[@]}" "$@")
}

ok() { # ok CASE
    echo "ok $1"
}

not_ok() { # not_ok CASE WHY
    echo "not ok $1: $2"
}

skip() { # skip CASE WHY
    echo "skip $1: $2"
}

equal() { # equal CASE EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', got '$3'"; fi
}

at_least() { # at_least CASE LEAST ACTUAL: numbers, with or without fraction
    if awk -v a="$2" -v b="$3" 'BEGIN { exit !(b != "" && b != "null" && b + 0 >= a + 0) }'; then
        ok "$1"
    else
        not_ok "$1" "expected at least $2, got '$3'"
    fi
}

at_most() { # at_most CASE MOST ACTUAL
    if awk -v a="$2" -v b="$3" 'BEGIN { exit !(b != "" && b != "null" && b + 0 <= a + 0) }'; then
        ok "$1"
    else
        not_ok "$1" "expected at most $2, got '$3'"
    fi
}

# One sentence on stderr: one line, not empty, that names the program speaking.
one_sentence() { # one_sentence CASE FILE PATTERN
    local lines
    lines=$(grep -c . "$2")
    if [ "$lines" != 1 ]; then
        not_ok "$1" "$lines lines instead of one sentence: $(head -c 300 "$2" | tr '\n' '|')"
    elif ! grep -Eqi "$3" "$2"; then
        not_ok "$1" "it does not say '$3': $(cat "$2")"
    else
        ok "$1"
    fi
}

same_text() { # same_text CASE EXPECTED_FILE ACTUAL_FILE
    if cmp -s "$2" "$3"; then
        ok "$1"
    else
        not_ok "$1" "the text differs"
        diff "$2" "$3" | head -n 20 | cut -c 1-200
    fi
}

# Records a program.  Its output is in FILE.out and FILE.err, the status in $status.
record() { # record FILE [OPTIONS] -- PROGRAM…
    local file=$1
    shift
    rm -f "$file" "$file".*.json
    "$MEMOIR" run -o "$file" "$@" >"$file.out" 2>"$file.err"
    status=$?
}

# Runs a program without and with us: CASE.memoir is its recording, and its output and status are the same.
same_as_native() { # same_as_native CASE COMMAND…
    local name=$1 native
    shift
    "$@" >"$name.native" 2>"$name.native.err" </dev/null
    native=$?
    record "$name.memoir" -- "$@" </dev/null
    equal "$name-status" $native "$status"
    same_text "$name-output" "$name.native" "$name.memoir.out"
}

# A number that the program told on stderr while it was recorded, after a word of its own.
told() { # told CASE WORD
    sed -n "s/^$2 //p" "$1.memoir.err"
}

# A report as JSON, made once per recording and set of options.
report_of() { # report_of FILE NAME OPTIONS…
    local file=$1 made=$1.$2.json
    shift 2
    if [ ! -s "$made" ] || [ "$file" -nt "$made" ]; then
        "$MEMOIR" report "$file" --json --no-default-suppressions "$@" >"$made" 2>"$made.err" || {
            cat "$made.err" >&2
            echo '{}' >"$made"
        }
    fi
    printf '%s\n' "$made"
}

json_of() { # json_of FILE METRIC: every stack of it
    report_of "$1" "$2" --metric "$2" --by stack --top 1000000
}

# What a recording says about itself; a path of jq such as .recording.pid.
fact() { # fact FILE PATH
    jq -r "$2" "$(report_of "$1" facts --top 1)"
}

summary() { # summary FILE KEY: a number of the heap's summary
    fact "$1" ".summary.heap.$2"
}

quality() { # quality FILE KEY
    fact "$1" ".quality.$2"
}

# For programs so fast that on a busy machine the recorder may be too late for some of it.
hardly_lost() { # hardly_lost CASE FILE
    at_most "$1" 0.1 "$(fact "$2" '.quality | .lost_events / (.events + .lost_events + 1)')"
}

# "VALUE COUNT" of all rows with the function on their stack; FUNCTION may be several names that
# must all be there, innermost first but not necessarily side by side.
site() { # site FILE METRIC FUNCTION…
    local file=$1 metric=$2
    shift 2
    jq -r '
        def has_in_order($names): reduce .[] as $f ($names; if length > 0 and $f == .[0] then .[1:] else . end) | length == 0;
        [.rows[]? | select([.stack[].function] | has_in_order($ARGS.positional))]
        | "\(map(.value) | add // 0) \(map(.count) | add // 0)"' \
        "$(json_of "$file" "$metric")" --args "$@"
}

# As heaptrack_print writes bytes.
heaptrack_bytes() { # heaptrack_bytes BYTES
    awk -v n="$1" 'BEGIN {
        split("B K M G T", unit, " ")
        for (i = 1; n >= 1000 && i < 5; i++) n /= 1000
        if (i == 1) printf "%dB", n; else printf "%.2f%s", n, unit[i] }'
}

# Waits until a command succeeds, for at most SECONDS.
wait_until() { # wait_until SECONDS COMMAND…
    local tries=$(($1 * 20))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.05
    done
}

has_line() { # has_line FILE PATTERN
    grep -Eq -- "$2" "$1"
}

is_gone() { # is_gone PID: ended, or a zombie
    ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

# The processes under (and with) PID that run a program of memoir's; not the watched one.
# The descendants of a process that run a program of memoir's and not the watched one.
recorders_of() { # recorders_of PID
    local pid
    for pid in "$1" $(descendants "$1"); do
        case $(readlink "/proc/$pid/exe") in
            "$BUILD"/memoir | "$BUILD"/memoir-record | "$BUILD"/memoir*" (deleted)") echo "$pid" ;;
        esac
    done
}

descendants() { # descendants PID: without the process that looks names up for a recorder
    local child
    cat "/proc/$1/task"/*/children 2>/dev/null | tr ' ' '\n' | grep . | while read -r child; do
        ! grep -qzx namer "/proc/$child/cmdline" 2>/dev/null || continue
        echo "$child"
        descendants "$child"
    done
}
