// SPDX-License-Identifier: GPL-2.0-only
// What is chosen: a VM, a range of time, words, whether time without code
// counts.  Whoever shows it is called once a frame after a change.
'use strict';

// vm -1: all.  Slices [from, to) are the brush, [left, right) what is seen.
const choice = {
	vm: -1, time: true, units: false, words: '',
	from: 0, to: time.slices, left: 0, right: time.slices,
};
const listeners = [];	// [keys, function]
let changed = null;

function onChange(keys, listener) {
	listeners.push([keys, listener]);
}

// Does at once what is due.
function showChoice() {
	const keys = changed;

	if (!keys)
		return;
	changed = null;
	keepPlace(() => {
		for (const [wanted, listener] of listeners)
			if (wanted.some((key) => keys.has(key)))
				listener();
	});
}

// What is above the timeline gets longer and shorter with what is chosen; the
// timeline stays under the mouse.
function keepPlace(change) {
	const fixed = document.getElementById('timeline');

	if (!fixed)
		return void change();
	const top = fixed.getBoundingClientRect().top;

	change();
	for (const id of ['verdict', 'matrix']) {
		const box = document.getElementById(id);

		if (box.offsetHeight)
			box.style.minHeight = box.offsetHeight + 'px';
	}
	const moved = fixed.getBoundingClientRect().top - top;

	if (moved && window.scrollY + moved >= 0)
		window.scrollBy({ top: moved, behavior: 'instant' });
}

function choose(change) {
	for (const [key, value] of Object.entries(change)) {
		if (choice[key] === value)
			continue;
		choice[key] = value;
		if (!changed) {
			changed = new Set();
			requestAnimationFrame(showChoice);
		}
		changed.add(key);
	}
}

function isWhole() {
	return choice.from === 0 && choice.to === time.slices;
}

// Of the ends of slices, in ns since the beginning.
function sliceTime(slice) {
	return Math.min(slice * time.slice_ticks, time.ticks) * NS;
}

function isChosen(vm) {
	return choice.vm < 0 || choice.vm === vm;
}

function chooseVm(vm) {
	choose({ vm: choice.vm === vm ? -1 : vm });
}
