// SPDX-License-Identifier: GPL-2.0-only
// The tree of the flame graph: VM, vCPU, process, module, function, or with call
// chains all functions from the outermost one; and in a vCPU's steal the thief's
// owner and the thief.  By callers it begins with the function that was hit, who
// called it is below it.
'use strict';

// Of each node, parents before children: [0] is the root.
const tree = { nr: 0, parent: [], label: [], vm: [], look: [], owner: [],
	       entry: [], leafOf: null, first: null, next: null, value: null };

// A look is a name of LOOKS.
const LOOKS = ['all', 'vm', 'vcpu', 'process', 'module', 'kernel', 'user',
	       'mode', 'guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown', 'thief',
	       'exit', 'broken'];

function addNode(parent, label, vm, look, owner = -1, entry = -1) {
	tree.parent.push(parent);
	tree.label.push(label);
	tree.vm.push(vm);
	tree.look.push(LOOKS.indexOf(look));
	tree.owner.push(owner);
	tree.entry.push(entry);
	return tree.nr++;
}

function frameLook(frame) {
	const kind = chains.kind[frame];

	if (kind === 'code')
		return ['kernel', 'user'][chains.mode[frame]] || 'mode';
	// "[steal]" and so on
	return kind === 'state' ? labels[chains.label[frame]].slice(1, -1) : kind;
}

function frameOwner(frame) {
	return chains.kind[frame] === 'thief' ?
		ownerOf[chains.mode[frame]].id : -1;
}

// Of what a chain is in.
function chainTop(node, of, known) {
	const vm = chains.vm[node];
	const vcpu = vm ? of : -1, process = chains.process[node];
	const top = nodeOf(known, vm, () =>
		addNode(0, labelId(vmName(vm)), vm, 'vm'));
	const cpu = vm ? nodeOf(known, [vm, vcpu].join(), () =>
		addNode(top, labelId(vcpuName(vcpu)), vm, 'vcpu')) : top;

	return process ? nodeOf(known, ['p', cpu, process].join(), () =>
		addNode(cpu, chains.label[chains.frame[process]], vm, 'process')) :
		cpu;
}

// The node of the tree for a node of the chains below a node of it.
function addChain(base, path, memo) {
	let at = base;

	for (const node of path) {
		const frame = chains.frame[node], key = at * 2 ** 26 + frame;

		at = nodeOf(memo, key, () => addNode(
			at, chains.label[frame], chains.machine[frame],
			frameLook(frame), frameOwner(frame)));
	}
	return at;
}

function addDown(i, known, memo) {
	const path = chainPath(chains.node[i]).reverse();

	tree.leafOf[i] = addChain(chainTop(chains.node[i], chains.vcpu[i], known),
				  path, memo);
	tree.entry[tree.leafOf[i]] = i;
}

// What the vCPU left, and above it the state.
function addWait(i, known, memo, up) {
	const node = waits.node[i], path = chainPath(node);

	tree.waitOf[i] = up ? addAbove(addChain(0, path, memo), node, known) :
		addChain(chainTop(node, waits.vcpu[i], known), path.reverse(),
			 memo);
}

// The function first; behind the outermost one the process and its VM.
function addUp(i, known, memo) {
	const node = chains.node[i], path = chainPath(node);
	const at = addChain(0, path, memo);

	if (path.length)
		tree.entry[addChain(0, path.slice(0, 1), memo)] = i;
	tree.leafOf[i] = addAbove(at, node, known);
}

// Behind a chain of which the outermost function is at a node of the tree.
function addAbove(at, node, known) {
	const vm = chains.vm[node], process = chains.process[node];

	if (process)
		at = nodeOf(known, ['p', at, process].join(), () => addNode(
			at, chains.label[chains.frame[process]], vm, 'process'));
	return nodeOf(known, ['v', at, vm].join(), () =>
		addNode(at, labelId(vmName(vm)), vm, 'vm'));
}

function addPath(i, open) {
	const e = entries, vm = e.machine[i], from = e.differs[i];

	if (from < 1)
		open[0] = addNode(0, labelId(vmName(vm)), vm, 'vm');
	// the host has no vCPUs
	if (from < 2)
		open[1] = vm ? addNode(open[0], labelId(vcpuName(e.vcpu[i])), vm,
				       'vcpu') : open[0];
	if (from < 3)
		open[2] = addNode(open[1], e.process[i], vm, 'process');
	if (from < 4)
		open[3] = addNode(open[2], e.module[i], vm, 'module');
	tree.leafOf[i] = addNode(open[3], e.function[i], vm,
				 ['kernel', 'user'][e.mode[i]] || 'mode', -1, i);
}

// By what they are made of: nodes of VMs, vCPUs, steal and owners.
function nodeOf(known, key, make) {
	if (!known.has(key))
		known.set(key, make());
	return known.get(key);
}

