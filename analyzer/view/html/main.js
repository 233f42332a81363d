// SPDX-License-Identifier: GPL-2.0-only
// The head of the page, what can be chosen, and keys of the whole page.
'use strict';

function showSession() {
	const s = data.session;
	const account = document.getElementById('account');
	const words = [s.hostname, s.release && 'Linux ' + s.release,
		       `${s.cpus} CPUs`, s.duration_ns && seconds(s.duration_ns),
		       s.start_ns && new Date(s.start_ns / 1e6).toISOString(),
		       `samples of ${s.event}`,
		       s.period_ns && `one in ${s.period_ns / 1000} us`, s.dir];

	document.title = `vmmprof report: ${s.hostname || s.dir}`;
	document.getElementById('session').textContent =
		words.filter(Boolean).join(', ');
	account.textContent = `${s.read} samples were read, ${s.sum} are in the ` +
		`account, ${s.lost} were lost.` +
		(s.complete ? '' : ' The recorder did not finish.');
	if (!s.adds_up || s.lost) {
		account.className = 'bad';
		account.textContent += s.adds_up ? '' :
			' Samples are missing.';
	}
}

function showWarnings() {
	const box = document.getElementById('warnings');
	const warnings = data.session.warnings;

	box.hidden = !warnings.length;
	box.querySelector('summary').textContent = warnings.length === 1 ?
		'1 warning' : `${warnings.length} warnings`;
	box.querySelector('ul').replaceChildren(
		...warnings.map((line) => element('li', {}, line)));
}

function startChoice() {
	const machine = document.getElementById('machine');
	const time = document.getElementById('time');
	const present = new Set(entries.map((e) => e.vm));

	machine.append(element('option', { value: -1 }, 'everything'));
	data.machines.forEach((name, vm) => {
		if (present.has(vm))
			machine.append(element('option', { value: vm },
					       vm ? `${name} (VM${vm})` : 'the host'));
	});
	machine.addEventListener('change', () =>
		choose({ vm: Number(machine.value) }));
	time.disabled = !data.host_time;
	time.checked = data.host_time;
	time.addEventListener('change', () => choose({ time: time.checked }));
	document.getElementById('choice').addEventListener('submit', (event) =>
		event.preventDefault());
}

function pageKey(event) {
	const inField = event.target.closest('input[type=search], select');
	const id = { g: 'machine', t: 'time', '/': 'filter' }[event.key];

	if (event.key === 'Escape' && inField)
		inField.blur();
	if (inField || !id || event.ctrlKey || event.altKey || event.metaKey)
		return;
	event.preventDefault();
	if (id === 'time')
		document.getElementById(id).click();
	else
		document.getElementById(id).focus();
}

showSession();
showWarnings();
startChoice();
startStates();
startTimeline();
startFlame();
startTable();
document.addEventListener('keydown', pageKey);
