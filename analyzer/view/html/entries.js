// SPDX-License-Identifier: GPL-2.0-only
// All that has a name: functions with samples, and the states of vCPUs with
// the thieves in them.  An entry is one path from its VM to its function.
'use strict';

// Is time known?  Else everything is samples.
const timed = Boolean(session.period_ns);
const withStates = timed && time.exact;

const MODES = ['kernel', 'user', 'unknown'];
const TIME_STATES = ['vmm', 'steal', 'halt', 'blocked', 'unknown'];
// Time in the guest that the samples of a range do not tell the function of.
const BARE = ['(kernel, no sample)', '(user, no sample)', '(no sample)'];
const labels = data.names;
const labelIds = new Map();	// of those that are not the session's

function labelId(text) {
	if (!labelIds.has(text))
		labelIds.set(text, labels.push(text) - 1);
	return labelIds.get(text);
}

const NONE = labelId('-');
const entries = { nr: 0, samples: 0 };	// samples: how many of nr are those
const cells = {};	// slices and sums of all samples' entries
const leaves = [];	// of states: the path from the vCPU, its sums

function newEntries(nr) {
	for (const key of ['machine', 'vcpu', 'process', 'pid', 'module',
			   'function', 'mode', 'state', 'first', 'end', 'differs'])
		entries[key] = new Int32Array(nr);
}

// view/html_samples.c has the format.
function readEntry(from, i, last) {
	const e = entries, level = e.differs[i] = from.next();

	e.machine[i] = level < 1 ? from.next() : e.machine[last];
	e.vcpu[i] = level < 2 ? from.next() % 2 ** 32 - 1 : e.vcpu[last];
	e.process[i] = level < 3 ? from.next() - 1 : e.process[last];
	e.pid[i] = level < 3 ? from.next() - 1 : e.pid[last];
	e.module[i] = level < 4 ? from.next() : e.module[last];
	e.function[i] = from.next();
	e.mode[i] = from.next();
	e.state[i] = -1;
	if (level < 3 && e.process[i] < 0)
		e.process[i] = NONE;
}

function readCells(from, i, at) {
	const nr = from.next();
	let slice = 0, sum = 0;

	entries.first[i] = at;
	for (let k = 0; k < nr; k++, at++) {
		const word = from.next();

		slice += word >> 1;
		sum += word & 1 ? from.next() : 1;
		cells.slices[at] = slice;
		cells.sums[at] = sum;
	}
	entries.end[i] = at;
	return at;
}

// One for each state of a vCPU but guest, and for each thief.
function findLeaves() {
	const seen = new Set();

	if (!withStates)
		return;
	for (const v of shownVcpus) {
		if (seen.has(v.vm + ' ' + v.vcpu))
			continue;
		seen.add(v.vm + ' ' + v.vcpu);
		for (const state of TIME_STATES)
			if (state !== 'steal')
				leaves.push({ vm: v.vm, vcpu: v.vcpu, state,
					      thief: -1, mode: -1 });
		for (let mode = 0; mode < NR_MODES; mode++)
			leaves.push({ vm: v.vm, vcpu: v.vcpu, state: 'guest',
				      thief: -1, mode });
	}
	for (const list of lists) {
		const v = vcpus[list.vcpu];

		if (list.what !== WAITED || !v.shown ||
		    seen.has([v.vm, v.vcpu, list.thief].join()))
			continue;
		seen.add([v.vm, v.vcpu, list.thief].join());
		leaves.push({ vm: v.vm, vcpu: v.vcpu, state: 'steal',
			      thief: list.thief, mode: -1 });
	}
	leaves.sort((a, b) => a.vm - b.vm || a.vcpu - b.vcpu);
}

function addLeaf(leaf, i) {
	const e = entries;

	e.machine[i] = leaf.vm;
	e.vcpu[i] = leaf.vcpu;
	e.process[i] = NONE;
	e.pid[i] = -1;
	e.module[i] = leaf.mode >= 0 ? labelId(BARE[leaf.mode]) :
		leaf.thief < 0 ? NONE : labelId(thieves[leaf.thief].name);
	e.function[i] = labelId(`[${leaf.state}]`);
	e.mode[i] = leaf.mode;
	e.state[i] = leaf.mode >= 0 ? TIME_STATES.length :
		TIME_STATES.indexOf(leaf.state);
}

