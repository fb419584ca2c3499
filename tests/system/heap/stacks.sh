#!/usr/bin/env bash
# Stacks that are hard to walk reach their outer end, and blocks go to the function that made them.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

complete() { # complete CASE FILE
    equal "$1-complete" 1 "$(quality "$2" complete_stacks_share)"
}

record signal.memoir -- "$subjects/subject-signal_altstack"
equal signal-status 0 "$status"
equal signal-through-the-frame "38400 200" "$(site signal.memoir heap.allocated in_handler raise_here main)"
complete signal signal.memoir

record longjmp.memoir -- "$subjects/subject-longjmp_out"
equal longjmp-inside "64000 1000" "$(site longjmp.memoir heap.allocated deep_alloc jump_out main)"
equal longjmp-after "32000 1000" "$(site longjmp.memoir heap.allocated shallow_alloc jump_out main)"
equal longjmp-frames-are-gone "0 0" "$(site longjmp.memoir heap.allocated shallow_alloc deep_alloc)"
complete longjmp longjmp.memoir

record coroutines.memoir -- "$subjects/subject-coroutines"
equal coroutines-inside "48000 1000" \
    "$(site coroutines.memoir heap.allocated in_coroutine run_turn coroutine_main)"
equal coroutines-between "24000 1000" "$(site coroutines.memoir heap.allocated between main)"
equal coroutines-apart "0 0" "$(site coroutines.memoir heap.allocated in_coroutine main)"
complete coroutines coroutines.memoir

# Libraries in the place of others, which were closed as the program does it or as the C library does with its own.
for how in seen unseen; do
    file=$how.memoir
    record "$file" -- "$subjects/subject-dlclose_reuse" "$subjects"/libsubject-{alpha,beta}.so ${how#seen}
    if [ "$(cat "$file.out")" != reused ]; then
        skip "dlclose-$how" "the second library was not loaded where the first had been"
        continue
    fi
    for library in alpha beta; do
        for number in 0 1 2 3; do
            equal "dlclose-$how-$library-$number" "$((500 * (number + 1))) 50" \
                "$(site "$file" heap.allocated site_${library}_$number library_make load_and_use main)"
        done
        equal "dlclose-$how-$library-module" "libsubject-$library.so" \
            "$(jq -r ".rows[].stack[] | select(.function == \"site_${library}_2\").module" \
                "$(json_of "$file" heap.allocated)" | sed 's,.*/,,' | sort -u)"
    done
done

record deep.memoir -- "$subjects/subject-deep_recursion"
equal deep-status 0 "$status"
equal deep-main-is-there "160 10" "$(site deep.memoir heap.allocated at_the_bottom even odd main)"
equal deep-on-the-way-up "320 10" "$(site deep.memoir heap.allocated on_the_way_up main)"
at_most deep-is-folded 1000 "$(jq '[.rows[].stack | length] | max' "$(json_of deep.memoir heap.allocated)")"

# A program with gaps between its segments, which the loader knows piece by piece.
record gaps.memoir -- "$subjects/subject-gaps"
record no-gaps.memoir -- "$subjects/subject-leaks_100_blocks"
equal gaps-same-leaks "$(site no-gaps.memoir heap.leaked main)" "$(site gaps.memoir heap.leaked main)"
complete gaps gaps.memoir

# Code without tables: frame pointers are followed where they lead to known code, and only there.
record made.memoir -- "$subjects/subject-made_code"
equal made-code-status 0 "$status"
equal made-code-kinds "$(printf '10000 1000 allocate ? ? thrice ? keeps_frames main\n20300 1010 allocate ? [stack cut here]')" \
    "$(jq -r '.rows[] | [.value, .count, (.stack[].function
            | if startswith("0x") then "?" else select(test("start") | not) end)] | join(" ")' \
        "$(json_of made.memoir heap.allocated)" | sort)"
equal made-code-leads-nowhere 1010 "$(quality made.memoir stack_ends.no_rule)"

if ! command -v g++ >/dev/null; then
    skip exceptions "there is no g++"
else
    g++ -O1 -g -fno-inline -o exceptions "$TOP/tests/subjects/exceptions.cc" || not_ok exceptions-built "g++ failed"
    record exceptions.memoir -- ./exceptions
    equal exceptions-status 0 "$status"
    catcher=$(site exceptions.memoir heap.leaked 'shop::catcher()' main)
    equal exceptions-after-the-catch "50000 1000" "$catcher"
    at_least exceptions-before-the-throw 100000 \
        "$(jq '[.rows[] | select(any(.stack[]; .function | startswith("shop::thrower(int,"))) | .value] | add' \
            "$(json_of exceptions.memoir heap.leaked)")"
    at_least exceptions-aligned-new 640 \
        "$(jq '[.rows[] | select(any(.stack[]; .function | test("shop::make_one<wide>"))) | .value] | add' \
            "$(json_of exceptions.memoir heap.allocated)")"
    complete exceptions exceptions.memoir
    # Its reserve for throwing when out of memory, which a constructor makes: without a name in a stripped library.
    "$MEMOIR" report exceptions.memoir --json --metric heap.leaked --by stack --top 1000 >leaked.json
    equal exceptions-no-leak-of-the-library 0 \
        "$(jq '[.rows[] | select(any(.stack[]; .function == "main") | not)] | length' leaked.json)"
fi
