// SPDX-License-Identifier: GPL-2.0-only
// The time of vCPUs: ticks of each state in each slice, summed over any range
// as `vmmprof steal` does over the whole.
'use strict';

// What a list is of (view/html_time.c).
const ON_CPU = 0, WAITED = 1, HALTED = 2, BLOCKED = 3, NOT_KNOWN = 4, IDLE = 5,
	GUEST_SAMPLES = 6, VMM_SAMPLES = 9, POLL_SAMPLES = 10,
	GUEST_TICKS = 11, VMM_TICKS = 14, POLL_TICKS = 15, WHATS = 16;
const NR_MODES = 3;	// of the guest: one behind the other

// All of a vCPU's states, in the order of bars.
const STATES = ['guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown'];

const vcpus = time.vcpus.map(([vm, vcpu, tid, shown, longest, at], id) =>
	({ id, vm, vcpu, tid, shown, longest, at }));
const shownVcpus = vcpus.filter((v) => v.shown).sort((a, b) =>
	a.vm - b.vm || a.vcpu - b.vcpu || a.id - b.id);
const lists = [];	// { vcpu, what, thief, first, end }
let listSlices, listSums, listCounts;

function readLists() {
	const from = new Packed(time.counts);
	const slices = [], counts = [], sums = [];

	while (from.more) {
		const list = { vcpu: from.next(), what: from.next(),
			       thief: from.next(), first: slices.length };
		const nr = from.next();
		let slice = 0, sum = 0;

		for (let i = 0; i < nr; i++) {
			slice += from.next();
			slices.push(slice);
			counts.push(from.next());
			sum += counts.at(-1);
			sums.push(sum);
		}
		list.end = slices.length;
		lists.push(list);
	}
	listSlices = Uint16Array.from(slices);
	listCounts = Float64Array.from(counts);
	listSums = Float64Array.from(sums);
}

function sumOfList(list, from, to) {
	return sumBetween(listSlices, listSums, list.first, list.end, from, to);
}

// In all modes of the guest.
function guestSum(sums, what) {
	return sums[what] + sums[what + 1] + sums[what + 2];
}

// The states of sums by what: model/track.c, track_sum().
function statesOf(sums) {
	const on = sums[ON_CPU], idle = Math.min(sums[IDLE], on);
	const guest = guestSum(sums, GUEST_TICKS);
	const classed = guest + sums[VMM_TICKS] + sums[POLL_TICKS];

	return {
		guest, vmm: sums[VMM_TICKS],
		steal: sums[WAITED],
		halt: sums[HALTED] + sums[POLL_TICKS] + idle,
		blocked: sums[BLOCKED],
		unknown: sums[NOT_KNOWN] + Math.max(on - idle - classed, 0),
	};
}

// Of each vCPU in slices [from, to): states, samples of the guest, thieves.
function vcpuSums(from, to) {
	const raw = vcpus.map(() => new Float64Array(WHATS));
	const thieves = vcpus.map(() => new Map());

	for (const list of lists) {
		const sum = sumOfList(list, from, to);

		if (!sum)
			continue;
		raw[list.vcpu][list.what] += sum;
		if (list.what === WAITED)
			thieves[list.vcpu].set(list.thief, sum);
	}
	return vcpus.map((v, i) => ({
		vcpu: v, states: statesOf(raw[i]), thieves: thieves[i],
		guestTicks: raw[i].subarray(GUEST_TICKS, GUEST_TICKS + NR_MODES),
		guestSamples: raw[i].subarray(GUEST_SAMPLES,
					      GUEST_SAMPLES + NR_MODES),
	}));
}

function totalOf(states) {
	return STATES.reduce((n, state) => n + states[state], 0);
}

// Hundredths of a percent that sum to all of it: view/steal.c.
function percentages(states) {
	const total = totalOf(states);
	const rows = STATES.map((state) => {
		const exact = total ? states[state] * 10000 / total : 0;

		return { part: Math.floor(exact), rest: exact % 1 };
	});
	let left = (total ? 10000 : 0) - rows.reduce((n, r) => n + r.part, 0);

	for (; left > 0; left--) {
		const most = rows.reduce((a, b) => b.rest > a.rest ? b : a);

		most.part++;
		most.rest = 0;
	}
	return Object.fromEntries(STATES.map((state, i) =>
		[state, (rows[i].part / 100).toFixed(2)]));
}

// Of the range that is chosen, kept until it changes.
const chosenSums = { from: -1, to: -1, sums: null };

function sumsNow() {
	if (chosenSums.from !== choice.from || chosenSums.to !== choice.to) {
		chosenSums.sums = vcpuSums(choice.from, choice.to);
		chosenSums.from = choice.from;
		chosenSums.to = choice.to;
	}
	return chosenSums.sums;
}

// vm -> states, thieves and the vCPUs' sums, by VM.
function vmSums() {
	const vms = new Map();

	for (const sums of sumsNow()) {
		const vm = sums.vcpu.vm;

		if (!sums.vcpu.shown)
			continue;
		if (!vms.has(vm))
			vms.set(vm, { vm, thieves: new Map(), vcpus: [],
				      states: Object.fromEntries(
					      STATES.map((s) => [s, 0])) });
		const all = vms.get(vm);

		all.vcpus.push(sums);
		for (const state of STATES)
			all.states[state] += sums.states[state];
		for (const [thief, ticks] of sums.thieves)
			all.thieves.set(thief, (all.thieves.get(thief) || 0) +
					ticks);
	}
	return new Map([...vms].sort((a, b) => a[0] - b[0]));
}

readLists();
