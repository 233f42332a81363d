# SPDX-License-Identifier: GPL-2.0-only
# bash completion of vmmprof, which knows its options and their values itself.

_vmmprof() {
	local words=() word candidate cur=${COMP_WORDS[COMP_CWORD]} joined=
	local IFS=$'\n'

	# bash splits words at these signs: put them together again
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if [ ${#words[@]} -gt 0 ] && [[ $word == [=:@]* || $joined == [=:@] ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
		joined=$word
	done
	[[ $cur != [=:@] ]] || cur=
	word=${words[${#words[@]} - 1]}
	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		# only what comes behind the last sign; what means something to a shell is quoted
		candidate=${candidate:${#word} - ${#cur}}
		[[ $candidate != *[^A-Za-z0-9_.,/:=@%+~-]* ]] || printf -v candidate %q "$candidate"
		COMPREPLY+=("$candidate")
	done < <(vmmprof --complete "${words[@]}" 2> /dev/null)
	# a folder, or NAME=, goes on
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[/=] ]] || compopt -o nospace
}

complete -F _vmmprof vmmprof
