#!/usr/bin/env bash
# Programs whose runtime has a heap of its own: what goes through malloc is recorded with whole stacks, and every recording
# says what is not in it.  See docs/runtimes.md.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
programs=$TOP/tests/runtimes

said() { # said CASE KIND PATTERN: in the report, and at the end of the run
    equal "$1-doubt" "$2" "$(quality "$1.memoir" 'doubts | map(.has // .kind) | join(" ")')"
    equal "$1-said-at-the-end" 1 "$(grep -Ec "^memoir: warning: .*$3" "$1.memoir.err")"
    "$MEMOIR" report "$1.memoir" --top 1 >"$1.text"
    equal "$1-said-in-the-report" 1 "$(tr -s ' \n' ' ' <"$1.text" | grep -Ec "doubt .*$3")"
}

all_seen() { # all_seen CASE LEAST: share of complete stacks
    hardly_lost "$1-hardly-lost" "$1.memoir"
    at_least "$1-complete-stacks" "$2" "$(quality "$1.memoir" complete_stacks_share)"
}

if command -v go >/dev/null; then
    export GOCACHE=$PWD/go-cache GO111MODULE=off GOFLAGS=
    go build -o go_pure "$programs/go_pure/main.go" || not_ok go-built "go failed"
    record go-pure.memoir -- ./go_pure
    equal go-pure-status 126 "$status"
    one_sentence go-pure-sentence go-pure.memoir.err 'Go program.*pprof/heap'
    equal go-pure-not-run "" "$(cat go-pure.memoir.out)"

    go build -o go_cgo "$programs/go_cgo/main.go" || not_ok go-cgo-built "go failed"
    same_as_native go-cgo ./go_cgo
    said go-cgo go 'go tool pprof'
    all_seen go-cgo 0.999
    equal go-cgo-kept 20000 "$(site go-cgo.memoir heap.leaked keep_copy main.keep runtime.goexit | cut -d' ' -f2)"
    equal go-cgo-freed 0 "$(site go-cgo.memoir heap.leaked main.call_back | cut -d' ' -f2)"
    equal go-cgo-called-back 4 "$(site go-cgo.memoir heap.calls call_back main.main | cut -d' ' -f2)"
    at_least go-cgo-memory $((50 << 20)) "$(fact go-cgo.memoir .summary.anon_peak_bytes)"
else
    skip go "not installed"
fi

if [ -x /usr/bin/python3 ]; then
    same_as_native python /usr/bin/python3 "$programs/words.py"
    said python python PYTHONMALLOC=malloc
    all_seen python 0.999
    arenas=$(sed -n 's/^# arenas highwater mark *= *//p' python.memoir.err)
    at_least python-arenas-are-maps $((arenas << 18)) "$(fact python.memoir .summary.maps.peak_bytes)"

    PYTHONMALLOC=malloc same_as_native python-malloc /usr/bin/python3 "$programs/words.py"
    equal python-malloc-no-doubts "[]" "$(quality python-malloc.memoir 'doubts | tostring')"
    all_seen python-malloc 0.999
    at_least python-malloc-numbers 600000 "$(summary python-malloc.memoir peak_calls)"
    at_least python-malloc-more "$(($(summary python.memoir calls) * 20))" "$(summary python-malloc.memoir calls)"
else
    skip python "no /usr/bin/python3"
fi

if command -v node >/dev/null; then
    same_as_native node node "$programs/words.js"
    said node v8 heap-prof
    all_seen node 0.98 # some builds have start-up code without unwind tables
    at_least node-buffers "$((30 << 20))" "$(summary node.memoir peak_bytes)"
    at_most node-buffers-told "$(summary node.memoir peak_bytes)" "$(told node buffers)"
    at_least node-memory "$(told node heap)" "$(fact node.memoir .summary.anon_peak_bytes)"
else
    skip node "not installed"
fi

if command -v java >/dev/null; then
    same_as_native java java -XX:+PreserveFramePointer "$programs/Words.java"
    said java java GC.class_histogram
    all_seen java 0.99
    direct=$(told java direct)
    at_least java-direct-buffers "$direct" "$(site java.memoir heap.leaked Unsafe_AllocateMemory0 | cut -d' ' -f1)"
    at_least java-below-main "$((30 << 20))" "$(site java.memoir heap.leaked Unsafe_AllocateMemory0 JavaMain | cut -d' ' -f1)"
    at_least java-memory "$(summary java.memoir peak_bytes)" "$(fact java.memoir .summary.anon_peak_bytes)"
    # Without frame pointers in compiled code most stacks are still whole, and the others are counted.
    same_as_native java-plain java "$programs/Words.java"
    all_seen java-plain 0.8
else
    skip java "not installed"
fi
