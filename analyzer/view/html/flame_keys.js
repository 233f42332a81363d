// SPDX-License-Identifier: GPL-2.0-only
// Mouse and keys in the flame graph.
'use strict';

function zoomFlame(node) {
	flame.top = node;
	flame.at = node;
	drawFlame();
	tellFlame(node);
	part('flame', '.out').hidden = !flame.top;
}

function frameAt(event) {
	const box = document.getElementById('frames').getBoundingClientRect();
	const x = event.clientX - box.left;
	const depth = rowOfDepth(Math.floor((event.clientY - box.top) / FRAME));

	return flame.frames.find((f) => f.depth === depth && x >= f.x &&
				 x < f.x + f.width);
}

function overFlame(event) {
	const f = frameAt(event);
	const node = f ? f.node : -1;

	if (node === flame.over)
		return;
	flame.over = node;
	paintFlame();
	tellFlame(node);
	document.getElementById('frames').style.cursor = f ? 'pointer' : '';
}

// A frame without any below it is a function: its instructions.
function enterFrame(node) {
	const entry = tree.entry[node];

	if (node === flame.top && entry >= 0 && hasCode(entry))
		showCode(entry);
	else
		zoomFlame(node);
}

function beside(step) {
	const f = flame.frames.find((one) => one.node === flame.at);
	const row = flame.frames.filter((one) => one.depth === f.depth)
		.sort((a, b) => a.x - b.x);

	return row[row.indexOf(f) + step]?.node;
}

function flameKey(event) {
	const [out, into] = flame.upwards ? ['ArrowDown', 'ArrowUp'] :
		['ArrowUp', 'ArrowDown'];
	const drawn = new Set(flame.frames.map((f) => f.node));
	const moves = {
		[out]: () => tree.parent[flame.at],
		[into]: () => childrenOf(flame.at, 0)[0],
		ArrowLeft: () => beside(-1),
		ArrowRight: () => beside(1),
	};

	if (moves[event.key]) {
		const next = moves[event.key]();

		// what is too narrow is not there
		if (next !== undefined && drawn.has(next))
			flame.at = next;
		paintFlame();
		tellFlame(flame.at);
	} else if (event.key === 'Enter' || event.key === ' ') {
		enterFrame(flame.at);
	} else if (event.key === 'Escape' || event.key === 'Backspace') {
		zoomFlame(Math.max(tree.parent[flame.top], 0));
	} else {
		return;
	}
	event.preventDefault();
}

// Who called whom, or by whom each function was called.
function turnFlame() {
	flame.top = 0;
	flame.at = 0;
	part('flame', '.out').hidden = true;
	buildTree(flame.callers);
	showFlame();
}

function startFlameChoice() {
	const callers = document.getElementById('callers');
	const upwards = document.getElementById('upwards');

	callers.closest('label').hidden = !hasChains();
	callers.addEventListener('change', () => {
		flame.callers = callers.checked;
		turnFlame();
	});
	upwards.addEventListener('change', () => {
		flame.upwards = upwards.checked;
		drawFlame();
	});
	if (hasChains())
		part('flame', '.what').textContent = FLAME_PATH;
}

function startFlame() {
	const canvas = document.getElementById('frames');

	startFlameChoice();

	canvas.addEventListener('click', (event) => {
		const f = frameAt(event);

		if (f)
			enterFrame(f.node);
	});
	canvas.addEventListener('mousemove', overFlame);
	canvas.addEventListener('mouseleave', () => {
		flame.over = -1;
		paintFlame();
		tellFlame(-1);
	});
	canvas.addEventListener('keydown', flameKey);
	canvas.addEventListener('focus', paintFlame);
	canvas.addEventListener('blur', paintFlame);
	part('flame', '.out').addEventListener('click', () => zoomFlame(0));
	onChange(['vm', 'time', 'words', 'from', 'to', 'look'], showFlame);
	showFlame();
}
