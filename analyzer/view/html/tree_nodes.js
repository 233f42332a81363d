// SPDX-License-Identifier: GPL-2.0-only
// Nodes of the tree that a flame graph shows, parents before children.
'use strict';

// What a node has is also its parent's.
function sumUp(values) {
	for (let node = tree.nr - 1; node > 0; node--)
		values[tree.parent[node]] += values[node];
}

// First children and next ones beside them.
function linkTree() {
	tree.first = new Int32Array(tree.nr).fill(-1);
	tree.next = new Int32Array(tree.nr).fill(-1);
	for (let node = tree.nr - 1; node > 0; node--) {
		tree.next[node] = tree.first[tree.parent[node]];
		tree.first[tree.parent[node]] = node;
	}
}

// Those of at least that value, largest first.
function childrenOf(node, least) {
	const list = [];

	for (let at = tree.first[node]; at >= 0; at = tree.next[at])
		if (tree.value[at] > 0 && tree.value[at] >= least)
			list.push(at);
	return list.sort((a, b) => tree.value[b] - tree.value[a] || a - b);
}

function pathOf(node) {
	const path = [];

	for (; node > 0; node = tree.parent[node])
		path.unshift(labelOf(node));
	return path;
}
