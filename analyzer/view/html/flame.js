// SPDX-License-Identifier: GPL-2.0-only
// The flame graph, from the top: all, guest, vCPU, process, module, function.
'use strict';

const ROW = 21;		// pixels
const NARROW = 0.0005;	// of the width: what is less is left out

let flameRoot, flameTop;	// of all; of what is shown
let flameFrames = new Map();	// node -> its element

function newNode(name, parent, look) {
	return { name, parent, look, samples: 0, children: new Map() };
}

function buildFlame() {
	const root = newNode('all', null, 'mixed');

	for (const e of chosenEntries()) {
		const look = TIME.has(e.state) ? 'state-' + e.state :
			e.mode === 'kernel' || e.mode === 'user' ? e.mode :
			'state-unknown';
		let node = root;

		root.samples += e.samples;
		for (const name of [e.guest, vcpuName(e.vcpu), e.process,
				    e.module, e.function]) {
			// guests may have one name
			const key = node === root ? e.vm + ' ' + name : name;

			if (!node.children.has(key))
				node.children.set(key, newNode(name, node, look));
			node = node.children.get(key);
			node.samples += e.samples;
			if (node.look !== look)
				node.look = 'mixed';
		}
	}
	return root;
}

function childrenOf(node) {
	return [...node.children.values()].sort((a, b) =>
		b.samples - a.samples || (a.name < b.name ? -1 : 1));
}

function pathOf(node) {
	const path = [];

	for (; node.parent; node = node.parent)
		path.unshift(node.name);
	return path;
}

function flameText(node) {
	return `${pathOf(node).join(' › ') || 'all'}: ${node.samples} samples, ` +
		`${percent(node.samples, flameRoot.samples)} %`;
}

function drawFrame(node, depth, left, width) {
	const frame = element('div', {
		className: 'frame ' + node.look, role: 'treeitem', tabIndex: -1,
		title: flameText(node), 'aria-level': depth + 1,
		data: { samples: node.samples, path: JSON.stringify(pathOf(node)) },
	}, node.name);

	frame.style.left = 100 * left + '%';
	frame.style.width = 100 * width + '%';
	frame.style.top = depth * ROW + 'px';
	frame.addEventListener('click', () => zoomFlame(node));
	frame.addEventListener('focus', () => {
		part('flame', '.status').textContent = flameText(node);
	});
	frame.addEventListener('keydown', (event) => flameKey(event, node));
	flameFrames.set(node, frame);
}

function drawBelow(node, depth, left, width) {
	for (const child of childrenOf(node)) {
		const share = width * child.samples / node.samples;

		if (share >= NARROW) {
			drawFrame(child, depth, left, share);
			drawBelow(child, depth + 1, left, share);
		}
		left += share;
	}
}

function drawFlame() {
	const above = [];
	const area = part('flame', '.frames');

	flameFrames = new Map();
	for (let node = flameTop; node; node = node.parent)
		above.unshift(node);
	above.forEach((node, depth) => {
		drawFrame(node, depth, 0, 1);
		if (node !== flameTop)
			flameFrames.get(node).classList.add('above');
	});
	drawBelow(flameTop, above.length, 0, 1);
	area.replaceChildren(...flameFrames.values());
	area.style.height = 6 * ROW + 'px';
	flameFrames.get(flameTop).tabIndex = 0;
}

function zoomFlame(node) {
	flameTop = node;
	drawFlame();
	flameFrames.get(node).focus();
}

function siblingOf(node, step) {
	const all = node.parent ? childrenOf(node.parent) : [node];

	return all[all.indexOf(node) + step];
}

function flameKey(event, node) {
	const next = {
		ArrowUp: () => node.parent,
		ArrowDown: () => childrenOf(node)[0],
		ArrowLeft: () => siblingOf(node, -1),
		ArrowRight: () => siblingOf(node, 1),
	}[event.key];

	if (next) {
		// what is not drawn, because it is narrow, is not there
		flameFrames.get(next())?.focus();
	} else if (event.key === 'Enter' || event.key === ' ') {
		zoomFlame(node);
	} else if (event.key === 'Escape' || event.key === 'Backspace') {
		zoomFlame(flameTop.parent || flameTop);
	} else {
		return;
	}
	event.preventDefault();
}

function showFlame() {
	flameRoot = buildFlame();
	flameTop = flameRoot;
	drawFlame();
}

function startFlame() {
	listeners.push(showFlame);
	showFlame();
}
