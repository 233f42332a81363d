// SPDX-License-Identifier: GPL-2.0-only
// Numbers of view/packed.h: groups of 7 bits in base64.
'use strict';

class Packed {
	constructor(text) {
		const bytes = atob(text);

		this.bytes = new Uint8Array(bytes.length);
		for (let i = 0; i < bytes.length; i++)
			this.bytes[i] = bytes.charCodeAt(i);
		this.at = 0;
	}

	get more() {
		return this.at < this.bytes.length;
	}

	next() {
		let byte = this.bytes[this.at++];

		if (byte < 128)
			return byte;
		let n = byte & 127, unit = 128;

		do {
			byte = this.bytes[this.at++];
			n += (byte & 127) * unit;
			unit *= 128;
		} while (byte > 127);
		return n;
	}
}

// The sum of the parts of a list that are in slices [from, to): slices[first]
// to slices[end - 1] rise, sums[i] is of all parts of the list up to i.
function sumBetween(slices, sums, first, end, from, to) {
	const below = (slice) => {
		let low = first, high = end;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (slices[middle] < slice)
				low = middle + 1;
			else
				high = middle;
		}
		return low > first ? sums[low - 1] : 0;
	};

	if (first === end || slices[first] >= to || slices[end - 1] < from)
		return 0;
	return below(to) - below(from);
}
