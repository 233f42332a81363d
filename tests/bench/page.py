#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page.py [SAMPLES]: how long the page of `vmmprof report --html` takes in
Chromium, of a session of 64 vCPUs and that many samples (1,000,000): from the
beginning of loading to the first picture with all in it, and for a brush in
the timeline, a word that is searched for, a VM that is chosen, each until it is
seen.  Not a test: it prints numbers, of this machine and its load."""
import os
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..'))
sys.path.insert(0, os.path.join(TOP, 'tests', 'export'))
from chromium import Page  # pylint: disable=wrong-import-position

# Until the frame after the change is on the screen.
CHANGE = '''(async () => {{
	const begin = performance.now();

	choose({0});
	await new Promise((done) => requestAnimationFrame(() => {{
		const channel = new MessageChannel();

		channel.port1.onmessage = done;
		channel.port2.postMessage(0);
	}}));
	return performance.now() - begin;
}})()'''


def painted(file):
    with Page(file) as page:
        return page.ask("performance.getEntriesByName('painted')[0].startTime")


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    program = os.environ.get('VMMPROF', f'{TOP}/build/vmmprof')
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        subprocess.run([f'{TOP}/build/gen/bigsession', '-n', str(samples),
                        '-c', '32', '-g', '16', '-v', '4', 's'], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([program, 'report', '-i', 's', '--html', 'page.html'],
                       check=True)
        size = os.path.getsize('page.html') / 1e6
        print(f'{samples} samples, 64 vCPUs: a page of {size:.1f} MB')
        first = sorted(painted('page.html') for _ in range(5))
        print(f'all is painted after {first[2]:.0f} ms '
              f'({first[0]:.0f} to {first[-1]:.0f})')
        with Page('page.html') as page:
            end = page.ask('time.slices')
            changes = {
                'a brush': [f'{{ from: {i * 7 % (end - 60)}, to: '
                            f'{i * 7 % (end - 60) + 10 + i} }}'
                            for i in range(40)],
                'a word': [f"{{ words: 'function_{i}' }}" for i in range(15)],
                'a VM': [f'{{ vm: {i} }}' for i in range(1, 16)],
            }
            for what, list_of in changes.items():
                took = sorted(page.ask(CHANGE.format(one)) for one in list_of)
                print(f'{what} is seen after {statistics.median(took):.0f} ms '
                      f'({took[0]:.0f} to {took[-1]:.0f})')


main()
