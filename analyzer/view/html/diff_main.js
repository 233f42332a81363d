// SPDX-License-Identifier: GPL-2.0-only
// The head of the page of two sessions, and its keys.
'use strict';

function sessionText(s) {
	return [s.hostname, s.release && 'Linux ' + s.release,
		s.duration_ns && duration(s.duration_ns) +
			(s.part ? ' of it' : ''), s.dir].filter(Boolean).join(' · ');
}

function startPage() {
	const words = document.getElementById('words');
	const widths = document.getElementById('widths');

	document.title = `vmmprof diff: ${data.a.dir}, ${data.b.dir}`;
	document.getElementById('sessions').textContent = data.a.dir === data.b.dir ?
		`Two stretches of ${data.a.dir}` : `From ${data.a.dir} to ${data.b.dir}`;
	document.getElementById('session').textContent =
		`A: ${sessionText(data.a)} — B: ${sessionText(data.b)} — samples of ` +
		data.event;
	words.addEventListener('input', () => choose({ words: words.value }));
	widths.addEventListener('change', () => choose({ widths: widths.value }));
	document.getElementById('choice').addEventListener('submit', (event) =>
		event.preventDefault());
}

const PAGE_KEYS = {
	'/': () => document.getElementById('words').focus(),
	f: () => document.getElementById('frames').focus(),
	d: () => document.getElementById('look').click(),
	'?': () => document.getElementById('help').showModal(),
};

function pageKey(event) {
	const inField = event.target.closest('input[type=search], select');

	if (event.key === 'Escape' && inField)
		inField.blur();
	if (inField || event.ctrlKey || event.altKey || event.metaKey ||
	    !PAGE_KEYS[event.key] || document.querySelector('dialog[open]'))
		return;
	event.preventDefault();
	PAGE_KEYS[event.key]();
}

startLook();
startPage();
startFlame();
showFlameLegend();
onChange(['widths'], showFlame);
onChange(['look'], showFlameLegend);
document.addEventListener('keydown', pageKey);
window.addEventListener('resize', drawFlame);
document.getElementById('keys').addEventListener('click', PAGE_KEYS['?']);
part('help', '.close').addEventListener('click', () =>
	document.getElementById('help').close());
requestAnimationFrame(() => setTimeout(() => performance.mark('painted')));
