// SPDX-License-Identifier: GPL-2.0-only
// The flame graph, on a canvas, from the top or from the bottom.
'use strict';

const FRAME = 22;	// pixels, with the gap
const NARROW = .6;	// pixels: what is narrower is not drawn

// top: what has the whole width; at: where the keys are; frames: as drawn
// rows: how many there is room for; upwards: the outermost one is at the bottom
const flame = { top: 0, at: 0, over: -1, frames: [], has: null, rows: 6,
		upwards: false, callers: false };

// Which nodes have all words, in themselves or above; null: none is looked for.
function findInFlame() {
	const words = searchWords();

	if (!words.length)
		return null;
	const has = new Uint8Array(tree.nr), lists = words.map(labelsWith);
	const all = (1 << Math.min(words.length, 8)) - 1;
	const bits = new Uint8Array(tree.nr);

	for (let node = 1; node < tree.nr; node++) {
		let found = bits[tree.parent[node]];

		lists.slice(0, 8).forEach((list, i) => {
			found |= list[tree.label[node]] << i;
		});
		bits[node] = found;
		has[node] = found === all ? 1 : 0;
	}
	return has;
}

// Time of what was found, each once.
function foundTime() {
	let sum = 0;

	for (let node = 1; node < tree.nr; node++)
		if (flame.has[node] && !flame.has[tree.parent[node]])
			sum += tree.value[node];
	return sum;
}

// All that is wide enough, from the top of the tree to what is below .top.
function layFrames(width) {
	const above = [], frames = [];

	for (let node = flame.top; node >= 0; node = tree.parent[node])
		above.unshift(node);
	above.forEach((node, depth) =>
		frames.push({ node, depth, x: 0, width, above: node !== flame.top }));
	const whole = tree.value[flame.top];
	const least = whole * NARROW / width;
	const lay = (node, depth, left) => {
		for (const child of childrenOf(node, least)) {
			const wide = width * tree.value[child] / whole;

			frames.push({ node: child, depth, x: left, width: wide });
			lay(child, depth + 1, left);
			left += wide;
		}
	};

	if (whole)
		lay(flame.top, above.length, 0);
	return frames;
}

// Rows from the top, of a depth; and the other way round.
function rowOfDepth(depth) {
	return flame.upwards ? flame.rows - 1 - depth : depth;
}

function drawFrame(context, f) {
	const stolen = isHatched(f.node);
	const color = frameColor(f.node), y = rowOfDepth(f.depth) * FRAME;
	const wide = Math.max(f.width - 1, .5);

	context.globalAlpha = f.above ? .55 :
		flame.has && !flame.has[f.node] ? .22 : 1;
	context.fillStyle = stolen ? hatchFill(context, color) : color;
	context.fillRect(f.x, y, wide, FRAME - 2);
	if (f.width > 26) {
		const text = fitText(context, labelOf(f.node), wide - 10);
		const size = context.measureText(text).width;

		if (stolen && text) {
			context.fillStyle = hatchPaper(color);
			context.fillRect(f.x + 2, y + 2, size + 8, FRAME - 6);
		}
		context.fillStyle = inkOn(stolen ? hatchPaper(color) : color);
		context.fillText(text, f.x + 6, y + FRAME / 2);
	}
	if (f.node === flame.over || (f.node === flame.at &&
				      document.activeElement?.id === 'frames')) {
		context.strokeStyle = isDark() ? '#fff' : '#000';
		context.lineWidth = 2;
		context.strokeRect(f.x + 1, y + 1, Math.max(wide - 2, 1),
				   FRAME - 4);
	}
	context.globalAlpha = 1;
}

// As much of a text as fits, "…" at its end if it is not all.
function fitText(context, text, width) {
	const each = context.measureText('n').width;

	if (text.length * each * .7 < width &&
	    context.measureText(text).width <= width)
		return text;
	let end = Math.min(text.length, Math.floor(width / each * 1.5));

	while (end > 1 && context.measureText(text.slice(0, end) + '…').width >
	       width)
		end--;
	return end > 1 ? text.slice(0, end) + '…' : '';
}

function paintFlame() {
	const canvas = document.getElementById('frames');
	const depth = 1 + flame.frames.reduce((n, f) => Math.max(n, f.depth), 0);
	flame.rows = Math.max(depth, 6);
	const context = sized(canvas, flame.width, flame.rows * FRAME);

	context.font = '12px ' + getComputedStyle(document.body).fontFamily;
	context.textBaseline = 'middle';
	for (const f of flame.frames)
		drawFrame(context, f);
}

function drawFlame() {
	flame.width = part('flame', '.frames').clientWidth;
	flame.frames = layFrames(flame.width);
	if (!flame.frames.some((f) => f.node === flame.at))
		flame.at = flame.top;
	paintFlame();
}

function tellFlame(node) {
	const words = [];

	if (node >= 0)
		words.push(flameText(node));
	if (flame.has)
		words.push(foundText(foundTime()));
	part('flame', '.status').textContent = words.join(' · ');
}

function showFlame() {
	weighTree();
	if (!tree.value[flame.top])
		flame.top = 0;
	flame.has = findInFlame();
	drawFlame();
	tellFlame(-1);
}
