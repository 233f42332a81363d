# SPDX-License-Identifier: GPL-2.0-only
# fish completion of vmmprof, which knows its options and their values itself.

function __vmmprof_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    vmmprof --complete $words[2..-1] "$current" 2>/dev/null
end

complete -c vmmprof -f -a '(__vmmprof_complete)'
