// SPDX-License-Identifier: GPL-2.0-only
// The brush in the timeline: which stretch of time the page is of; zoom.
'use strict';

const MIN_SEEN = 8;	// slices

function sliceAt(event) {
	const box = part('timeline', 'canvas').getBoundingClientRect();
	const share = (event.clientX - box.left) / box.width;
	const slice = choice.left + share * (choice.right - choice.left);

	return Math.min(Math.max(slice, choice.left), choice.right);
}

function brush(a, b) {
	const from = Math.floor(Math.min(a, b));
	const to = Math.max(Math.ceil(Math.max(a, b)), from + 1);

	choose({ from: Math.max(from, 0), to: Math.min(to, time.slices) });
}

function clearBrush() {
	choose({ from: 0, to: time.slices });
}

function see(left, right) {
	const wide = Math.max(Math.round(right - left), MIN_SEEN);
	const from = Math.min(Math.max(Math.round(left), 0),
			      Math.max(time.slices - wide, 0));

	choose({ left: from, right: Math.min(from + wide, time.slices) });
}

// Twice or half as much, around a slice.
function zoom(factor, around) {
	see(around - (around - choice.left) * factor,
	    around + (choice.right - around) * factor);
}

function showBrush() {
	const box = part('timeline', '.brush');
	const seen = choice.right - choice.left;
	const share = (slice) => Math.min(Math.max(
		(slice - choice.left) / seen, 0), 1) * 100;

	box.hidden = isWhole();
	box.style.left = share(choice.from) + '%';
	box.style.width = share(choice.to) - share(choice.from) + '%';
	document.getElementById('range').hidden = isWhole();
	document.getElementById('range-text').textContent = rangeText();
	part('timeline', '.whole').disabled = seen === time.slices;
	part('timeline', '.zoom').disabled = isWhole();
}

function dragBrush(event) {
	const canvas = event.currentTarget, begin = sliceAt(event);
	let moved = false;
	const move = (now) => {
		moved ||= Math.abs(now.clientX - event.clientX) > 3;
		if (moved)
			brush(begin, sliceAt(now));
	};

	canvas.setPointerCapture(event.pointerId);
	canvas.addEventListener('pointermove', move);
	canvas.addEventListener('pointerup', () => {
		canvas.removeEventListener('pointermove', move);
		if (!moved)
			clearBrush();
	}, { once: true });
	canvas.addEventListener('pointercancel', () =>
		canvas.removeEventListener('pointermove', move), { once: true });
}

function overTimeline(event) {
	const box = event.currentTarget.getBoundingClientRect();
	const y = event.clientY - box.top;
	const row = timeline.rows.find((r) => y >= r.y && y < r.y + r.height);
	const slice = Math.min(Math.floor(sliceAt(event)), time.slices - 1);
	const cursor = part('timeline', '.cursor');

	cursor.hidden = false;
	cursor.style.left = event.clientX - box.left + 'px';
	if (row)
		tellSlice(row, slice);
}

function timelineKey(event) {
	const step = event.key.startsWith('Arrow') && event.altKey ? 10 : 1;
	const whole = isWhole(), last = time.slices;
	const move = (by) => event.shiftKey ?
		brush(whole ? timeline.at : choice.from,
		      Math.max((whole ? timeline.at + 1 : choice.to) + by, 1)) :
		moveCursor(timeline.at + by);
	const keys = {
		ArrowLeft: () => move(-step), ArrowRight: () => move(step),
		ArrowUp: () => moveRow(-1), ArrowDown: () => moveRow(1),
		Home: () => moveCursor(0), End: () => moveCursor(last - 1),
		'+': () => zoom(.5, timeline.at), '=': () => zoom(.5, timeline.at),
		'-': () => zoom(2, timeline.at),
		Enter: () => see(choice.from, choice.to),
		Escape: () => whole ? see(0, last) : clearBrush(),
	};

	if (!keys[event.key])
		return;
	keys[event.key]();
	event.preventDefault();
}

function moveCursor(slice) {
	const cursor = part('timeline', '.cursor');
	const wide = choice.right - choice.left;

	timeline.at = Math.min(Math.max(slice, 0), time.slices - 1);
	if (timeline.at < choice.left || timeline.at >= choice.right)
		see(timeline.at - wide / 2, timeline.at + wide / 2);
	cursor.hidden = false;
	cursor.style.left = (timeline.at + .5 - choice.left) / wide * 100 + '%';
	if (timeline.rows[timeline.row])
		tellSlice(timeline.rows[timeline.row], timeline.at);
}

function moveRow(by) {
	timeline.row = Math.min(Math.max(timeline.row + by, 0),
				timeline.rows.length - 1);
	moveCursor(timeline.at);
}

function startBrush() {
	const canvas = part('timeline', 'canvas');

	canvas.addEventListener('pointerdown', dragBrush);
	canvas.addEventListener('pointermove', overTimeline);
	canvas.addEventListener('pointerleave', () => {
		part('timeline', '.cursor').hidden = true;
	});
	canvas.addEventListener('dblclick', (event) =>
		zoom(.25, sliceAt(event)));
	canvas.addEventListener('wheel', (event) => {
		if (!event.ctrlKey && !event.shiftKey)
			return;
		event.preventDefault();
		if (event.ctrlKey)
			zoom(event.deltaY < 0 ? .8 : 1.25, sliceAt(event));
		else
			see(choice.left + Math.sign(event.deltaY) * 16,
			    choice.right + Math.sign(event.deltaY) * 16);
	}, { passive: false });
	canvas.addEventListener('keydown', timelineKey);
	canvas.addEventListener('focus', () => moveCursor(timeline.at));
	part('timeline', '.zoom').addEventListener('click', () =>
		see(choice.from, choice.to));
	part('timeline', '.whole').addEventListener('click', () =>
		see(0, time.slices));
	document.getElementById('clear').addEventListener('click', clearBrush);
}
