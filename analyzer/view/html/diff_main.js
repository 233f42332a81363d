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
}

const PAGE_KEYS = {
	'/': () => document.getElementById('words').focus(),
	f: () => document.getElementById('frames').focus(),
	d: () => document.getElementById('look').click(),
	'?': () => document.getElementById('help').showModal(),
};

startLook();
startKeys();
startPage();
startFlame();
showFlameLegend();
onChange(['widths'], showFlame);
onChange(['look'], showFlameLegend);
window.addEventListener('resize', drawFlame);
requestAnimationFrame(() => setTimeout(() => performance.mark('painted')));
