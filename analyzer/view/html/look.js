// SPDX-License-Identifier: GPL-2.0-only
// Light or dark: as the system, or as the switch says.
'use strict';

const systemDark = matchMedia('(prefers-color-scheme: dark)');

// A page from a file may not have any storage.
function storedLook(look) {
	try {
		if (look)
			localStorage.setItem('vmmprof-look', look);
		return localStorage.getItem('vmmprof-look');
	} catch {
		return null;
	}
}

function setLook(look) {
	document.documentElement.dataset.theme = look;
	document.getElementById('look').setAttribute(
		'aria-pressed', look === 'dark');
}

function changeLook(look) {
	setLook(look);
	choose({ look });
}

function startLook() {
	setLook(storedLook() || (systemDark.matches ? 'dark' : 'light'));
	systemDark.addEventListener('change', () => {
		if (!storedLook())
			changeLook(systemDark.matches ? 'dark' : 'light');
	});
	document.getElementById('look').addEventListener('click', () =>
		changeLook(storedLook(isDark() ? 'light' : 'dark') ||
			(isDark() ? 'light' : 'dark')));
}
