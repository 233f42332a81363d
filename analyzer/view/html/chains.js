// SPDX-License-Identifier: GPL-2.0-only
// Call chains: a tree of frames, each node behind its caller, and which of its
// nodes each entry with samples is.  view/html_chains.c has the format.
'use strict';

const CHAIN_KINDS = ['code', 'exit', 'broken', 'machine', 'process', 'thread',
		     'state', 'thief'];

// Of frames: label, module, kind, mode (of an exit: is it a halt?), machine.  Of
// nodes: parent, frame, and the VM and the node of the process that it is in.  Of
// entries: node, vcpu.
const chains = { nr: 0, label: [], module: [], kind: [], mode: [], machine: [],
		 parent: [0], frame: [-1], vm: [0], process: [0],
		 node: [], vcpu: [] };
// Time in which vCPUs did not run: below which node, and its ticks by slices.
const WAIT_STATES = ['steal', 'halt', 'blocked'];
const waits = { nr: 0, node: [], vcpu: [], state: [], thief: [], first: [],
		end: [], slices: [], sums: [] };

function readFrames(packed, names) {
	while (packed.more) {
		chains.label.push(names[packed.next()]);
		chains.module.push(names[packed.next()]);
		chains.kind.push(CHAIN_KINDS[packed.next()]);
		chains.mode.push(packed.next());
		chains.machine.push(packed.next());
	}
}

function readNodes(packed) {
	for (let node = 1; packed.more; node++) {
		const parent = node - packed.next(), frame = packed.next();
		const kind = chains.kind[frame];

		chains.parent.push(parent);
		chains.frame.push(frame);
		chains.vm.push(kind === 'machine' ? chains.machine[frame] :
			chains.vm[parent]);
		chains.process.push(kind === 'process' ? node :
			chains.process[parent]);
	}
	chains.nr = chains.parent.length;
}

function readChains() {
	if (!data.chains)
		return;
	readFrames(new Packed(data.chains.frames),
		   data.chains.names.map(labelId));
	readNodes(new Packed(data.chains.nodes));
	const items = new Packed(data.chains.items);

	while (items.more) {
		chains.node.push(items.next());
		chains.vcpu.push(items.next() % 2 ** 32 - 1);
	}
	if (data.chains.waits && withStates)
		readWaits(new Packed(data.chains.waits));
}

function readWaits(from) {
	for (; from.more; waits.nr++) {
		waits.node.push(from.next());
		waits.vcpu.push(from.next() % 2 ** 32 - 1);
		waits.state.push(WAIT_STATES[from.next()]);
		waits.thief.push(from.next() % 2 ** 32 - 1);
		waits.first.push(waits.slices.length);
		let slice = 0, sum = 0;

		for (let nr = from.next(); nr > 0; nr--) {
			slice += from.next();
			sum += from.next();
			waits.slices.push(slice);
			waits.sums.push(sum);
		}
		waits.end.push(waits.slices.length);
	}
}

// Nanoseconds of one in the range that is chosen.
function waitTime(i) {
	return NS * sumBetween(waits.slices, waits.sums, waits.first[i],
			       waits.end[i], choice.from, choice.to);
}

function hasChains() {
	return chains.nr > 0;
}

// Is an entry what the host did for a vCPU, in the chain of its guest?
function isExit(i) {
	return i < chains.node.length && !entries.machine[i] &&
		chains.vm[chains.node[i]] > 0;
}

// Of these, does the host poll, which is a halt?
function isPoll(i) {
	let node = chains.node[i];

	while (node && chains.kind[chains.frame[node]] !== 'exit')
		node = chains.parent[node];
	return node > 0 && chains.mode[chains.frame[node]] > 0;
}

// Frames of a node up to the outermost function, the innermost first.
function chainPath(node) {
	const path = [];

	for (; node > 0; node = chains.parent[node]) {
		const kind = chains.kind[chains.frame[node]];

		if (kind !== 'machine' && kind !== 'process')
			path.push(node);
	}
	return path;
}

readChains();
