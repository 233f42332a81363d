// SPDX-License-Identifier: GPL-2.0-only
// The functions as a table that can be sorted and searched.
'use strict';

const COLUMNS = [...timed ? ['time'] : [], 'samples', 'percent', 'guest',
		 'process', 'pid', 'module', 'function', 'mode'];
const NUMBERS = new Set(['time', 'samples', 'percent', 'pid']);
const ROWS = 50;	// at first

const table = { by: timed ? 'time' : 'samples', down: true, shown: ROWS };

function cellText(row, column, total) {
	const i = rows.of[row], e = entries;

	switch (column) {
	case 'time':
		return duration(rows.ns[row]);
	case 'samples':
		return e.state[i] < 0 ? count(rows.samples[row]) : '';
	case 'percent':
		return percent(rows.ns[row], total);
	case 'guest':
		return vmName(e.machine[i]);
	case 'pid':
		return e.pid[i] < 0 ? '-' : String(e.pid[i]);
	case 'mode':
		return MODES[e.mode[i]] || '-';
	default:
		return labels[e[column][i]];
	}
}

function functionCell(row, td) {
	const i = rows.of[row];

	if (entries.state[i] >= 0 || !hasCode(i))
		return;
	const button = element('button', { type: 'button', className: 'to-code',
					   title: 'its instructions' },
			       td.textContent);

	button.addEventListener('click', () => showCode(i));
	td.replaceChildren(button);
}

function tableRow(row, total, most) {
	const i = rows.of[row], vm = entries.machine[i];
	const tr = element('tr', { data: { vm, ns: rows.ns[row],
					   samples: rows.samples[row],
					   state: TIME_STATES[entries.state[i]] ||
					   '' } });

	for (const column of COLUMNS) {
		const td = element('td', {
			className: NUMBERS.has(column) ? 'number' : column,
			data: { column },
		}, cellText(row, column, total));

		if (column === 'percent') {
			const bar = element('i', { className: 'share-bar' });

			bar.style.width = 100 * rows.ns[row] / most + '%';
			bar.style.background = vmColor(vm);
			td.append(bar);
		}
		if (column === 'guest')
			td.style.setProperty('--vm', vmColor(vm));
		if (column === 'function') {
			// where there is no room for a column of it
			td.dataset.module = labels[entries.module[i]];
			functionCell(row, td);
		}
		tr.append(td);
	}
	return tr;
}

function showHead() {
	const row = element('tr');

	for (const column of COLUMNS) {
		const button = element('button', { type: 'button' },
				       column === 'percent' ? '%' : column);
		const sorted = column === table.by;

		button.addEventListener('click', () => sortTable(column));
		row.append(element('th', {
			scope: 'col',
			className: NUMBERS.has(column) ? 'number' : column,
			'aria-sort': !sorted ? 'none' :
				table.down ? 'descending' : 'ascending',
		}, button));
	}
	part('functions', 'thead').replaceChildren(row);
}

function sortTable(column) {
	const by = column !== 'percent' ? column : timed ? 'time' : 'samples';

	table.down = by === table.by ? !table.down : NUMBERS.has(by);
	table.by = by;
	showHead();
	showTable();
	document.querySelectorAll('#functions th button')[
		COLUMNS.indexOf(column)].focus();
}

function showTable() {
	weighRows();
	const list = passingRows(), more = document.getElementById('more');
	const total = rows.ns.reduce((a, b) => a + b, 0);
	const passed = list.reduce((n, row) => n + rows.ns[row], 0);
	const most = list.reduce((n, row) => Math.max(n, rows.ns[row]), 0);

	part('functions', 'tbody').replaceChildren(
		...firstRows(list, table.by, table.down, table.shown)
			.map((row) => tableRow(row, total, most)));
	part('functions', '.status').textContent =
		`${count(list.length)} rows, ${weightText(passed)} of ` +
		weightText(total);
	more.hidden = list.length <= table.shown;
	more.textContent = `${count(list.length - table.shown)} more rows`;
}

function startTable() {
	document.getElementById('more').addEventListener('click', () => {
		table.shown += 10 * ROWS;
		showTable();
	});
	part('functions', '.note').textContent = withStates ?
		"Time in a guest is by switch records, divided among its samples; " +
		"the host's is its samples times the sampling period." : '';
	onChange(['vm', 'time', 'words', 'from', 'to', 'look'], showTable);
	showHead();
	showTable();
}
