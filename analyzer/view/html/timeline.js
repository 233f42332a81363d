// SPDX-License-Identifier: GPL-2.0-only
// The timeline: an axis, rows, what is under the mouse.
'use strict';

const AXIS = 22;	// pixels
const timeline = { rows: [], width: 0, at: 0, over: -1, row: 0 };

// 1, 2 or 5 times a power of ten: so that a label has room.
function axisStep(span, room) {
	const wanted = span / Math.max(room, 1);
	const power = 10 ** Math.floor(Math.log10(wanted));

	return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted);
}

function drawAxis(context, width, height) {
	const from = sliceTime(choice.left);
	const span = (choice.right - choice.left) * time.slice_ticks * NS;
	const step = axisStep(span, width / 90);

	context.font = '11px ' + getComputedStyle(document.body).fontFamily;
	context.textBaseline = 'middle';
	for (let t = Math.ceil(from / step) * step; t <= from + span; t += step) {
		const x = (t - from) / span * width;

		context.fillStyle = isDark() ? '#ffffff1c' : '#00000014';
		context.fillRect(x, AXIS - 5, 1, height - AXIS + 5);
		context.fillStyle = isDark() ? '#9aa4b0' : '#5b6570';
		if (x < width - 30)
			context.fillText(moment(t, step), x + 3, AXIS / 2 - 2);
	}
}

function drawTimeline() {
	const area = part('timeline', '.area');
	const canvas = part('timeline', 'canvas');
	let y = AXIS;

	timeline.width = area.clientWidth;
	const height = timeline.rows.reduce((n, row) =>
		n + row.height + ROW_GAP, AXIS);
	const context = sized(canvas, timeline.width, height);

	for (const row of timeline.rows) {
		row.y = y;
		drawRow(context, row, y, timeline.width);
		y += row.height + ROW_GAP;
	}
	drawAxis(context, timeline.width, height);
	showBrush();
}

function rowName(row) {
	const name = element('div', {
		className: row.vcpus.length > 1 || row.height === VM_ROW ?
			'row-name' : 'row-name vcpu', title: row.name,
		data: { vm: row.vm, rows: row.vcpus.length },
	});

	name.style.height = row.height + 'px';
	name.style.marginBottom = ROW_GAP + 'px';
	if (row.height === VM_ROW)
		name.append(openButton(row.vm, row.vcpus.length),
			    vmButton(row.vm));
	else
		name.append(row.name);
	return name;
}

function showTimeline() {
	const known = new Map(timeline.rows.map((row) =>
		[row.vm + row.name + row.height, row.pieces]));

	timeline.rows = timelineRows();
	for (const row of timeline.rows)
		row.pieces = known.get(row.vm + row.name + row.height);
	part('timeline', '.names').replaceChildren(...timeline.rows.map(rowName));
	drawTimeline();
}

function showLegend() {
	const color = VM_COLORS[0];
	const items = [['guest', stateColor('guest', 1)],
		       ['vmm', stateColor('vmm', 1)],
		       ['halt', stateColor('halt')],
		       ['blocked', stateColor('blocked')],
		       ['unknown', stateColor('unknown')]];
	const list = items.slice(0, time.exact ? 5 : 2).map(([name, of]) =>
		legendItem(of, name));

	if (time.exact)
		list.splice(2, 0, legendItem(hatchStyle(owners.find((o) => o.vm)?.color ||
						color),
				     "steal, in the thief's colour"));
	for (const owner of new Set(thieves.map((_, i) => columnOf(i))))
		if (!owner.vm && tookAny(owner))
			list.push(legendItem(hatchStyle(owner.color),
					     'stolen by ' + owner.name));
	part('timeline', '.legend').replaceChildren(...list);
}

function tookAny(owner) {
	return lists.some((list) => list.what === WAITED &&
			  columnOf(list.thief) === owner);
}

// What is at a slice of a row, in words.
function tellSlice(row, slice) {
	const words = row.pieces.filter((piece) => piece.shares[slice] > .0005)
		.map((piece) => `${pieceWords(piece)} ` +
		     percent(piece.shares[slice], 1, 1) + ' %');
	const step = time.slice_ticks * NS;
	const name = row.height === VM_ROW ? row.name :
		`${vmName(row.vm)} ${row.name}`;

	part('timeline', '.status').textContent =
		`${name}, ${moment(sliceTime(slice), step)} to ` +
		`${moment(sliceTime(slice + 1), step)}: ` +
		(words.join(', ') || 'it was not there');
}

function startTimeline() {
	const note = part('timeline', '.note');
	const each = duration(time.slice_ticks * NS);

	note.textContent = `A column is ${each}. Drag to choose a stretch: ` +
		'everything else on the page is of it then.';
	if (data.why)
		note.textContent += ' Without switch records it shows samples.';
	document.getElementById('timeline').hidden = !shownVcpus.length || !NS;
	showLegend();
	onChange(['vm', 'open'], showTimeline);
	onChange(['left', 'right'], drawTimeline);
	onChange(['look'], () => {
		showLegend();
		showTimeline();
	});
	onChange(['from', 'to'], showBrush);
	showTimeline();
	startBrush();
}