function readEntries() {
	const from = new Packed(data.samples);

	entries.samples = from.next();
	findLeaves();
	newEntries(entries.samples + leaves.length);
	const nr = from.next();

	cells.slices = new Uint16Array(nr);
	cells.sums = new Float64Array(nr);
	for (let i = 0, at = 0; i < entries.samples; i++) {
		readEntry(from, i, i - 1);
		at = readCells(from, i, at);
	}
	leaves.forEach((leaf, i) => addLeaf(leaf, entries.samples + i));
	entries.nr = entries.samples + leaves.length;
}

// Of each vCPU and mode of its guest: time by switch records, and samples.
function timeOfGuests() {
	const modes = new Map();

	for (const { vcpu, guestTicks, guestSamples } of sumsNow()) {
		const key = vcpu.vm * 65536 + vcpu.vcpu;
		const all = modes.get(key) || { ns: [0, 0, 0],
						samples: [0, 0, 0] };

		for (let mode = 0; mode < NR_MODES; mode++) {
			all.ns[mode] += guestTicks[mode] * NS;
			all.samples[mode] += guestSamples[mode];
		}
		modes.set(key, all);
	}
	return modes;
}

// vm and vCPU -> ticks of each state, and of each thief.
function ticksOfLeaves() {
	const ticks = new Map();
	const add = (key, n) => ticks.set(key, (ticks.get(key) || 0) + n);

	for (const sums of sumsNow()) {
		const { vm, vcpu } = sums.vcpu;

		for (const state of TIME_STATES)
			if (state !== 'steal')
				add([vm, vcpu, state, -1].join(),
				    sums.states[state]);
		for (const [thief, n] of sums.thieves)
			add([vm, vcpu, 'steal', thief].join(), n);
	}
	return ticks;
}

const weights = { from: -1, to: -1, ns: null, samples: null };

// What a sample stands for: as long as each other one of its vCPU and mode.
function weighSamples(known) {
	const e = entries, period = session.period_ns || 1;
	let of = null;

	for (let i = 0; i < e.samples; i++) {
		const end = e.end[i], mode = e.mode[i];
		const n = isWhole() ? end > e.first[i] ? cells.sums[end - 1] : 0 :
			sumBetween(cells.slices, cells.sums, e.first[i], end,
				   choice.from, choice.to);

		if (e.differs[i] < 2)
			of = known.get(e.machine[i] * 65536 + e.vcpu[i]);
		weights.samples[i] = n;
		weights.ns[i] = n * (of && of.samples[mode] ?
			of.ns[mode] / of.samples[mode] : period);
	}
}

function weighLeaves(known) {
	const ticks = ticksOfLeaves();

	leaves.forEach((leaf, i) => {
		const of = known.get(leaf.vm * 65536 + leaf.vcpu);

		weights.ns[entries.samples + i] = leaf.mode < 0 ?
			NS * (ticks.get([leaf.vm, leaf.vcpu, leaf.state,
					 leaf.thief].join()) || 0) :
			of && !of.samples[leaf.mode] ? of.ns[leaf.mode] : 0;
	});
}

// The weight of each entry in the range that is chosen: ns (or samples, if
// time is not known) and samples.
function weightsNow() {
	if (weights.from === choice.from && weights.to === choice.to)
		return weights;
	weights.ns ||= new Float64Array(entries.nr);
	weights.samples ||= new Float64Array(entries.nr);
	const known = withStates ? timeOfGuests() : new Map();

	weighSamples(known);
	if (leaves.length)
		weighLeaves(known);
	weights.from = choice.from;
	weights.to = choice.to;
	return weights;
}

function isShown(i) {
	return isChosen(entries.machine[i]) && (choice.time || entries.state[i] < 0);
}

// A weight as text.
function weightText(n) {
	return timed ? duration(n) : count(n) + ' samples';
}

readEntries();
