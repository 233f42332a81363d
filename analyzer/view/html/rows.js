// SPDX-License-Identifier: GPL-2.0-only
// The rows of the table: entries of all vCPUs together, what passes the
// words, in the order of a column.
'use strict';

const ROW_KEYS = ['machine', 'process', 'pid', 'module', 'function', 'mode',
		  'state'];
// of: which entry is each row's first; rowOf: of each entry
const rows = { nr: 0, of: null, rowOf: null, ns: null, samples: null };

// Rows by the numbers of their names, in a table of twice as many places.
function findRows() {
	const keys = ROW_KEYS.map((key) => entries[key]);
	let size = 16;

	while (size < 2 * entries.nr)
		size *= 2;
	const places = new Int32Array(size).fill(-1);

	rows.of = new Int32Array(entries.nr);
	rows.rowOf = new Int32Array(entries.nr);
	for (let i = 0; i < entries.nr; i++) {
		let hash = 0;

		for (const key of keys)
			hash = Math.imul(hash ^ key[i], 0x9e3779b1) ^ hash >>> 15;
		let at = hash & (size - 1);

		while (places[at] >= 0 && keys.some((key) =>
			key[i] !== key[rows.of[places[at]]]))
			at = (at + 1) & (size - 1);
		if (places[at] < 0) {
			rows.of[rows.nr] = i;
			places[at] = rows.nr++;
		}
		rows.rowOf[i] = places[at];
	}
	rows.ns = new Float64Array(rows.nr);
	rows.samples = new Float64Array(rows.nr);
}

function weighRows() {
	const { ns, samples } = weightsNow();

	rows.ns.fill(0);
	rows.samples.fill(0);
	for (let i = 0; i < entries.nr; i++) {
		if (!ns[i] || !isShown(i))
			continue;
		rows.ns[rows.rowOf[i]] += ns[i];
		rows.samples[rows.rowOf[i]] += samples[i];
	}
}

// Rows with weight that have all the words.
function passingRows() {
	const words = searchWords().map((word) => ({
		has: labelsWith(word),
		vms: data.machines.map((name) => name.toLowerCase().includes(word)),
		modes: MODES.map((mode) => mode.includes(word)),
	}));
	const e = entries, list = [];

	for (let row = 0; row < rows.nr; row++) {
		const i = rows.of[row];

		if (rows.ns[row] && words.every(({ has, vms, modes }) =>
			has[e.process[i]] || has[e.module[i]] ||
			has[e.function[i]] || vms[e.machine[i]] ||
			modes[e.mode[i]]))
			list.push(row);
	}
	return list;
}

// What a column is sorted by.
function sortKey(column) {
	const text = { process: labels, module: labels, function: labels,
		       guest: data.machines };
	const of = { guest: 'machine' }[column] || column;

	if (column === 'time' || column === 'samples')
		return column === 'time' ? (row) => rows.ns[row] :
			(row) => rows.samples[row];
	if (text[column])
		return (row) => text[column][entries[of][rows.of[row]]];
	return (row) => entries[of][rows.of[row]];
}

// The value that so many of the list are at least: quickselect.
function atLeast(values, nr) {
	let low = 0, high = values.length - 1;
	const at = values.length - nr;

	while (low < high) {
		const pivot = values[(low + high) >> 1];
		let i = low, j = high;

		while (i <= j) {
			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i <= j) {
				[values[i], values[j]] = [values[j], values[i]];
				i++;
				j--;
			}
		}
		if (at <= j)
			high = j;
		else if (at >= i)
			low = i;
		else
			break;
	}
	return values[at];
}

// The first ones of a list in the order of a column.
function firstRows(list, column, down, nr) {
	const key = sortKey(column);

	// only those that may be among them are sorted
	if (down && (column === 'time' || column === 'samples') &&
	    list.length > 4 * nr) {
		const least = atLeast(Float64Array.from(list, key), nr);

		list = list.filter((row) => key(row) >= least);
	}
	const order = (a, b) => {
		const x = key(a), y = key(b);

		return x < y ? -1 : x > y ? 1 : 0;
	};

	return [...list].sort((a, b) => (down ? order(b, a) : order(a, b)) ||
		rows.ns[b] - rows.ns[a] || a - b).slice(0, nr);
}

findRows();
