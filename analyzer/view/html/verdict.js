// SPDX-License-Identifier: GPL-2.0-only
// The answer first: who lost how much of its time, and to whom.
'use strict';

const VERDICTS = 3;	// VMs that are named

function mostStolen() {
	return [...vmSums().values()].filter((sums) => sums.states.steal)
		.sort((a, b) => b.states.steal - a.states.steal);
}

function nameOfVm(vm) {
	const name = element('span', { className: 'vm-name' }, vmName(vm));

	name.style.setProperty('--vm', vmColor(vm));
	return name;
}

function nameOfOwner(owner) {
	return owner.vm ? nameOfVm(owner.vm) :
		element('span', { className: 'owner-name' }, owner.name);
}

// As view/verdict.c has it.
function verdictTime(ticks) {
	const s = ticks * NS / 1e9;

	return s >= .9995 ? s.toFixed(2) + ' s' : s >= .0009995 ?
		(s * 1e3).toFixed(1) + ' ms' : (s * 1e6).toFixed(1) + ' us';
}

// The same words of a part of the time.
function verdictText(sums) {
	const { steal } = sums.states, total = totalOf(sums.states);
	const part = percent(steal, total, 1), named = [];
	let sum = 0;

	for (const [owner, ticks] of byOwner(sums.thieves, (t) => ownerOf[t])) {
		if (named.length === 3 || sum >= .8 * steal)
			break;
		named.push(`${percent(ticks, steal, 1)} % to ${owner.vm === sums.vm ?
			'its own threads' : owner.phrase}`);
		sum += ticks;
	}
	return `${vmName(sums.vm)} lost ${part} % of its time ` +
		`(${verdictTime(steal)} of ${verdictTime(total)}): ` +
		named.join(', ');
}

// VMs' names in it get their colours, percentages weight; the text stays.
function verdictLine(vm, text, first) {
	const line = element('p', { className: first ? 'verdict first' :
				    'verdict', data: { vm } });
	const own = vmName(vm);
	let rest = text;

	if (rest.startsWith(own)) {
		line.append(nameOfVm(vm));
		rest = rest.slice(own.length);
	}
	for (const piece of rest.split(/(\d+\.\d %)/)) {
		const name = piece.startsWith(' to ') ? piece.slice(4) : '';
		const of = owners.find((o) => o.vm && name.startsWith(o.name));

		if (/^\d+\.\d %$/.test(piece))
			line.append(element('b', {}, piece));
		else if (of)
			line.append(' to ', nameOfVm(of.vm),
				    name.slice(of.name.length));
		else
			line.append(piece);
	}
	return line;
}

function verdictsNow() {
	const lines = isWhole() ?
		data.verdicts.filter(([vm]) => vmSums().get(vm)?.states.steal) :
		mostStolen().map((sums) => [sums.vm, verdictText(sums)]);

	// the one that is chosen is asked about
	return lines.sort(([a], [b]) =>
		(b === choice.vm) - (a === choice.vm));
}

function rangeText() {
	const step = (sliceTime(choice.to) - sliceTime(choice.from)) / 100;

	return `${moment(sliceTime(choice.from), step)} to ` +
		`${moment(sliceTime(choice.to), step)}`;
}

function showVerdict() {
	const lines = [], most = withStates ? verdictsNow() : [];
	const where = isWhole() ? '' : `From ${rangeText()}: `;

	if (!most.length)
		lines.push(element('p', { className: 'verdict first' },
				   withStates ? where + 'No vCPU waited for a CPU.' :
				   data.why || 'The event does not count time.'));
	most.slice(0, VERDICTS).forEach(([vm, text], i) =>
		lines.push(verdictLine(vm, text, !i)));
	if (most.length && where)
		lines[0].prepend(where);
	if (most.length > VERDICTS)
		lines.push(element('p', { className: 'verdict more' },
				   `${most.length - VERDICTS} more VMs lost less.`));
	document.getElementById('verdict').replaceChildren(...lines);
}

function startVerdict() {
	onChange(['from', 'to', 'vm'], showVerdict);
	showVerdict();
}
