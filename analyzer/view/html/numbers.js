// SPDX-License-Identifier: GPL-2.0-only
// Numbers as text, and elements of the page.
'use strict';

function percent(part, whole, digits = 2) {
	return (whole ? 100 * part / whole : 0).toFixed(digits);
}

// In the unit that has three digits or more.
function duration(ns) {
	if (ns >= 1e9 || !ns)
		return (ns / 1e9).toFixed(ns < 1e11 ? 2 : 0) + ' s';
	if (ns >= 1e6)
		return (ns / 1e6).toFixed(ns < 1e8 ? 1 : 0) + ' ms';
	return (ns / 1e3).toFixed(0) + ' µs';
}

// Since the beginning, with as many digits as a step of that needs.
function moment(ns, step) {
	const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / 1e9))));

	return (ns / 1e9).toFixed(digits) + ' s';
}

function count(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

// An element with properties, data-* attributes (data: {}), and children:
// elements, or strings, which are text.
function element(tag, properties, ...children) {
	const node = document.createElement(tag);

	for (const [key, value] of Object.entries(properties || {})) {
		if (key === 'data')
			Object.assign(node.dataset, value);
		else if (key in node)
			node[key] = value;
		else
			node.setAttribute(key, value);
	}
	node.append(...children);
	return node;
}

function part(id, selector) {
	return document.querySelector('#' + id + ' ' + selector);
}
