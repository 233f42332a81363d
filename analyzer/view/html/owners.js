// SPDX-License-Identifier: GPL-2.0-only
// Whom thieves belong to: a VM, something of the host, nobody.
'use strict';

// Of the host's programs: together where VMs are told apart.
const PROGRAMS = new Set(['container', 'unit', 'process']);
const KIND_COLORS = { kernel: KERNEL_COLOR, interrupts: '#8f6f2f' };

const thieves = time.thieves.map(([name, kind, owner]) => ({ name, kind, owner }));
const owners = time.owners.map(([name, kind, vm, phrase], id) => ({
	id, vm, name, kind, phrase,
	color: vm ? vmColor(vm) : PROGRAMS.has(kind) ? HOST_COLOR :
		KIND_COLORS[kind] || NOBODY_COLOR,
}));
const HOST = { id: owners.length, vm: 0, name: 'host', kind: 'host',
	       color: HOST_COLOR };
const ownerOf = thieves.map((t) => owners[t.owner]);

owners.push(HOST);

// The thief in a matrix of VMs.
function columnOf(thief) {
	const owner = ownerOf[thief];

	return PROGRAMS.has(owner.kind) ? HOST : owner;
}

// owner -> ticks, from thief -> ticks; most first.
function byOwner(ticksOf, of = columnOf) {
	const sums = new Map();

	for (const [thief, ticks] of ticksOf) {
		const owner = of(thief);

		sums.set(owner, (sums.get(owner) || 0) + ticks);
	}
	return new Map([...sums].sort((a, b) => b[1] - a[1]));
}
