#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page.py numbers SESSION...
page.py parts SESSION...
page.py keys SESSION...
page.py pictures SESSION...
page.py hostile MKSESSION
page.py diff A B
page.py large SESSION

The page of `vmmprof report --html` in headless Chromium: what it shows are the
numbers of `report --json` and `steal --json`, of all the time and of parts of
it; it can be used by keys; it fits a phone; names that are markup stay text."""
import collections
import json
import os
import re
import subprocess
import sys

from chromium import Page

STATES = ['guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown']
FRAME = '''new Promise((done) => requestAnimationFrame(() =>
	requestAnimationFrame(() => setTimeout(done))))'''


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def vmmprof(*args):
    return run(os.environ['VMMPROF'], *args)


def same(what, got, want):
    if got != want:
        sys.exit(f'{what}: {got}, not {want}')


def about(what, got, want, by):
    if abs(got - want) > by:
        sys.exit(f'{what}: {got}, not {want}')


def page_of(session, **look):
    vmmprof('report', '-i', session, '--html', 'page.html')
    return Page('page.html', **look)


def unharmed(page):
    """No script failed, nothing was asked of any other place."""
    same('errors', page.errors, [])
    same('requests', [u for u in page.requests
                      if not u.startswith('file://')], [])


def reported(session):
    """Samples by guest, process, pid, module, function and mode."""
    said = json.loads(vmmprof('report', '-i', session, '--json', '--sort',
                              'process,pid,module,function,mode'))
    rows = collections.Counter()
    for m in [said['host']] + said['guests']:
        for row in m['rows']:
            if 'vm' not in m and re.match(r'\(VM\d+\)$', row['pid']):
                continue
            number = re.search(r'\(\d+\)$', row['process'])
            module = row['module'][:-len(number.group())] if number \
                else row['module']
            rows[m['name'], row['process'], row['pid'], module,
                 row['function'], row['mode']] += row['samples']
    return rows


TABLE = '''table.shown = 1e6, showTable(),
	[...document.querySelectorAll('#functions tbody tr')].map((tr) =>
		[{ ...tr.dataset }, Object.fromEntries([...tr.children].map((td) =>
			[td.dataset.column, td.textContent]))])'''


def check_table(page, want):
    got = collections.Counter()
    rows = page.ask(TABLE)
    last = None
    whole = sum(float(said['ns']) for said, _ in rows)
    for said, cell in rows:
        about('percent', float(cell['percent']),
              100 * float(said['ns']) / whole, .006)
        assert last is None or float(said['ns']) <= last, 'not sorted'
        last = float(said['ns'])
        if not said['state']:
            got[tuple(cell[k] for k in ('guest', 'process', 'pid', 'module',
                                        'function', 'mode'))] += \
                int(said['samples'])
    same('table', got, want)


def check_flame(page, want):
    """Frames of functions have their samples; a node is what is below it."""
    sums = collections.Counter()
    for path, n in page.ask('''[...tree.entry.keys()].filter((node) =>
		tree.entry[node] >= 0 && entries.state[tree.entry[node]] < 0)
		.map((node) => [pathOf(node),
				weightsNow().samples[tree.entry[node]]])'''):
        sums[path[0], path[-3], path[-2], path[-1]] += n
    expected = collections.Counter()
    for (guest, process, _, module, function, _), n in want.items():
        expected[guest, process, module, function] += n
    same('flame graph', sums, expected)
    wrong = page.ask('''Array.from(tree.value.keys()).filter((node) =>
		tree.first[node] >= 0 && tree.entry[node] < 0 && Math.abs(
			childrenOf(node, 0).reduce((n, m) =>
				n + tree.value[m], 0) - tree.value[node]) > 1)''')
    same('sums of frames', wrong, [])


STATE_ROWS = '''[...shownVcpus].forEach((v) => openVms.add(v.vm)), showStates(),
	[...document.querySelectorAll('#states tbody tr')].map((tr) =>
		[tr.dataset.vm, tr.dataset.vcpu,
		 [...tr.querySelectorAll('td[data-state]')].map((td) =>
			 [Number(td.dataset.ticks) * NS, td.textContent])])'''


def check_states(page, said):
    """Bars are steal's columns, in time and as it rounds percentages."""
    shown = {(vm, vcpu): cells for vm, vcpu, cells in page.ask(STATE_ROWS)}
    for vm, g in enumerate(said['guests'], 1):
        if not g['total_ns']:
            continue
        cells = shown[str(vm), '']
        for (ns, text), state in zip(cells, STATES):
            about(f'{g["name"]} {state}', ns, g[state + '_ns'], 2)
            about(f'{g["name"]} {state} %', float(text),
                  100 * g[state + '_ns'] / g['total_ns'], .01)
        about('sum', sum(float(text) for _, text in cells), 100, .001)


