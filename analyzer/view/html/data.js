// SPDX-License-Identifier: GPL-2.0-only
// What the page is made of: the session's entries, as `vmmprof export` has
// them, and what is chosen of them.  Every name in it was chosen by somebody
// else: it becomes text, never markup.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

// States of time without guest code.
const TIME = new Set(['vmm', 'steal', 'halt', 'blocked', 'unknown']);
// Of more vCPUs than these only a chosen guest's are all shown.
const MANY_VCPUS = 64;

// All of a guest's states, in the order of bars.
const STATES = ['guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown'];

// -1: there is none, or it is not known.
function nameOf(id) {
	return id < 0 ? '-' : data.names[id];
}

const entries = data.entries.map((e) => ({
	vm: e[0],
	guest: data.machines[e[0]],
	vcpu: e[1],
	process: nameOf(e[2]),
	pid: e[3],
	module: nameOf(e[4]),
	function: nameOf(e[5]),
	mode: e[6],
	state: e[7],
	samples: e[8],
}));

// What is chosen; whoever shows it is called after a change.
const choice = { vm: -1, time: true };
const listeners = [];

function choose(change) {
	Object.assign(choice, change);
	for (const listener of listeners)
		listener();
}

function isChosen(vm) {
	return choice.vm < 0 || choice.vm === vm;
}

function chosenEntries() {
	return entries.filter((e) => isChosen(e.vm) &&
			      (choice.time || !TIME.has(e.state)));
}

function sum(list) {
	return list.reduce((total, e) => total + e.samples, 0);
}

function percent(part, whole) {
	return (whole ? 100 * part / whole : 0).toFixed(2);
}

function seconds(ns) {
	return (ns / 1e9).toFixed(3) + ' s';
}

function vcpuName(vcpu) {
	return vcpu < 0 ? '-' : 'vCPU ' + vcpu;
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
