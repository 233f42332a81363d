// SPDX-License-Identifier: GPL-2.0-only
// One colour a VM, everywhere.  What is stolen has the thief's colour, hatched.
'use strict';

const VM_COLORS = ['#4c78c9', '#f0892e', '#3fa35b', '#a66bc4', '#1fa6a8',
		   '#e0b422', '#d1589a', '#8a6a4f', '#7cb32f', '#5f62d6',
		   '#e2725b', '#4aa8de'];
const HOST_COLOR = '#7d858f', KERNEL_COLOR = '#59616b', NOBODY_COLOR = '#a9afb7';
const HATCH = 6;	// pixels from line to line
const hatches = new Map();

// After the list the golden angle keeps neighbours apart.
function vmColor(vm) {
	if (!vm)
		return HOST_COLOR;
	if (vm <= VM_COLORS.length)
		return VM_COLORS[vm - 1];
	const hue = (vm * 137.508) % 360, light = [.5, .62, .42][vm % 3];

	return fromHsl(hue, .55, light);
}

function fromHsl(hue, saturation, light) {
	const a = saturation * Math.min(light, 1 - light);
	const channel = (n) => {
		const k = (n + hue / 30) % 12;

		return light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1));
	};

	return toHex([channel(0), channel(8), channel(4)].map((c) => 255 * c));
}

function toHex(rgb) {
	return '#' + rgb.map((c) => Math.round(c).toString(16).padStart(2, '0'))
		.join('');
}

function toRgb(hex) {
	return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

// A colour with so much of another one in it.
function mixed(color, other, share) {
	const b = toRgb(other);

	return toHex(toRgb(color).map((c, i) => c + (b[i] - c) * share));
}

// Black or white, whichever can be read on it.
function inkOn(color) {
	const [r, g, b] = toRgb(color);

	return .299 * r + .587 * g + .114 * b > 150 ? '#15181c' : '#ffffff';
}

function isDark() {
	return document.documentElement.dataset.theme === 'dark';
}

function paper() {
	return isDark() ? '#15181d' : '#ffffff';
}

// The light part of a hatch.
function hatchPaper(color) {
	return mixed(color, paper(), .72);
}

// As a background of an element.
function hatchStyle(color) {
	return `repeating-linear-gradient(135deg, ${color} 0 2.5px, ` +
		`${hatchPaper(color)} 2.5px 5px)`;
}

// Of a list of what colours mean.
function legendItem(background, text) {
	const swatch = element('span', { className: 'swatch' });

	swatch.style.background = background;
	return element('li', {}, swatch, text);
}

// As a fill of a canvas; lines meet at the edges of the tile.
function hatchFill(context, color) {
	const key = color + paper(), size = HATCH * 2;

	if (hatches.has(key))
		return hatches.get(key);
	const tile = document.createElement('canvas');

	tile.width = tile.height = size;
	const t = tile.getContext('2d');

	t.fillStyle = hatchPaper(color);
	t.fillRect(0, 0, size, size);
	t.strokeStyle = color;
	t.lineWidth = HATCH * .45;
	for (let x = -size; x <= 2 * size; x += HATCH) {
		t.beginPath();
		t.moveTo(x, size);
		t.lineTo(x + size, 0);
		t.stroke();
	}
	hatches.set(key, context.createPattern(tile, 'repeat'));
	return hatches.get(key);
}

// Of states that are nobody's.
function stateColor(state, vm) {
	const of = vmColor(vm);

	return {
		guest: of,
		vmm: mixed(of, isDark() ? '#ffffff' : '#000000', .42),
		halt: isDark() ? '#262b33' : '#e9edf2',
		blocked: isDark() ? '#4b4461' : '#c9c0dc',
		unknown: isDark() ? '#565656' : '#c4c4c4',
	}[state];
}

// A canvas of so many pixels of the page, sharp on dense screens.
function sized(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const context = canvas.getContext('2d');

	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	canvas.style.width = width + 'px';
	canvas.style.height = height + 'px';
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return context;
}
