// SPDX-License-Identifier: GPL-2.0-only
// Bars: how the time of each VM, and of each of its vCPUs, was spent.
'use strict';

const openVms = new Set();	// whose vCPUs are shown

// [state, ticks, background, words] of each piece; steal by its owners.
function piecesOf(vm, sums) {
	const pieces = [];

	for (const state of STATES) {
		if (state !== 'steal') {
			pieces.push([state, sums.states[state],
				     stateColor(state, vm), state]);
			continue;
		}
		for (const [owner, ticks] of byOwner(sums.thieves))
			pieces.push([state, ticks, hatchStyle(owner.color),
				     `stolen by ${owner.name}`]);
	}
	return pieces.filter(([, ticks]) => ticks);
}

function stateBar(vm, sums) {
	const bar = element('div', { className: 'bar', role: 'img' });
	const total = totalOf(sums.states), words = [];

	for (const [state, ticks, background, text] of piecesOf(vm, sums)) {
		words.push(`${text} ${percent(ticks, total)} %`);
		const piece = element('span', { data: { state },
						title: words.at(-1) });

		piece.style.width = 100 * ticks / total + '%';
		piece.style.background = background;
		bar.append(piece);
	}
	bar.setAttribute('aria-label', words.join(', '));
	return bar;
}

function stateRow(head, vm, vcpu, sums) {
	const shares = percentages(sums.states);
	const row = element('tr', { className: vcpu === '' ? 'guest' : 'vcpu',
				    data: { vm, vcpu } },
			    element('th', { scope: 'row' }, head),
			    element('td', { className: 'bar-cell' },
				    stateBar(vm, sums)));

	for (const state of STATES) {
		const ticks = sums.states[state];
		const zero = ticks ? '' : ' zero';

		row.append(element('td', {
			className: 'number' + zero, title: duration(ticks * NS),
			data: { state, ticks },
		}, shares[state]));
	}
	return row;
}

function openButton(vm, nr) {
	if (nr < 2)
		return element('span', { className: 'open' });
	const open = openVms.has(vm);
	const button = element('button', {
		type: 'button', className: 'open', 'aria-expanded': open,
		title: open ? 'hide its vCPUs' : `show its ${nr} vCPUs`,
	}, open ? '▾' : '▸');

	button.addEventListener('click', () => {
		if (!openVms.delete(vm))
			openVms.add(vm);
		choose({ open: (choice.open || 0) + 1 });
	});
	return button;
}

function stateHead() {
	const row = element('tr', {}, element('th', { scope: 'col' }, 'VM'),
			    element('td', { className: 'bar-cell' }));

	for (const state of STATES)
		row.append(element('th', { scope: 'col', className: 'number' },
				   state + ' %'));
	return element('thead', {}, row);
}

function showStates() {
	const body = element('tbody');

	for (const [vm, sums] of vmSums()) {
		if (!isChosen(vm))
			continue;
		const head = element('span', { className: 'state-head' },
				     openButton(vm, sums.vcpus.length),
				     vmButton(vm));

		body.append(stateRow(head, vm, '', sums));
		if (!openVms.has(vm) || sums.vcpus.length < 2)
			continue;
		for (const one of sums.vcpus.sort((a, b) =>
			a.vcpu.vcpu - b.vcpu.vcpu))
			body.append(stateRow(vcpuName(one.vcpu.vcpu, one.vcpu.tid),
					     vm, one.vcpu.vcpu, one));
	}
	part('states', 'table').replaceChildren(stateHead(), body);
}

function startStates() {
	document.getElementById('states').hidden = !withStates;
	if (!withStates)
		return;
	if (shownVcpus.length <= MANY_VCPUS)
		for (const v of shownVcpus)
			openVms.add(v.vm);
	onChange(['from', 'to', 'vm', 'open', 'look'], showStates);
	showStates();
}
