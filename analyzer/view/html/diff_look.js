// SPDX-License-Identifier: GPL-2.0-only
// What frames of the differential flame graph look like: red grew, blue shrank,
// the more the stronger; hatched is what one session has alone.
'use strict';

const GROWN = '#d73a31', SHRUNK = '#2f6fde';
const FLAME_PATH = 'VM, process, and who called whom, through [exit] into KVM.';

function evenColor() {
	return isDark() ? '#3a414b' : '#dfe3e9';
}

// What shares are of: its VM's, of several VMs all.
function wholeOf(node) {
	return tree.vm[node] >= 0 ? vms.width[tree.vm[node]] : 1;
}

// In percentage points.
function changeOf(node) {
	const whole = wholeOf(node);

	const change = whole ?
		100 * (tree.share[1][node] - tree.share[0][node]) / whole : 0;

	// what is left of sums of fractions is none
	return Math.abs(change) < 1e-9 ? 0 : change;
}

// One standard error of that by the samples' numbers alone, as view/diff_rows.h
// has it; 0 of what no sample tells.
function errorOf(node) {
	const vm = tree.vm[node];
	let sum = 0;

	if (!tree.samples[0][node] && !tree.samples[1][node])
		return 0;
	for (const s of [0, 1]) {
		const all = vm < 0 ? tree.samples[s][0] : vms.samples[s][vm];
		const p = (tree.samples[s][node] + 1) / (all + 2);

		sum += p * (1 - p) / (all + 2);
	}
	return 100 * Math.sqrt(sum);
}

// Two errors: with many frames some are beyond that by chance.
function isChance(node) {
	return Math.abs(changeOf(node)) <= 2 * errorOf(node);
}

function isHatched(node) {
	return (tree.weight[0][node] > 0) !== (tree.weight[1][node] > 0);
}

// From none to all at ten points and more, so that small ones can be seen.
function frameColor(node) {
	const change = changeOf(node);
	const share = Math.min(Math.sqrt(Math.abs(change) / 10), 1);

	if (!node || (isChance(node) && !isHatched(node)) || !change)
		return evenColor();
	return mixed(change > 0 ? GROWN : SHRUNK, evenColor(), .75 * (1 - share));
}

function weightText(n) {
	return data.timed ? duration(n) : count(n) + ' samples';
}

function flameText(node) {
	const whole = wholeOf(node), change = changeOf(node);
	const said = ['A', 'B'].map((name, s) =>
		`${name} ${percent(tree.share[s][node], whole)} % ` +
		`(${weightText(tree.weight[s][node])})`);

	return `${pathOf(node).join(' › ') || 'all'}: ${said.join(', ')}, ` +
		`${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(2)} ` +
		`points (error ${errorOf(node).toFixed(2)})` +
		(change && isChance(node) ? ', no more than chance' : '');
}

function foundText() {
	const sum = [0, 0];

	for (let node = 1; node < tree.nr; node++)
		for (const s of [0, 1])
			if (flame.has[node] && !flame.has[tree.parent[node]])
				sum[s] += tree.share[s][node];
	return `found: A ${percent(sum[0], 1)} %, B ${percent(sum[1], 1)} %`;
}

function hasChains() {
	return data.chained;
}

// There are no instructions in this page.
function hasCode() {
	return false;
}

function showFlameLegend() {
	part('flame', '.legend').replaceChildren(
		legendItem(GROWN, 'more in B'), legendItem(SHRUNK, 'less in B'),
		legendItem(hatchStyle(GROWN), 'in B alone'),
		legendItem(hatchStyle(SHRUNK), 'in A alone'),
		legendItem(evenColor(), 'no more than chance'));
}
