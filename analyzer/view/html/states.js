// SPDX-License-Identifier: GPL-2.0-only
// Bars: how the time of each guest, and of each of its vCPUs, was spent.
'use strict';

function newSums() {
	return Object.fromEntries(STATES.map((state) => [state, 0]));
}

// guest -> { all: sums by state, vcpus: vCPU -> sums by state }
function sumsByGuest() {
	const guests = new Map();

	for (const e of entries) {
		if (!e.vm || !isChosen(e.vm))
			continue;
		if (!guests.has(e.vm))
			guests.set(e.vm, { all: newSums(), vcpus: new Map() });
		const guest = guests.get(e.vm);

		if (!guest.vcpus.has(e.vcpu))
			guest.vcpus.set(e.vcpu, newSums());
		guest.all[e.state] += e.samples;
		guest.vcpus.get(e.vcpu)[e.state] += e.samples;
	}
	return guests;
}

function stateBar(sums, total) {
	const bar = element('div', { className: 'bar', role: 'img' });
	const words = [];

	for (const state of STATES) {
		const share = percent(sums[state], total);

		if (!sums[state])
			continue;
		words.push(`${state} ${share} %`);
		const piece = element('span', { className: 'state-' + state,
						title: words.at(-1) });

		piece.style.width = share + '%';
		bar.append(piece);
	}
	bar.setAttribute('aria-label', words.join(', '));
	return bar;
}

function stateRow(name, vm, vcpu, sums) {
	const total = STATES.reduce((n, state) => n + sums[state], 0);
	const row = element('tr', { className: vcpu === '' ? 'guest' : 'vcpu',
				    data: { vm, vcpu, samples: total } },
			    element('th', { scope: 'row' }, name),
			    element('td', {}, stateBar(sums, total)));

	for (const state of STATES)
		row.append(element('td', { className: 'number',
					   data: { state, samples: sums[state] } },
				   percent(sums[state], total)));
	return row;
}

function stateHead() {
	const row = element('tr', {}, element('th', { scope: 'col' }, 'Guest'),
			    element('td', {}));

	for (const state of STATES)
		row.append(element('th', { scope: 'col', className: 'number' },
				   element('span', { className:
						     'swatch state-' + state }),
				   state + ' %'));
	return element('thead', {}, row);
}

function showStates() {
	const guests = [...sumsByGuest()].sort((a, b) => a[0] - b[0]);
	const all = guests.reduce((n, [, guest]) => n + guest.vcpus.size, 0);
	const body = element('tbody');

	for (const [vm, guest] of guests) {
		const vcpus = [...guest.vcpus].sort((a, b) => a[0] - b[0]);

		body.append(stateRow(data.machines[vm], vm, '', guest.all));
		if (all > MANY_VCPUS && choice.vm < 0)
			continue;
		for (const [vcpu, sums] of vcpus)
			body.append(stateRow(vcpuName(vcpu), vm, vcpu, sums));
	}
	part('states', 'table').replaceChildren(stateHead(), body);
}

function startStates() {
	if (!data.host_time) {
		part('states', '.note').textContent = data.no_timeline ||
			'The event does not count time.';
		return;
	}
	part('states', '.note').textContent =
		'Shares of the time since the measurement began, by the samples ' +
		'and switch records of each vCPU.';
	listeners.push(showStates);
	showStates();
}
