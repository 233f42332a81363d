// SPDX-License-Identifier: GPL-2.0-only
// One row a vCPU: what it did over time, and who had its CPU when it waited.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 1000;	// of a row, in thousandths of a slot's time

// The states in a slot, after the number of equal slots; thieves follow.
const SLOT_STATES = [['on a CPU', 'var(--guest)'], ['halt', 'var(--halt)'],
		     ['blocked', 'var(--blocked)'], ['unknown', 'var(--unknown)']];
const THIEF_COLORS = ['#d62828', '#f77f00', '#c2185b', '#7a4a1e', '#00838f',
		      '#3949ab', '#ad8b00', '#5e7f20'];
const OTHER_COLOR = '#5a5a5a';

// Colours of those who took most; the others share one.
const thiefColor = new Map();

function rankThieves() {
	const ranked = data.timeline.thieves.map(([name, ticks], id) =>
		({ id, name, ticks })).filter((c) => c.ticks);

	ranked.sort((a, b) => b.ticks - a.ticks || a.id - b.id);
	ranked.slice(0, THIEF_COLORS.length).forEach((c, i) =>
		thiefColor.set(c.id, THIEF_COLORS[i]));
	return ranked;
}

function thiefName(id) {
	return id < 0 ? 'others' : data.timeline.thieves[id][0];
}

// [name, colour, thousandths] of each part of a slot, thieves behind "on a CPU".
function slotParts(slot) {
	const states = SLOT_STATES.map(([name, color], i) =>
		[name, color, slot[1 + i]]);
	const stolen = [];

	for (let i = 1 + SLOT_STATES.length; i < slot.length; i += 2)
		stolen.push(['stolen by ' + thiefName(slot[i]),
			     thiefColor.get(slot[i]) || OTHER_COLOR,
			     slot[i + 1]]);
	states.splice(1, 0, ...stolen);
	return states.filter((p) => p[2]);
}

// One path for each colour: columns from the bottom up.
function rowPaths(vcpu) {
	const paths = new Map();
	let x = 0;

	for (const slot of vcpu.slots) {
		let y = HEIGHT;

		for (const [, color, share] of slotParts(slot)) {
			const d = `M${x} ${y}h${slot[0]}v${-share}h${-slot[0]}z`;

			paths.set(color, (paths.get(color) || '') + d);
			y -= share;
		}
		x += slot[0];
	}
	return paths;
}

function svgElement(tag, attributes) {
	const node = document.createElementNS(SVG, tag);

	for (const [key, value] of Object.entries(attributes))
		node.setAttribute(key, value);
	return node;
}

function slotAt(vcpu, x) {
	for (const slot of vcpu.slots) {
		if (x < slot[0])
			return slot;
		x -= slot[0];
	}
	return null;
}

function timeAt(x) {
	const t = data.timeline;

	return (t.ticks * x / t.width / t.khz / 1000).toFixed(4);
}

// Put the cursor of a row on a slot and say what is there.
function showSlot(svg, name, vcpu, x) {
	const slot = slotAt(vcpu, x);
	const words = slot ? slotParts(slot).map(([what, , share]) =>
		`${what} ${(share / 10).toFixed(1)} %`) : [];
	let cursor = svg.querySelector('.cursor');

	if (!cursor) {
		cursor = svgElement('rect', { class: 'cursor', y: 0, width: .3,
					      height: HEIGHT });
		svg.append(cursor);
	}
	cursor.setAttribute('x', x + .35);
	svg.dataset.at = x;
	part('timeline', '.status').textContent =
		`${name}, ${timeAt(x)} to ${timeAt(x + 1)} s: ` +
		(words.join(', ') || 'it was not there');
}

