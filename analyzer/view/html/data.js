// SPDX-License-Identifier: GPL-2.0-only
// What the page is made of: the session's names and numbers as JSON.  Every
// name in it was chosen by somebody else: it becomes text, never markup.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const session = data.session;
const time = data.time;
const NS = time.khz ? 1e6 / time.khz : 0;	// of a tick

// Of more vCPUs than these rows of VMs are closed at first.
const MANY_VCPUS = 16;

function vmName(vm) {
	return data.machines[vm] || 'VM' + vm;
}

function vcpuName(vcpu, tid) {
	return vcpu < 0 ? tid ? 'thread ' + tid : '-' : 'vCPU ' + vcpu;
}