MATRIX = '''[...document.querySelectorAll('#matrix tbody tr')].map((tr) =>
	[tr.dataset.vm, [...tr.children].slice(1).map((td) =>
		[td.dataset.owner, Number(td.dataset.ticks) * NS])])'''


def check_matrix(page, session, by):
    """Each cell is that of steal's matrix."""
    said = json.loads(vmmprof('steal', '-i', session, '--json', '--by', by))
    page.ask(f"choose({{ units: {json.dumps(by == 'unit')} }}), {FRAME}")
    m = said['matrix']
    names = [g['name'] for g in said['guests']]
    want = {(m['victims'][c['victim']]['name'],
             m['thieves'][c['thief']]['name']): c['took_ns'] for c in m['cells']
            if c['took_ns']}
    got = {}
    for vm, cells in page.ask(MATRIX):
        lost = next(v['lost_ns'] for v in m['victims']
                    if v['name'] == names[int(vm) - 1])
        about('lost', cells[0][1], lost, 2)
        for owner, ns in cells[1:]:
            if ns:
                got[names[int(vm) - 1], owner] = ns
    same('cells', set(got), set(want))
    for key, ns in want.items():
        about(f'{key}', got[key], ns, 2)


def check_verdict(page, said):
    """The first lines are steal's words, to the letter."""
    lines = page.ask('''[...document.querySelectorAll('#verdict p[data-vm]')]
		.map((p) => [p.dataset.vm, p.textContent])''')
    lost = sum(bool(g['steal_ns']) for g in said['guests'])
    same('lines', len(lines), min(lost, 3))
    for vm, text in lines:
        same('verdict', text, said['guests'][int(vm) - 1]['verdict'])
    shares = [said['guests'][int(vm) - 1]['steal_ns'] for vm, _ in lines]
    same('who lost most', shares, sorted(shares, reverse=True))


def numbers(*sessions):
    for session in sessions:
        with page_of(session) as page:
            unharmed(page)
            with open('page.html', encoding='utf-8') as f:
                text = f.read()
            same('addresses', set(re.findall(r'\w+://[\w./]*', text)), set())
            same('policy', "default-src 'none'" in text, True)
            rows = reported(session)
            check_table(page, rows)
            check_flame(page, rows)
            if not page.ask('withStates'):
                assert 'no switch records' in page.ask(
                    "document.getElementById('verdict').innerText")
                continue
            said = json.loads(vmmprof('steal', '-i', session, '--json'))
            check_verdict(page, said)
            check_states(page, said)
            check_matrix(page, session, 'vm')
            check_matrix(page, session, 'unit')


# Sums of what is seen, in ns: the matrix, the states, flames and table.
SEEN = '''({
	lost: [...document.querySelectorAll('#matrix tbody td[data-owner=sum]')]
		.reduce((n, td) => n + Number(td.dataset.ticks), 0) * NS,
	states: [...document.querySelectorAll('#states tr.guest td[data-ticks]')]
		.reduce((n, td) => n + Number(td.dataset.ticks), 0) * NS,
	flame: tree.value[0],
	table: rows.ns.reduce((a, b) => a + b, 0),
	samples: rows.samples.reduce((a, b) => a + b, 0),
})'''


