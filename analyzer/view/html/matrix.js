// SPDX-License-Identifier: GPL-2.0-only
// Victims and thieves, VM by VM.
'use strict';

const MATRIX_OWNERS = 14;	// columns; others are put together
const OTHERS = { id: -1, kind: 'others', vm: 0, name: 'others',
		 color: NOBODY_COLOR };

// VMs as the rows are, what is not a VM behind them.
function columnOrder(owner) {
	return owner.vm || 1e6 + owner.id;
}

// Those who took most, and who lost, in the order of VMs.
function matrixNow() {
	const rows = mostStolen().sort((a, b) => a.vm - b.vm);
	const took = new Map();

	for (const row of rows) {
		row.owners = byOwner(row.thieves, choice.units ?
				     (thief) => ownerOf[thief] : columnOf);
		for (const [owner, ticks] of row.owners)
			took.set(owner, (took.get(owner) || 0) + ticks);
	}
	const ranked = [...took].sort((a, b) => b[1] - a[1] || a[0].id - b[0].id);
	const columns = ranked.slice(0, MATRIX_OWNERS)
		.sort((a, b) => columnOrder(a[0]) - columnOrder(b[0]));
	const rest = ranked.slice(MATRIX_OWNERS);

	if (rest.length) {
		columns.push([OTHERS, rest.reduce((n, [, t]) => n + t, 0)]);
		for (const row of rows)
			row.owners.set(OTHERS, rest.reduce((n, [owner]) =>
				n + (row.owners.get(owner) || 0), 0));
	}
	return { rows, columns };
}

function matrixCell(ticks, whole, color, most, properties) {
	const cell = element('td', { ...properties, className: 'number' });

	if (!ticks)
		return cell;
	cell.append(element('b', {}, duration(ticks * NS)),
		    element('span', { className: 'share' },
			    percent(ticks, whole, 1) + ' %'));
	if (!color)
		return cell;
	const bar = element('i', { className: 'matrix-bar' });

	bar.style.width = 100 * ticks / most + '%';
	bar.style.background = hatchStyle(color);
	cell.style.background = mixed(paper(), color, .05 + .3 * ticks / most);
	cell.append(bar);
	return cell;
}

function matrixRow(row, columns, most) {
	const total = totalOf(row.states);
	const tr = element('tr', { data: { vm: row.vm },
				   className: choice.vm === row.vm ? 'chosen' : '' },
			   element('th', { scope: 'row' }, vmButton(row.vm)));

	tr.append(matrixCell(row.states.steal, total, null, most,
			     { data: { owner: 'sum', ticks: row.states.steal } }));
	for (const [owner] of columns)
		tr.append(matrixCell(row.owners.get(owner) || 0, total,
				     owner.color, most,
				     { data: { owner: owner.name, ticks:
					       row.owners.get(owner) || 0 } }));
	return tr;
}

// A VM's name that chooses it.
function vmButton(vm) {
	const button = element('button', { type: 'button', className: 'vm-button',
					   'aria-pressed': choice.vm === vm },
			       nameOfVm(vm));

	button.addEventListener('click', () => chooseVm(vm));
	return button;
}

function matrixHead(columns) {
	const row = element('tr', {}, element('th', { className: 'corner' },
					      'lost'),
			    element('th', { scope: 'col', className: 'number' },
				    'sum'));

	for (const [owner] of columns)
		row.append(element('th', { scope: 'col', className: 'number' },
				   nameOfOwner(owner)));
	return element('thead', {}, row);
}

function matrixFoot(rows, columns) {
	const whole = rows.reduce((n, row) => n + row.states.steal, 0);
	const row = element('tr', {}, element('th', { scope: 'row' }, 'sum'));

	row.append(matrixCell(whole, whole, null, whole,
			      { data: { owner: 'sum', ticks: whole } }));
	for (const [owner, ticks] of columns)
		row.append(matrixCell(ticks, whole, null, whole,
				      { data: { owner: owner.name, ticks } }));
	return element('tfoot', {}, row);
}

function showMatrix() {
	const { rows, columns } = matrixNow();
	const most = Math.max(...rows.map((row) => Math.max(...row.owners.values())));
	const body = element('tbody');

	document.getElementById('matrix').hidden = !rows.length;
	for (const row of rows)
		body.append(matrixRow(row, columns, most));
	part('matrix', 'table').replaceChildren(matrixHead(columns), body,
						matrixFoot(rows, columns));
}

function startMatrix() {
	const units = document.getElementById('units');

	units.closest('label').hidden = !owners.some((o) => PROGRAMS.has(o.kind));
	units.addEventListener('change', () => choose({ units: units.checked }));
	onChange(['from', 'to', 'vm', 'units', 'look'], showMatrix);
	showMatrix();
}
