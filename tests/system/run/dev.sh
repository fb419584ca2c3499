#!/usr/bin/env bash
# ./dev: what it says where it cannot work, before it installs or builds anything.
# Runs beside others.
# shellcheck source=/dev/null
. "$TOP/tests/system/common.bash"

"$TOP/dev" no-such-job >out 2>err
equal no-such-job-status 2 $?
equal no-such-job 1 "$(grep -c "there is no job 'no-such-job'" err)"

"$TOP/dev" prove no-such-part >out 2>err
equal no-such-part-status 2 $?
one_sentence no-such-part err "there is no part 'no-such-part'; choose one of: generated models pressure mutants fuzz"
"$TOP/scripts/prove" models many >out 2>err
equal no-count-status 2 $?
one_sentence no-count err "'many' is no count; give a number"

# Nothing of it can be preloaded from such a folder.
for folder in 'with space' with:colon; do
    mkdir "$folder"
    cp "$TOP/dev" "$folder"
    for job in demo test prove; do
        timeout 60 "$folder/dev" $job >out 2>err
        equal "$job-in-$folder-status" 1 $?
        one_sentence "$job-in-$folder" err "$folder has a space or a colon.*move"
        [ $job = demo ] || equal "$job-in-$folder-counts" "0 passed, 1 failed" "$(tail -n 1 out)"
    done
    equal "nothing-is-made-in-$folder" dev "$(ls "$folder")"
done
