// SPDX-License-Identifier: GPL-2.0-only
// t493_html_chains.js TREE PAGE: the flame graph's tree of a page, by the page's
// own scripts: each node with weight, both ways up.
'use strict';
const fs = require('fs'), vm = require('vm');
const [top, page] = process.argv.slice(2);
const text = fs.readFileSync(page, 'utf8');
const json = text.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1];
const nothing = new Proxy(function () {}, {
	get: (of, key) => key === Symbol.toPrimitive ? () => '' : nothing,
	apply: () => nothing,
});
const context = vm.createContext({
	document: { getElementById: (id) => id === 'data' ? { textContent: json } :
		nothing, querySelector: () => nothing, documentElement: nothing,
		body: nothing },
	getComputedStyle: () => nothing, matchMedia: () => nothing,
	window: nothing, localStorage: nothing,
	atob: (s) => Buffer.from(s, 'base64').toString('latin1'),
	requestAnimationFrame: () => 0, console,
});
const scripts = ['numbers', 'data', 'packed', 'choice', 'vcpus', 'colors', 'owners',
		 'entries', 'chains', 'tree_nodes', 'tree'];
const show = `
function show(node, depth) {
	console.log('  '.repeat(depth) + labelOf(node) + ' ' +
		    LOOKS[tree.look[node]] + ' ' +
		    Math.round(tree.value[node] / (session.period_ns || 1)));
	for (const child of childrenOf(node, 0))
		show(child, depth + 1);
}
weighTree();
show(0, 0);
buildTree(true);
weighTree();
show(0, 0);
choose({ from: 0, to: Math.floor(time.slices / 8) });
buildTree(false);
weighTree();
show(0, 0);
`;

vm.runInContext(scripts.map((name) => fs.readFileSync(
	`${top}/analyzer/view/html/${name}.js`, 'utf8')).join('\n') + show, context);
