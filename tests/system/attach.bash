# shellcheck shell=bash disable=SC2034,SC2154
# Words for tests that attach; after common.bash.
started=()
trap 'for pid in "${started[@]}"; do kill -CONT "$pid"; kill -9 "$pid"; done 2>/dev/null; leave_house' EXIT

begin() { # begin NAME PROGRAM…: in the background; its pid is $target, its output NAME.out
    local name=$1
    shift
    "$@" >"$name.out" 2>&1 </dev/null &
    target=$!
    started+=("$target")
}

# A subject that does what it is told.
begin_obedient() { # begin_obedient NAME [PROGRAM]
    rm -f "$1.in"
    mkfifo "$1.in"
    "${2:-$subjects/subject-obeys}" <"$1.in" >"$1.out" 2>&1 &
    target=$!
    started+=("$target")
    exec 9>"$1.in"
    wait_until 10 has_line "$1.out" ready || not_ok "$1-begins" "the subject did not begin"
}

tell() { # tell NAME LINE: and waits for its answer
    local before
    before=$(grep -c "done" "$1.out")
    echo "$2" >&9
    wait_until 10 answered "$1" "$before" || not_ok "$1-answers" "no answer to '$2'"
}

answered() { # answered NAME BEFORE
    [ "$(grep -c "done" "$1.out")" -gt "$2" ]
}

# Attaches in the background: $recorder, with what it says in FILE.err.
attach() { # attach FILE [OPTIONS] PID
    local file=$1
    shift
    rm -f "$file" "$file.err" "$file".*.json
    "$MEMOIR" attach -o "$file" "$@" >"$file.out" 2>"$file.err" &
    recorder=$!
    started+=("$recorder")
    if ! wait_until 30 said "$file.err" "attached to|memoir: "; then
        not_ok "$file-attached" "it did not attach: $(cat "$file.err")"
        return 1
    fi
    grep -q "attached to" "$file.err" || {
        not_ok "$file-attached" "$(cat "$file.err")"
        return 1
    }
}

said() { # said FILE PATTERN
    grep -Eq "$2" "$1" 2>/dev/null
}

end_attach() { # end_attach [SIGNAL]: its status is $status
    kill "-${1:-INT}" "$recorder" 2>/dev/null
    wait "$recorder"
    status=$?
}

# Mappings, address space, descriptors and threads of a process, in one line.
size_of() { # size_of PID
    echo "maps $(grep -c . "/proc/$1/maps") $(grep -E '^VmSize' "/proc/$1/status" | tr -s ' \t' ' ')" \
        "descriptors $(find "/proc/$1/fd" -mindepth 1 | wc -l) threads $(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)"
}

lives() { # lives CASE PID
    if is_gone "$2"; then not_ok "$1" "the program is gone"; else ok "$1"; fi
}
