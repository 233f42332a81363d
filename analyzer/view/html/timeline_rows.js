// SPDX-License-Identifier: GPL-2.0-only
// The rows of the timeline: each slice of a VM or vCPU as a column of its
// states, one upon the other.
'use strict';

const VM_ROW = 34, VCPU_ROW = 20, ROW_GAP = 4;	// pixels
const listsOfVcpu = vcpus.map(() => []);

for (const list of lists)
	listsOfVcpu[list.vcpu].push(list);

// { vm, vcpus, name, height }: VMs, and the vCPUs of those that are open.
function timelineRows() {
	const rows = [], byVm = new Map();

	for (const v of shownVcpus)
		byVm.set(v.vm, [...byVm.get(v.vm) || [], v]);
	for (const [vm, list] of byVm) {
		if (!isChosen(vm))
			continue;
		rows.push({ vm, vcpus: list, name: vmName(vm), height: VM_ROW });
		if (openVms.has(vm) && list.length > 1)
			for (const v of list)
				rows.push({ vm, vcpus: [v], height: VCPU_ROW,
					    name: vcpuName(v.vcpu, v.tid) });
	}
	return rows;
}

// What a column is full of: its slice's ticks of all the row's vCPUs.
function fullColumn(row, slice) {
	const begin = slice * time.slice_ticks;
	const end = Math.min(begin + time.slice_ticks, time.ticks);

	return Math.max(end - begin, 1) * row.vcpus.length;
}

// Ticks by slice: of each kind of list, and of each owner.
function slicesOf(row) {
	const of = () => new Float64Array(time.slices);
	const sums = Array.from({ length: WHATS }, of), stolen = new Map();
	const addTo = (to, list) => {
		for (let i = list.first; i < list.end; i++)
			to[listSlices[i]] += listCounts[i];
	};

	for (const list of row.vcpus.flatMap((v) => listsOfVcpu[v.id])) {
		addTo(sums[list.what], list);
		if (list.what !== WAITED)
			continue;
		const owner = columnOf(list.thief);

		if (!stolen.has(owner))
			stolen.set(owner, of());
		addTo(stolen.get(owner), list);
	}
	return { sums, stolen };
}

// Without switch records: what it was sampled in.
function statesBySamples(sums) {
	return { guest: guestSum(sums, GUEST_SAMPLES) * time.period,
		 vmm: sums[VMM_SAMPLES] * time.period, steal: 0, blocked: 0, unknown: 0,
		 halt: sums[POLL_SAMPLES] * time.period };
}

// Pieces from the bottom up: { state, owner, shares of the columns }.
function piecesOfRow(row) {
	const { sums, stolen } = slicesOf(row);
	const piece = (state, owner) => ({ state, owner, shares:
					   new Float32Array(time.slices) });
	const below = [piece('guest'), piece('vmm')];
	const by = [...stolen].map(([owner, ticks]) =>
		[piece('steal', owner), ticks]);
	const above = [piece('blocked'), piece('unknown'), piece('halt')];
	const now = new Float64Array(WHATS);

	for (let slice = 0; slice < time.slices; slice++) {
		const full = fullColumn(row, slice);

		for (let what = 0; what < WHATS; what++)
			now[what] = sums[what][slice];
		const states = time.exact ? statesOf(now) : statesBySamples(now);

		for (const one of [...below, ...above])
			one.shares[slice] = states[one.state] / full;
		for (const [one, ticks] of by)
			one.shares[slice] = ticks[slice] / full;
	}
	return [...below, ...by.map(([one]) => one), ...above];
}

function pieceWords(piece) {
	return piece.owner ? 'stolen by ' + piece.owner.name : piece.state;
}

// A row's columns at y, slices [left, right) over the width.  Edges on pixels
// and one path a piece are drawn many times faster than single columns.
function drawRow(context, row, y, width) {
	const each = width / (choice.right - choice.left);
	const edge = (i) => each < 1 ? (i - choice.left) * each :
		Math.round((i - choice.left) * each);
	const base = new Float32Array(time.slices);

	row.pieces ||= piecesOfRow(row);
	context.fillStyle = stateColor('halt');
	context.fillRect(0, y, width, row.height);
	for (const piece of row.pieces) {
		if (piece.state === 'halt')
			continue;
		context.fillStyle = piece.owner ?
			hatchFill(context, piece.owner.color) :
			stateColor(piece.state, row.vm);
		context.beginPath();
		for (let i = choice.left; i < choice.right; i++) {
			// several CPUs may have sampled it at once
			const share = Math.min(piece.shares[i], 1 - base[i]);

			if (share <= 0)
				continue;
			context.rect(edge(i),
				     y + row.height * (1 - base[i] - share),
				     edge(i + 1) - edge(i), row.height * share);
			base[i] += share;
		}
		context.fill();
	}
}
