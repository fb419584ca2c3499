# shellcheck shell=bash disable=SC2034,SC2154
# Words for tests of a recording that is read while it grows.
started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null' EXIT

# A program that grows by 100 blocks of 1000 bytes when it is told to.
begin() { # begin NAME COMMAND…: NAME.in takes lines, NAME.out has the counts; $running
    local name=$1
    shift
    mkfifo "$name.in"
    "$@" <"$name.in" >"$name.out" 2>"$name.err" &
    running=$!
    started+=("$running")
    exec 9>"$name.in"
    wait_until 30 has_line "$name.out" ready || not_ok "$name-begins" "$(cat "$name.err")"
}

grow_to() { # grow_to NAME COUNT
    echo >&9
    wait_until 30 has_line "$1.out" "^$2$" || not_ok "$1-grows" "it did not come to $2"
}
