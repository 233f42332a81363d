// SPDX-License-Identifier: GPL-2.0-only
// What frames of the flame graph look like, and what is said of them.
'use strict';

function frameColor(node) {
	const look = LOOKS[tree.look[node]], vm = tree.vm[node];
	const color = vmColor(vm);
	// functions beside each other differ a little
	const shade = (tree.label[node] * 2654435761 >>> 0) % 8 / 60;

	switch (look) {
	case 'all':
		return isDark() ? '#39404a' : '#d9dde3';
	case 'vm':
		return color;
	case 'vcpu':
		return mixed(color, paper(), .18);
	case 'process':
		return mixed(color, paper(), .34 + shade);
	case 'module':
		return mixed(color, paper(), .46 + shade);
	case 'kernel':
		return mixed(mixed(color, '#000000', .12), paper(), .36 + shade);
	case 'user':
	case 'mode':
		return mixed(color, paper(), .58 + shade);
	case 'steal':
		return isDark() ? '#8d939c' : '#59616b';
	case 'exit':
		return stateColor('vmm', vm);
	case 'broken':
		return isDark() ? '#5b4a3a' : '#e8d3bd';
	case 'thief':
		return owners[tree.owner[node]].color;
	default:
		return stateColor(look, vm);
	}
}

// What is stolen has the thief's colour.
function isHatched(node) {
	return ['steal', 'thief'].includes(LOOKS[tree.look[node]]);
}

function flameText(node) {
	const whole = tree.value[0], n = tree.value[node];
	const entry = tree.entry[node];
	const samples = entry >= 0 && entries.state[entry] < 0 && !hasChains() ?
		`, ${count(weightsNow().samples[entry])} samples` : '';

	return `${pathOf(node).join(' › ') || 'all'}: ${weightText(n)}, ` +
		`${percent(n, whole)} %${timed ? samples : ''}`;
}

function foundText(sum) {
	return `found: ${weightText(sum)}, ${percent(sum, tree.value[0])} %`;
}

// What a path through the graph has, if it has chains.
const FLAME_PATH = 'VM, vCPU, process, and who called whom, through [exit] into ' +
	'KVM; in steal, who took it.';