def parts(*sessions):
    """What is seen of parts of the time sums to what is seen of all of it."""
    for session in sessions:
        with page_of(session) as page:
            whole, end = page.ask(SEEN), page.ask('time.slices')
            cuts = [0, 1, end // 3, end // 2 + 1, end - 7, end]
            sums = collections.Counter()
            for a, b in zip(cuts, cuts[1:]):
                page.ask(f'choose({{ from: {a}, to: {b} }}), {FRAME}')
                seen = page.ask(SEEN)
                sums.update(seen)
                about('flames and table', seen['flame'], seen['table'], 10)
                assert page.ask("!document.getElementById('range').hidden")
            for key in ('lost', 'states', 'samples'):
                about(key, sums[key], whole[key], 5)
            assert whole['samples'] > 0
            drag(page, whole)
            unharmed(page)


def drag(page, whole):
    """A brush by the mouse; a click takes it away."""
    if not page.ask('shownVcpus.length'):
        return
    box = page.ask('''part('timeline', 'canvas').scrollIntoView(),
	scrollBy(0, -200), (({ x, y, width }) => ({ x, y, width }))(
	part('timeline', 'canvas').getBoundingClientRect())''')
    y = box['y'] + 30
    page.drag(box['x'] + box['width'] * .25, y, box['x'] + box['width'] * .5, y)
    page.ask(FRAME)
    end = page.ask('time.slices')
    about('brush', page.ask('choice.from'), end * .25, 2)
    about('brush', page.ask('choice.to'), end * .5, 2)
    seen = page.ask(SEEN)
    assert seen['table'] < whole['table'], seen
    page.drag(box['x'] + 5, y, box['x'] + 5, y)
    page.ask(FRAME)
    same('no brush', page.ask('isWhole()'), True)


def keys(*sessions):
    for session in sessions:
        with page_of(session) as page:
            page.key('f')
            same('flames', page.ask('document.activeElement.id'), 'frames')
            page.key('ArrowDown')
            first = page.ask('pathOf(flame.at)')
            same('below the root', len(first), 1)
            page.key('ArrowRight')
            assert page.ask('pathOf(flame.at)') != first
            page.key('ArrowLeft')
            same('back', page.ask('pathOf(flame.at)'), first)
            page.key('Enter')
            same('zoomed', page.ask('pathOf(flame.top)'), first)
            same('width', page.ask('flame.frames.find((f) => f.node === '
                                   'flame.top).width === flame.width'), True)
            assert re.search(r', [\d.]+ %', page.ask(
                "part('flame', '.status').textContent"))
            page.key('Escape')
            same('out', page.ask('flame.top'), 0)
            page.ask('document.activeElement.blur()')
            page.key('/')
            same('search', page.ask('document.activeElement.id'), 'words')
            for c in 'beta_':
                page.key(c)
            page.ask(FRAME)
            got = set(page.ask('''[...document.querySelectorAll(
		'#functions td.function')].map((td) => td.textContent)'''))
            if session == 'two-guests':
                same('found', got, {'beta_work', 'beta_schedule'})
                assert 'found: ' in page.ask(
                    "part('flame', '.status').textContent")
                same('in flames', page.ask('''new Set(flame.frames.filter((f) =>
		flame.has[f.node] && !flame.has[tree.parent[f.node]]).map((f) =>
		labelOf(f.node).slice(0, 5))).size'''), 1)
            for word, column in (('shor(1)', 'process'), ('vmlinux', 'module'),
                                 ('beta', 'guest')):
                got = page.ask(f"choose({{ words: '{word}' }}), {FRAME}") or \
                    page.ask(f"""[...document.querySelectorAll(
		'#functions td[data-column={column}]')].map((td) => td.textContent)""")
                if session == 'two-guests':
                    same(word, set(got), {word})
            page.ask("document.getElementById('words').value = '', "
                     "choose({ words: '' })")
            page.key('Escape')
            page.key('g')
            same('select', page.ask('document.activeElement.id'), 'machine')
            page.ask('document.activeElement.blur(), choose({ vm: 1 }),' + FRAME)
            same('one guest', page.ask('''[...new Set([...document
		.querySelectorAll('#functions td.guest')].map((td) =>
		td.textContent))]'''), ['alpha'])
            if page.ask('withStates'):
                same('asked about', page.ask("document.querySelector("
                     "'#verdict p').dataset.vm"), '1')
            page.key('d')
            same('dark', page.ask('isDark()'), True)
            if page.ask('withStates'):
                check_time_keys(page)
            unharmed(page)


def check_time_keys(page):
    states = '''new Set([...document.querySelectorAll('#functions tbody tr')]
	.map((tr) => tr.dataset.state)).has('steal')'''
    same('time', page.ask(states), True)
    page.key('t')
    page.ask(FRAME)
    same('without', page.ask(states), False)
    page.key('b')
    page.key('End')
    status = page.ask("part('timeline', '.status').textContent")
    assert re.search(r' s: \w.* %', status), status
    page.key('Home')
    page.key('ArrowRight', shift=True)
    page.key('ArrowRight', shift=True)
    page.ask(FRAME)
    same('chosen', page.ask('[choice.from, choice.to]'), [0, 3])
    page.key('Enter')
    page.ask(FRAME)
    same('zoomed', page.ask('[choice.left, choice.right]'), [0, 8])
    page.key('Escape')
    page.key('Escape')
    page.ask(FRAME)
    same('all', page.ask('[choice.right === time.slices, isWhole()]'),
         [True, True])


# How many colours a canvas has, and whether it has any ink.
COLORS = '''(selector) => {
	const canvas = document.querySelector(selector);
	const pixels = new Uint32Array(canvas.getContext('2d').getImageData(
		0, 0, canvas.width, canvas.height).data.buffer);

	return new Set(pixels).size;
}'''


def pictures(*sessions):
    """Each width, light and dark: nothing is wider than the window, what is
    drawn has colours; the pictures stay beside the session."""
    for session in sessions:
        for width in (1440, 800, 390):
            for dark in (False, True):
                with page_of(session, width=width, dark=dark) as page:
                    same('dark', page.ask('isDark()'), dark)
                    wide = page.ask('document.documentElement.scrollWidth')
                    same(f'width of {session}', wide, width)
                    canvases = ['#frames']
                    if page.ask('shownVcpus.length'):
                        canvases.append('#timeline canvas')
                    for one in canvases:
                        n = page.ask(f'({COLORS})({json.dumps(one)})')
                        assert n > 4, (one, n)
                    page.picture(f'{session}-{width}-'
                                 f'{"dark" if dark else "light"}.png')
                    unharmed(page)


HOSTILE = ['</script><script>document.title="owned"</script>',
           '<img src=x onerror=document.title="owned">',
           '<!--<script>', '"><b>', "'+alert(1)+'", '&lt;b&gt;', '\u2028',
           '${document.title="owned"}', '\\u003cb\\u003e', 'é😀', '__proto__']
SHOWN = [name.replace('\u2028', '\\xe2\\x80\\xa8') for name in HOSTILE]


def hostile(mksession):
    """Guests, processes, functions, warnings of such names."""
    codes = [''.join(f'\\x{c:02x}' for c in name.encode())
             for name in HOSTILE]
    info = [f'file info\n  text hostname={codes[0]} release={codes[1]}\n'
            f'  event index=0 name={codes[2]}\n']
    host = ['file host\n  kallsyms\n']
    maps, records = [], []
    for i, code in enumerate(codes):
        info.append(f'  vm pid={50 + i} name={code}\n'
                    f'  guest pid={50 + i} name={code}\n')
        host.append(f'    {0xffffffff81000000 + 256 * i:x} T {code}\n')
        maps.append(f'  proc op=snap ns=0 pid={200 + i} comm={code[:60]}\n')
        records += [
            f'  sample tsc={10 + 2 * i} flags=N pid={200 + i} '
            f'ip={0xffffffff81000008 + 256 * i:#x}\n',
            f'  sample tsc={11 + 2 * i} flags=NVMSOGH handling=2 '
            f'pid={50 + i} tid={150 + i} cpl=3 cr3=0x3000 gip=16\n']
    with open('d', 'w', encoding='ascii') as f:
        f.write(''.join(info) + '  end\n' + ''.join(host) +
                '    ffffffff82000000 T _etext\n  .\n' + ''.join(maps) +
                '  end\nfile cpu-0.rec\n' + ''.join(records))
    run(mksession, 'd', 'hostile')
    with page_of('hostile') as page:
        same('title', page.ask('document.title'),
             f'vmmprof report: {SHOWN[0]}')
        same('scripts', page.ask('document.scripts.length'), 2)
        same('markup', page.ask(
            "document.querySelectorAll('img, b:not(.verdict b)').length"), 0)
        cells = collections.defaultdict(set)
        for column, text in page.ask('''[...document.querySelectorAll(
		'#functions td')].map((td) => [td.dataset.column, td.textContent])'''):
            cells[column].add(text)
        same('functions', set(SHOWN) - cells['function'], set())
        same('guests', set(SHOWN) - cells['guest'], set())
        same('choice', set(SHOWN) - {
            o.rpartition(' (VM')[0] for o in page.ask(
                "[...document.querySelectorAll('option')].map((o) => o.text)")},
             set())
        same('frames', set(SHOWN) - set(page.ask(
            'childrenOf(0, 0).map(labelOf)')), set())
        same('processes', {p.encode()[:15] for p in HOSTILE if p.isascii()} <=
             {p.encode()[:15] for p in cells['process']}, True)
        # the panel of instructions, too
        page.ask('showCode([...entries.machine.keys()].find(hasCode))')
        assert page.ask("document.getElementById('code').open")
        unharmed(page)
    vmmprof('diff', 'hostile', 'hostile', '--html', 'page.html')
    with Page('page.html') as page:
        same('scripts of diff', page.ask('document.scripts.length'), 2)
        same('markup of diff', page.ask(
            "document.querySelectorAll('img, b').length"), 0)
        same('title of diff', page.ask('document.title'),
             'vmmprof diff: hostile, hostile')
        same('frames of diff', set(SHOWN) - set(page.ask(
            'childrenOf(0, 0).map(labelOf)')), set())
        unharmed(page)


def large(session):
    """What is done does not grow with the session: elements, frames, pieces
    of the timeline, rows."""
    with page_of(session) as page:
        vcpus = page.ask('shownVcpus.length')
        same('vCPUs', vcpus, 64)
        assert page.ask('entries.samples') > 50000
        for change in ('{}', '{ from: 100, to: 140 }', "{ words: '1' }"):
            page.ask(f'choose({change}), {FRAME}')
            work = page.ask('''[document.querySelectorAll('*').length,
		flame.frames.length, timeline.rows.length]''')
            print(change, work)
            for n, most in zip(work, (3000, 8000, 16)):
                assert 0 < n <= most, (n, most)
        assert os.path.getsize('page.html') < 4e6
        unharmed(page)


DIFF_NODES = '''[...tree.value.keys()].slice(1).map((node) => [
	pathOf(node).join('\\n'), changeOf(node), errorOf(node), isHatched(node),
	toRgb(frameColor(node)), flameText(node)])'''


def shares(a, b):
    """Path -> its shares in percent of its VM's in A and in B."""
    said = json.loads(vmmprof('diff', a, b, '-g', '--json'))
    sums = collections.defaultdict(lambda: [0, 0])
    for c in said['chains']:
        for i in range(len(c['frames'])):
            for s, key in enumerate(('samples_a', 'samples_b')):
                sums[tuple(c['frames'][:i + 1])][s] += c[key]
    return {path: [100 * n / sums[path[:1]][s] if n else 0
                   for s, n in enumerate(of)] for path, of in sums.items()}


def check_diff(page, want):
    """Frames have the shares of `diff`; red is more, blue less, grey neither."""
    nodes = page.ask(DIFF_NODES)
    same('frames', {tuple(path.split('\n')) for path, *_ in nodes}, set(want))
    colors = collections.Counter()
    for path, change, error, hatched, (red, _, blue), said in nodes:
        was, now = want[tuple(path.split('\n'))]
        about(path, change, now - was, 1e-6)
        assert f'A {was:.2f} %' in said and f'B {now:.2f} %' in said, said
        same(f'{path} hatched', hatched, (was > 0) != (now > 0))
        color = 'grey'
        if hatched or abs(change) > 2 * error:
            color = 'red' if change > 0 else 'blue'
        same(path, color, 'grey' if abs(red - blue) < 30 else
             'red' if red > blue else 'blue')
        colors[color, hatched] += 1
    assert len(colors) >= 4, colors


DIFF_SUMS = '''[0, 1].map((s) => [...tree.value.keys()].filter((node) =>
	tree.first[node] >= 0 && (() => {
		let sum = 0;
		for (let at = tree.first[node]; at >= 0; at = tree.next[at])
			sum += tree.share[s][at];
		return sum > tree.share[s][node] + 1e-9;
	})()).length)'''


def diff(a, b):
    """The page of two sessions with chains, both ways up, by A, by B."""
    vmmprof('diff', a, b, '--html', 'page.html')
    want = shares(a, b)
    for dark in False, True:
        with Page('page.html', dark=dark) as page:
            check_diff(page, want)
            same('whole', page.ask('tree.share.map((of) => +of[0].toFixed(9))'), [1, 1])
            same('sums', page.ask(DIFF_SUMS), [0, 0])
            page.ask(f"choose({{ words: 'toffoli' }}), {FRAME}")
            assert page.ask("part('flame', '.status').textContent") \
                .startswith('found: A ')
            for widths, s in ('a', 0), ('b', 1):
                page.ask(f"choose({{ widths: '{widths}' }}), {FRAME}")
                drawn = page.ask('flame.frames.map((f) => pathOf(f.node))')
                same(f'as wide as in {widths}', {tuple(d) for d in drawn if d},
                     {path for path, of in want.items() if of[s]})
            page.ask("document.getElementById('callers').click()")
            same('turned', page.ask('tree.share.map((of) => +of[0].toFixed(9))'), [1, 1])
            same('sums, turned', page.ask(DIFF_SUMS), [0, 0])
            page.ask("document.getElementById('frames').focus()")
            page.key('ArrowDown')
            page.key('Enter')
            same('zoomed', page.ask('flame.top > 0'), True)
            page.picture('diff.png')
            unharmed(page)
    run('cp', 'page.html', 'diff.html')


{'numbers': numbers, 'parts': parts, 'keys': keys, 'pictures': pictures,
 'hostile': hostile, 'diff': diff, 'large': large}[sys.argv[1]](*sys.argv[2:])
