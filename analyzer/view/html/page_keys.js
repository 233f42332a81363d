// SPDX-License-Identifier: GPL-2.0-only
// Keys of a page: PAGE_KEYS of its main script.
'use strict';

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

function startKeys() {
	document.addEventListener('keydown', pageKey);
	document.getElementById('choice').addEventListener('submit', (event) =>
		event.preventDefault());
	document.getElementById('keys').addEventListener('click',
							 PAGE_KEYS['?']);
	part('help', '.close').addEventListener('click', () =>
		document.getElementById('help').close());
}
