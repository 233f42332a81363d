#compdef vmmprof
# SPDX-License-Identifier: GPL-2.0-only
# zsh completion of vmmprof, which knows its options and their values itself.

_vmmprof() {
	local line candidate
	local -a ends goes_on end_lines goes_on_lines

	for line in "${(@f)$(vmmprof --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}"; do
		candidate=${line%%$'\t'*}
		[[ -n $candidate ]] || continue
		line="$candidate  ${line#*$'\t'}"
		[[ $candidate != *[^A-Za-z0-9_.,/:=@%+~-]* ]] || candidate=${(q)candidate}
		# a folder, or NAME=, goes on
		if [[ $candidate == *[/=] ]]; then
			goes_on+=("$candidate") goes_on_lines+=("$line")
		else
			ends+=("$candidate") end_lines+=("$line")
		fi
	done
	compadd -Q -l -d end_lines -a ends
	compadd -Q -l -S '' -d goes_on_lines -a goes_on
}

_vmmprof "$@"