function addLeafPath(leaf, i, known) {
	const { vm, vcpu, thief, state } = leaf;
	const top = nodeOf(known, vm, () =>
		addNode(0, labelId(vmName(vm)), vm, 'vm'));
	const cpu = nodeOf(known, [vm, vcpu].join(), () =>
		addNode(top, labelId(vcpuName(vcpu)), vm, 'vcpu'));
	const at = nodeOf(known, [vm, vcpu, state].join(), () =>
		addNode(cpu, labelId(`[${state}]`), vm, state));

	if (thief < 0) {
		tree.leafOf[i] = at;
		return;
	}
	const owner = ownerOf[thief];
	// an owner that is one program has one frame
	if (labels[entries.module[i]] === owner.name)
		return void (tree.leafOf[i] = addNode(at, entries.module[i], vm,
						      'thief', owner.id, i));
	const by = nodeOf(known, [vm, vcpu, state, owner.id].join(), () =>
		addNode(at, labelId(owner.name), vm, 'thief', owner.id));

	tree.leafOf[i] = addNode(by, entries.module[i], vm, 'thief', owner.id, i);
}

function addPaths(known) {
	const open = [0, 0, 0, 0];

	for (let i = 0; i < entries.samples; i++) {
		addPath(i, open);
		if (entries.differs[i] < 1)
			known.set(entries.machine[i], open[0]);
		if (entries.differs[i] < 2)
			known.set([entries.machine[i], entries.vcpu[i]].join(),
				  open[1]);
	}
}

function buildTree(up) {
	const known = new Map(), memo = new Map();

	tree.nr = 0;
	for (const key of ['parent', 'label', 'vm', 'look', 'owner', 'entry'])
		tree[key] = [];
	tree.leafOf = new Int32Array(entries.nr);
	tree.waitOf = new Int32Array(waits.nr);
	addNode(-1, labelId('all'), -1, 'all');
	if (!hasChains())
		addPaths(known);
	for (let i = 0; i < entries.samples && hasChains(); i++)
		(up ? addUp : addDown)(i, known, memo);
	for (let i = 0; i < waits.nr; i++)
		addWait(i, known, memo, up);
	for (let i = entries.samples; i < entries.nr; i++)
		addLeafPath(leaves[i - entries.samples], i, known);
	for (const key of ['parent', 'label', 'vm', 'look', 'owner', 'entry'])
		tree[key] = Int32Array.from(tree[key]);
	linkTree();
	tree.value = new Float64Array(tree.nr);
}

// What a leaf has beside them; less than a nanosecond is none.
function withoutWaits(leaf, n, inWaits) {
	const in_ = inWaits.get([leaf.vm, leaf.vcpu, leaf.state,
				 leaf.thief].join());

	return in_ && n - in_ < 1 ? 0 : n - (in_ || 0);
}

// Waits that are chosen; by vCPU, state and thief what is in chains.
function weighWaits() {
	const inWaits = new Map();

	for (let i = 0; i < waits.nr; i++) {
		const vm = chains.vm[waits.node[i]], n = waitTime(i);
		const key = [vm, waits.vcpu[i], waits.state[i],
			     waits.thief[i]].join();

		if (!n || !isChosen(vm) || !choice.time)
			continue;
		tree.value[tree.waitOf[i]] += n;
		inWaits.set(key, (inWaits.get(key) || 0) + n);
	}
	return inWaits;
}

// The values of what is chosen.
function weighTree() {
	const { ns } = weightsNow(), { value, leafOf } = tree;
	const inChains = { vmm: new Map(), halt: new Map() };

	value.fill(0);
	const inWaits = weighWaits();

	for (let i = 0; i < entries.nr; i++) {
		const vm = isExit(i) ? chains.vm[chains.node[i]] :
			entries.machine[i];
		const key = vm * 65536 + (isExit(i) ? chains.vcpu[i] :
			entries.vcpu[i]);
		let n = ns[i];

		if (!n || !isChosen(vm) || !(choice.time || entries.state[i] < 0))
			continue;
		// what the host did for a vCPU is there by its functions
		if (isExit(i)) {
			const of = inChains[isPoll(i) ? 'halt' : 'vmm'];

			of.set(key, (of.get(key) || 0) + n);
		} else if (i >= entries.samples) {
			const leaf = leaves[i - entries.samples];
			const of = inChains[leaf.state];

			n = withoutWaits(leaf, n, inWaits) -
				(of && of.get(key) || 0);
		}
		n = Math.max(n, 0);
		value[leafOf[i]] += n;
	}
	sumUp(value);
}

function labelOf(node) {
	return labels[tree.label[node]];
}

buildTree(false);
