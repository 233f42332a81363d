// SPDX-License-Identifier: GPL-2.0-only
// The head of the page, what can be chosen, and keys of the whole page.
'use strict';

function showSession() {
	const s = session, account = document.getElementById('account');
	const words = [s.release && 'Linux ' + s.release,
		       s.cpus === 1 ? '1 CPU' : `${s.cpus} CPUs`,
		       s.duration_ns && duration(s.duration_ns),
		       s.start_ns && new Date(s.start_ns / 1e6).toISOString()
			       .replace(/\.\d+Z$/, ' UTC').replace('T', ' '),
		       `samples of ${s.event}`,
		       s.period_ns && `one in ${duration(s.period_ns)}`, s.dir];

	document.title = `vmmprof report: ${s.hostname || s.dir}`;
	document.getElementById('host').textContent = s.hostname || s.dir;
	document.getElementById('session').textContent =
		words.filter(Boolean).join(' · ');
	account.textContent = `${count(s.read)} samples were read, ` +
		`${count(s.sum)} are in the account, ${count(s.lost)} were lost.` +
		(s.complete ? '' : ' The recorder did not finish.');
	if (!s.adds_up || s.lost) {
		account.className = 'bad';
		account.textContent += s.adds_up ? '' : ' Samples are missing.';
	}
}

function showWarnings() {
	const box = document.getElementById('warnings');
	const warnings = session.warnings;

	box.hidden = !warnings.length;
	box.querySelector('summary').textContent = warnings.length === 1 ?
		'1 warning' : `${warnings.length} warnings`;
	box.querySelector('ul').replaceChildren(
		...warnings.map((line) => element('li', {}, line)));
}

function startChoice() {
	const machine = document.getElementById('machine');
	const box = document.getElementById('time');
	const words = document.getElementById('words');
	const present = new Set([...entries.machine,
				 ...shownVcpus.map((v) => v.vm)]);

	machine.append(element('option', { value: -1 }, 'everything'));
	data.machines.forEach((name, vm) => {
		if (present.has(vm))
			machine.append(element('option', { value: vm },
					       vm ? `${name} (VM${vm})` : 'the host'));
	});
	machine.addEventListener('change', () =>
		choose({ vm: Number(machine.value) }));
	onChange(['vm'], () => {
		machine.value = choice.vm;
	});
	box.checked = withStates;
	box.closest('label').hidden = !withStates;
	box.addEventListener('change', () => choose({ time: box.checked }));
	words.addEventListener('input', () => {
		table.shown = ROWS;
		choose({ words: words.value });
	});
}

const PAGE_KEYS = {
	g: () => document.getElementById('machine').focus(),
	t: () => document.getElementById('time').click(),
	'/': () => document.getElementById('words').focus(),
	b: () => part('timeline', 'canvas').focus(),
	f: () => document.getElementById('frames').focus(),
	d: () => document.getElementById('look').click(),
	'?': () => document.getElementById('help').showModal(),
};

let width = window.innerWidth;

function resized() {
	if (window.innerWidth === width)
		return;
	width = window.innerWidth;
	for (const id of ['verdict', 'matrix'])
		document.getElementById(id).style.minHeight = '';
	choose({ width });
}

startLook();
startKeys();
showSession();
showWarnings();
startChoice();
startVerdict();
startMatrix();
startStates();
startTimeline();
startGrid();
startFlame();
startTable();
startCode();
onChange(['width'], () => {
	drawTimeline();
	if (time.grid)
		drawGrid();
	drawFlame();
});
window.addEventListener('resize', resized);
requestAnimationFrame(() => setTimeout(() => performance.mark('painted')));
