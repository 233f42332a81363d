// SPDX-License-Identifier: GPL-2.0-only
// The tree of the differential flame graph: of each node what it had in A and in B.
// Shares are of its VM's total in the same session, so that sessions of different
// length can be compared; a VM has the mean of its shares of A and of B in the width.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const time = { slices: 1 };	// there is no axis of time
const labels = data.names;

// As read, parents before children: [0] is the root.  Of A and B: what ends at
// the node, and how many samples tell it.
const nodes = { nr: 1, parent: [-1], label: [-1], vm: [-1],
		weight: [[0], [0]], samples: [[0], [0]] };
// Of VMs: their totals of the same, and what they have of the width.
const vms = { weight: [[], []], samples: [[], []], width: [], label: [] };

// .share: of A and B, as parts of the width; .self: what tells them apart from
// their callers' is in leaves of it
const tree = { nr: 0, parent: [], label: [], vm: [], entry: [], first: null,
	       next: null, value: null, share: null, samples: null };

function readNodes() {
	const packed = new Packed(data.nodes);

	while (packed.more) {
		const node = nodes.nr++, parent = node - packed.next();

		nodes.parent.push(parent);
		nodes.label.push(packed.next());
		if (!parent)
			vms.label.push(nodes.label[node]);
		nodes.vm.push(parent ? nodes.vm[parent] : vms.label.length - 1);
		for (const s of [0, 1]) {
			nodes.samples[s].push(packed.next());
			nodes.weight[s].push(data.timed ? packed.next() :
				nodes.samples[s][node]);
		}
	}
}

function sumVms() {
	const all = [0, 0];

	for (const s of [0, 1]) {
		vms.weight[s] = vms.label.map(() => 0);
		vms.samples[s] = vms.label.map(() => 0);
		for (let node = 1; node < nodes.nr; node++) {
			vms.weight[s][nodes.vm[node]] += nodes.weight[s][node];
			vms.samples[s][nodes.vm[node]] += nodes.samples[s][node];
			all[s] += nodes.weight[s][node];
		}
	}
	vms.width = vms.label.map((label, vm) => [0, 1].reduce((sum, s) =>
		sum + (all[s] ? vms.weight[s][vm] / all[s] : 0) / 2, 0));
}

// A part of the width: what ends at a node, of its VM's.
function shareOf(node, s) {
	const vm = nodes.vm[node], whole = vms.weight[s][vm];

	return whole ? vms.width[vm] * nodes.weight[s][node] / whole : 0;
}

function addNode(parent, label, vm) {
	tree.parent.push(parent);
	tree.label.push(label);
	tree.vm.push(vm);
	tree.entry.push(-1);
	return tree.nr++;
}

// Below a VM and a process; by callers these are behind the outermost function.
function pathFrom(node, up) {
	const path = [];

	for (; node > 0; node = nodes.parent[node])
		path.unshift(nodes.label[node]);
	return up ? [...path.slice(2).reverse(), ...path.slice(0, 2).reverse()] :
		path;
}

// What ends at a node of those read ends there.
function addLeaf(node, up, known) {
	let at = 0;

	for (const label of pathFrom(node, up)) {
		const key = at * 2 ** 26 + label;

		if (!known.has(key))
			known.set(key, addNode(at, label, nodes.vm[node]));
		at = known.get(key);
		// several VMs' have none
		if (tree.vm[at] !== nodes.vm[node])
			tree.vm[at] = -1;
	}
	return at;
}

function buildTree(up) {
	const known = new Map(), ends = new Int32Array(nodes.nr);

	tree.nr = 0;
	for (const key of ['parent', 'label', 'vm', 'entry'])
		tree[key] = [];
	addNode(-1, -1, -1);
	for (let node = 1; node < nodes.nr; node++)
		if (nodes.weight[0][node] || nodes.weight[1][node])
			ends[node] = addLeaf(node, up, known);
	tree.share = [new Float64Array(tree.nr), new Float64Array(tree.nr)];
	tree.samples = [new Float64Array(tree.nr), new Float64Array(tree.nr)];
	tree.weight = [new Float64Array(tree.nr), new Float64Array(tree.nr)];
	for (const s of [0, 1]) {
		for (let node = 1; node < nodes.nr; node++) {
			if (!ends[node])
				continue;
			tree.share[s][ends[node]] += shareOf(node, s);
			tree.samples[s][ends[node]] += nodes.samples[s][node];
			tree.weight[s][ends[node]] += nodes.weight[s][node];
		}
		sumUp(tree.share[s]);
		sumUp(tree.samples[s]);
		sumUp(tree.weight[s]);
	}
	linkTree();
	tree.value = new Float64Array(tree.nr);
}

// How wide frames are, as chosen.
function weighTree() {
	const [a, b] = tree.share, widths = choice.widths;

	for (let node = 0; node < tree.nr; node++)
		tree.value[node] = widths === 'a' ? a[node] :
			widths === 'b' ? b[node] : (a[node] + b[node]) / 2;
}

function labelOf(node) {
	return node ? labels[tree.label[node]] : 'all';
}

readNodes();
sumVms();
buildTree(false);
