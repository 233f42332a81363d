// SPDX-License-Identifier: GPL-2.0-only
// The heat map: time folded into columns.  What repeats is a line.
'use strict';

const GRID_MEASURES = { waited: 'time that vCPUs waited for a CPU',
			ran: 'time that vCPUs had a CPU' };
const grid = { measure: 'waited', begin: -1, cells: null };

function readShares(text, nr) {
	const from = new Packed(text), shares = new Uint8Array(nr);

	for (let i = 0; i < nr;) {
		const share = from.next(), same = from.next();

		shares.fill(share, i, i + same);
		i += same;
	}
	return shares;
}

// Shares of 0 to 1 of what is chosen, by column and row.
function gridCells() {
	const { vms, columns, rows } = time.grid, nr = columns * rows;
	const sums = new Float64Array(nr);
	let all = 0;

	for (const vm of vms) {
		if (!isChosen(vm.vm))
			continue;
		vm.read ||= {};
		vm.read[grid.measure] ||= readShares(vm[grid.measure], nr);
		all += vm.vcpus;
		for (let i = 0; i < nr; i++)
			sums[i] += vm.read[grid.measure][i] * vm.vcpus;
	}
	return sums.map((n) => all ? n / all / 255 : 0);
}

// From the paper's to the ink's side, so that more is always stronger.
function heatColors() {
	return isDark() ? ['#1c2027', '#4a2c5e', '#9c3a5c', '#e2663d', '#ffd166'] :
		['#f4f5f7', '#fbd38b', '#f08a4b', '#c43c53', '#5b1a5e'];
}

// 256 steps of them.
function heatScale() {
	const stops = heatColors(), last = stops.length - 1;

	return Array.from({ length: 256 }, (_, i) => {
		const at = i / 255 * last, low = Math.min(Math.floor(at), last - 1);

		return mixed(stops[low], stops[low + 1], at - low);
	});
}

function drawGrid() {
	const { columns, rows } = time.grid;
	const canvas = part('grid', 'canvas');
	const width = part('grid', '.area').clientWidth, height = 200;
	const context = sized(canvas, width, height);
	const most = grid.cells.reduce((a, b) => Math.max(a, b), 0) || 1;
	const scale = heatScale();
	const wide = width / columns, tall = height / rows;

	for (let i = 0; i < columns * rows; i++) {
		const x = Math.floor(i / rows) * wide;
		const y = height - (i % rows + 1) * tall;

		if (i * gridCell() >= time.ticks)
			break;
		context.fillStyle = scale[Math.round(255 * grid.cells[i] / most)];
		context.fillRect(x, y, wide + .3, tall + .3);
	}
	markGrid(context, wide, tall, height);
	part('grid', '.scale').textContent = `The strongest is ` +
		`${percent(most, 1, 1)} % of the vCPUs' time.`;
}

function gridCell() {
	return time.grid.column_ticks / time.grid.rows;
}

// What the brush leaves out is dim.
function markGrid(context, wide, tall, height) {
	const { columns, rows } = time.grid;

	if (isWhole())
		return;
	context.fillStyle = isDark() ? '#15181dc0' : '#ffffffb8';
	for (let i = 0; i < columns * rows; i++) {
		const slice = i * gridCell() / time.slice_ticks;

		if (slice < choice.from - .5 || slice >= choice.to)
			context.fillRect(Math.floor(i / rows) * wide,
					 height - (i % rows + 1) * tall,
					 wide + .3, tall + .3);
	}
}

function cellAt(event) {
	const box = part('grid', 'canvas').getBoundingClientRect();
	const { columns, rows } = time.grid;
	const column = Math.floor((event.clientX - box.left) / box.width * columns);
	const row = Math.floor((box.bottom - event.clientY) / box.height * rows);

	return Math.min(Math.max(column, 0), columns - 1) * rows +
		Math.min(Math.max(row, 0), rows - 1);
}

function tellCell(event) {
	const at = cellAt(event), each = gridCell() * NS;

	part('grid', '.status').textContent =
		`${moment(at * each, each)} to ${moment((at + 1) * each, each)}: ` +
		`${percent(grid.cells[at], 1, 1)} % (${GRID_MEASURES[grid.measure]})`;
}

// From one cell to another one: the brush.
function dragGrid(event) {
	const canvas = event.currentTarget, begin = cellAt(event);
	const to = (now) => {
		const [a, b] = [begin, cellAt(now)].sort((x, y) => x - y);
		const each = gridCell() / time.slice_ticks;

		brush(a * each, (b + 1) * each);
	};

	canvas.setPointerCapture(event.pointerId);
	canvas.addEventListener('pointermove', to);
	canvas.addEventListener('pointerup', (now) => {
		canvas.removeEventListener('pointermove', to);
		to(now);
	}, { once: true });
}

function showGrid() {
	grid.cells = gridCells();
	drawGrid();
}

function startGrid() {
	const measure = document.getElementById('measure');

	document.getElementById('grid').hidden = !time.grid;
	if (!time.grid)
		return;
	for (const [key, text] of Object.entries(GRID_MEASURES))
		measure.append(element('option', { value: key }, text));
	measure.addEventListener('change', () => {
		grid.measure = measure.value;
		showGrid();
	});
	part('grid', '.note').textContent =
		`A column is ${duration(time.grid.column_ns)}, from the bottom up. ` +
		'What repeats in that period is a line. Drag to choose.';
	const canvas = part('grid', 'canvas');

	canvas.addEventListener('pointermove', tellCell);
	canvas.addEventListener('pointerdown', dragGrid);
	onChange(['vm', 'look'], showGrid);
	onChange(['from', 'to'], drawGrid);
	showGrid();
}
