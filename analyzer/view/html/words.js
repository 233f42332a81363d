// SPDX-License-Identifier: GPL-2.0-only
// The words that are searched for.
'use strict';

// By label: has it the word?  A word is looked for in each text once.
function labelsWith(word) {
	const has = new Uint8Array(labels.length);

	for (let i = 0; i < labels.length; i++)
		has[i] = labels[i].toLowerCase().includes(word) ? 1 : 0;
	return has;
}

function searchWords() {
	return choice.words.toLowerCase().split(/\s+/).filter(Boolean);
}
