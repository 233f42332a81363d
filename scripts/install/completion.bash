# SPDX-License-Identifier: GPL-2.0-only
# bash completion of vmmprof: verbs, options, guests' names, sessions.

_vmmprof_verbs() {
	vmmprof --help 2> /dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}

_vmmprof_options() {
	vmmprof "$1" --help 2> /dev/null |
		grep -oE -- '(^ +|, )--[a-z][a-z-]*|^ +-[a-zA-Z]' | tr -d ' ,' | sort -u
}

# The session that the line names, or none.
_vmmprof_session() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-i | --input) printf '%s\n' -i "${COMP_WORDS[i + 1]}" ;;
		# diff: the first of two
		*) if [ "${COMP_WORDS[1]}" = diff ] && [ -e "${COMP_WORDS[i]}/info" ]; then
			printf '%s\n' -i "${COMP_WORDS[i]}"
			return
		fi ;;
		esac
	done
}

_vmmprof_guests() {
	local session
	mapfile -t session < <(_vmmprof_session)
	# a session's guests; without one, those of vmmprof.data or of the host
	if [ ${#session[@]} -eq 0 ] && [ -e vmmprof.data/info ]; then
		session=(-i vmmprof.data)
	fi
	vmmprof guests "${session[@]}" 2> /dev/null |
		awk '/^$/ { exit } NR > 1 { print $1 }' | sort -u
}

# Directories that are sessions, or lead to one.
_vmmprof_sessions() {
	local d
	compgen -d -- "$1" | while read -r d; do
		if [ -e "$d/info" ]; then
			printf '%s\n' "$d"
		else
			printf '%s/\n' "$d"
		fi
	done
}

# Functions that a session has samples in, hottest first.
_vmmprof_functions() {
	local session
	mapfile -t session < <(_vmmprof_session)
	vmmprof report "${session[@]}" --sort function --limit 200 2> /dev/null |
		awk '$1 ~ /^[0-9]+$/ && $3 ~ /^[A-Za-z_]/ { print $3 }' | sort -u
}

_vmmprof() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=${COMP_WORDS[1]}
	local IFS=$'\n'

	COMPREPLY=()
	# "--option=value" comes as three words
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [ "$COMP_CWORD" -eq 1 ] || { [ "$verb" = help ] && [ "$COMP_CWORD" -eq 2 ]; }; then
		mapfile -t COMPREPLY < <(compgen -W "$(_vmmprof_verbs)" -- "$cur")
		return
	fi
	case $prev in
	--guest | --ssh | --guest-bundle | --guest-bundle-[ab] | --transport)
		mapfile -t COMPREPLY < <(compgen -W "$(_vmmprof_guests)" -- "$cur")
		return
		;;
	-i | --input)
		mapfile -t COMPREPLY < <(_vmmprof_sessions "$cur")
		return
		;;
	-o | --output | --html | --code-from)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--debuginfod)
		mapfile -t COMPREPLY < <(compgen -W $'host\nall\nno' -- "$cur")
		return
		;;
	-M | --syntax)
		mapfile -t COMPREPLY < <(compgen -W $'att\nintel' -- "$cur")
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_vmmprof_options "$verb")" -- "$cur")
	elif [ "$verb" = annotate ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_vmmprof_functions)" -- "$cur")
	elif [ "$verb" = diff ]; then
		mapfile -t COMPREPLY < <(_vmmprof_sessions "$cur")
	fi
}

complete -o nospace -F _vmmprof vmmprof