function timelineKey(event, svg, name, vcpu) {
	const last = data.timeline.width - 1;
	const step = event.shiftKey ? 10 : 1;
	const rows = [...document.querySelectorAll('#timeline svg')];
	const at = Number(svg.dataset.at || 0);
	const moves = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0,
			End: last };
	const up = { ArrowUp: -1, ArrowDown: 1 }[event.key];

	if (up) {
		const next = rows[rows.indexOf(svg) + up];

		if (next) {
			next.dataset.at = at;
			next.focus();
		}
	} else if (event.key in moves) {
		showSlot(svg, name, vcpu,
			 Math.min(Math.max(moves[event.key], 0), last));
	} else {
		return;
	}
	event.preventDefault();
}

function timelineRow(vcpu) {
	const t = data.timeline;
	const name = data.machines[vcpu.vm] + ' ' +
		(vcpu.vcpu < 0 ? 'thread ' + vcpu.tid : vcpuName(vcpu.vcpu));
	const svg = svgElement('svg', {
		viewBox: `0 0 ${t.width} ${HEIGHT}`, tabindex: 0, role: 'img',
		preserveAspectRatio: 'none',
		'aria-label': name + ' over time; arrow keys move',
		'data-vm': vcpu.vm, 'data-vcpu': vcpu.vcpu, 'data-tid': vcpu.tid,
	});

	for (const [fill, d] of rowPaths(vcpu))
		svg.append(svgElement('path', { fill, d }));
	svg.addEventListener('mousemove', (event) => {
		const box = svg.getBoundingClientRect();
		const x = Math.floor((event.clientX - box.left) / box.width *
				     t.width);

		showSlot(svg, name, vcpu, Math.min(Math.max(x, 0), t.width - 1));
	});
	svg.addEventListener('focus', () =>
		showSlot(svg, name, vcpu, Number(svg.dataset.at || 0)));
	svg.addEventListener('blur', () =>
		svg.querySelector('.cursor')?.remove());
	svg.addEventListener('keydown', (event) =>
		timelineKey(event, svg, name, vcpu));
	return element('div', { className: 'row' },
		       element('span', { className: 'name', title: name }, name),
		       svg);
}

function legendItem(color, text, more) {
	const swatch = element('span', { className: 'swatch' });

	swatch.style.background = color;
	return element('li', more || {}, swatch, text);
}

function showLegend(ranked) {
	const list = part('timeline', '.legend');
	const rest = ranked.slice(THIEF_COLORS.length);
	const others = rest.reduce((n, c) => n + c.ticks, 0);
	const took = (ticks) => (ticks / data.timeline.khz / 1000).toFixed(3);

	for (const [name, color] of SLOT_STATES)
		list.append(legendItem(color, name));
	for (const c of ranked.slice(0, THIEF_COLORS.length))
		list.append(legendItem(thiefColor.get(c.id),
				       `stolen by ${c.name}: ${took(c.ticks)} s`,
				       { data: { ticks: c.ticks,
						 color: thiefColor.get(c.id) } }));
	if (rest.length)
		list.append(legendItem(OTHER_COLOR, `stolen by ${rest.length} ` +
				       `others: ${took(others)} s`,
				       { data: { ticks: others } }));
}

function showTimeline() {
	const mine = data.timeline.vcpus.filter((v) => isChosen(v.vm));
	const shown = choice.vm < 0 ? mine.slice(0, MANY_VCPUS) : mine;

	part('timeline', '.rows').replaceChildren(...shown.map(timelineRow));
	part('timeline', '.status').textContent = shown.length === mine.length ?
		'' : `${mine.length - shown.length} more vCPUs: choose a guest.`;
}

function startTimeline() {
	const note = part('timeline', '.note');

	if (!data.timeline) {
		note.textContent = data.no_timeline;
		return;
	}
	note.textContent = `0 to ${timeAt(data.timeline.width)} s, a column is ` +
		`${timeAt(1)} s. Time on a CPU is of guest and hypervisor together.`;
	showLegend(rankThieves());
	listeners.push(showTimeline);
	showTimeline();
}
