// SPDX-License-Identifier: GPL-2.0-only
// The instructions of the hottest functions, in a panel.
'use strict';

const codeOf = new Map();	// machine, module and function -> places

function codeKey(machine, module, name) {
	return JSON.stringify([machine, module, name]);
}

for (const place of data.code) {
	const key = codeKey(place.machine, place.module, place.function);

	codeOf.set(key, [...codeOf.get(key) || [], place]);
}

function placesOf(i) {
	return codeOf.get(codeKey(entries.machine[i], labels[entries.module[i]],
				  labels[entries.function[i]]));
}

function hasCode(i) {
	return Boolean(placesOf(i));
}

function codeLine(place, line, source) {
	const [offset, samples, insn, from, text, target] = line;
	const share = percent(samples, place.samples, 1);
	const row = element('tr', { className: samples ? 'hot' : '',
				    data: { samples } },
			    element('td', { className: 'number' },
				    samples ? share : ''),
			    element('td', { className: 'number' },
				    '+' + offset.toString(16)),
			    element('td', {}, insn || '(no instruction)',
				    target ? element('span', { className: 'target' },
						     ' → ' + target) : ''));

	row.style.setProperty('--share', share + '%');
	if (!from || from === source)
		return [row];
	return [element('tr', { className: 'source' },
			element('td', { colSpan: 2 }),
			element('td', {}, `${from}  ${text}`)), row];
}

function codeTable(place) {
	const body = element('tbody');
	let source = '';

	for (const line of place.lines) {
		body.append(...codeLine(place, line, source));
		source = line[3] || source;
	}
	return element('table', { className: 'code' }, body);
}

function codeOfPlace(place) {
	const parts = [element('p', { className: 'note' },
			       place.from ? `${count(place.samples)} samples, code ` +
			       `from ${place.from}` : `No code: ${place.why}.`)];

	if (place.left_out)
		parts.push(element('p', { className: 'note' },
				   `${place.left_out} lines that are far from any ` +
				   'sample are left out; `vmmprof annotate` has all.'));
	parts.push(codeTable(place));
	return parts;
}

function showCode(i) {
	const panel = document.getElementById('code');

	part('code', 'h2').replaceChildren(
		nameOfVm(entries.machine[i]), ' › ', labels[entries.module[i]], ' › ',
		labels[entries.function[i]]);
	part('code', '.lines').replaceChildren(
		...placesOf(i).flatMap(codeOfPlace));
	panel.showModal();
	hottestLine()?.scrollIntoView({ block: 'center' });
}

function hottestLine() {
	return [...document.querySelectorAll('#code tr.hot')].reduce((a, b) =>
		a && Number(a.dataset.samples) >= Number(b.dataset.samples) ?
			a : b, null);
}

function startCode() {
	const panel = document.getElementById('code');

	part('code', '.close').addEventListener('click', () => panel.close());
	panel.addEventListener('click', (event) => {
		if (event.target === panel)
			panel.close();
	});
}
