// SPDX-License-Identifier: GPL-2.0-only
// The functions as a table that can be sorted and filtered.
'use strict';

const COLUMNS = ['samples', 'percent', 'guest', 'process', 'pid', 'module',
		 'function', 'mode', 'state'];
const NUMBERS = new Set(['samples', 'percent', 'pid']);
const ROWS = 100;	// at first, and more at a time

const table = { by: 'samples', down: true, shown: ROWS };

// vCPUs together.
function tableRows() {
	const rows = new Map();

	for (const e of chosenEntries()) {
		const key = JSON.stringify([e.vm, e.process, e.pid, e.module,
					    e.function, e.mode, e.state]);

		if (!rows.has(key))
			rows.set(key, { ...e, samples: 0 });
		rows.get(key).samples += e.samples;
	}
	return [...rows.values()];
}

function passes(row, words) {
	const text = [row.guest, row.process, row.module, row.function, row.mode,
		      row.state].join('\n').toLowerCase();

	return words.every((word) => text.includes(word));
}

function compareRows(a, b) {
	// the shares are of one whole
	const by = table.by === 'percent' ? 'samples' : table.by;
	let d = NUMBERS.has(by) ? a[by] - b[by] :
		a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0;

	if (table.down)
		d = -d;
	return d || b.samples - a.samples ||
		(a.function < b.function ? -1 : a.function > b.function ? 1 : 0);
}

function cellText(row, column, total) {
	if (column === 'percent')
		return percent(row.samples, total);
	if (column === 'pid')
		return row.pid < 0 ? '-' : String(row.pid);
	return String(row[column]);
}

function tableRow(row, total) {
	const tr = element('tr', { data: { samples: row.samples, vm: row.vm } });

	for (const column of COLUMNS)
		tr.append(element('td', {
			className: NUMBERS.has(column) ? 'number' : '',
			data: { column },
		}, cellText(row, column, total)));
	return tr;
}

function showHead() {
	const row = element('tr');

	for (const column of COLUMNS) {
		const button = element('button', { type: 'button' },
				       column === 'percent' ? '%' : column);
		const th = element('th', {
			scope: 'col',
			className: NUMBERS.has(column) ? 'number' : '',
			'aria-sort': column !== table.by ? 'none' :
				table.down ? 'descending' : 'ascending',
		}, button);

		button.addEventListener('click', () => sortTable(column));
		row.append(th);
	}
	part('functions', 'thead').replaceChildren(row);
}

function sortTable(column) {
	table.down = column === table.by ? !table.down : NUMBERS.has(column);
	table.by = column;
	showHead();
	showTable();
	document.querySelectorAll('#functions th button')[
		COLUMNS.indexOf(column)].focus();
}

function showTable() {
	const words = document.getElementById('filter').value.toLowerCase()
		.split(/\s+/).filter(Boolean);
	const all = tableRows();
	const rows = all.filter((row) => passes(row, words)).sort(compareRows);
	const total = sum(all);
	const more = document.getElementById('more');

	part('functions', 'tbody').replaceChildren(
		...rows.slice(0, table.shown).map((row) => tableRow(row, total)));
	part('functions', '.status').textContent =
		`${rows.length} rows, ${sum(rows)} of ${total} samples`;
	more.hidden = rows.length <= table.shown;
	more.textContent = `${rows.length - table.shown} more rows`;
}

function startTable() {
	document.getElementById('filter').addEventListener('input', () => {
		table.shown = ROWS;
		showTable();
	});
	document.getElementById('more').addEventListener('click', () => {
		table.shown += 10 * ROWS;
		showTable();
	});
	listeners.push(showTable);
	showHead();
	showTable();
}
