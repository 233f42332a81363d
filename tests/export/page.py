#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page.py numbers SESSION...
page.py keys SESSION...
page.py hostile MKSESSION

The page of `vmmprof report --html` in headless Chromium: what it shows are the
numbers of `report --json` and `steal --json`; it can be used by keys; names
that are markup stay text."""
import collections
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

STATES = ['guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown']
VOID = {'meta', 'input', 'br', 'link', 'img'}


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def vmmprof(*args):
    return run(os.environ['VMMPROF'], *args)


class Node:
    def __init__(self, tag, attrs, parent):
        self.tag, self.attrs, self.parent = tag, dict(attrs), parent
        self.children, self.own = [], ''

    def all(self, tag, **attrs):
        """Nodes below of that tag; attributes as data_vm='1'."""
        want = {k.replace('_', '-').strip('-'): v for k, v in attrs.items()}
        for c in self.children:
            if c.tag == tag and all(c.attrs.get(k) == v
                                    for k, v in want.items()):
                yield c
            yield from c.all(tag, **attrs)

    def one(self, tag, **attrs):
        found = list(self.all(tag, **attrs))
        assert len(found) == 1, (tag, attrs, len(found))
        return found[0]

    def text(self):
        return self.own + ''.join(c.text() for c in self.children)


class Tree(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.root = self.at = Node('', [], None)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        node = Node(tag, attrs, self.at)
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def handle_endtag(self, tag):
        node = self.at
        while node and node.tag != tag:
            node = node.parent
        if node:
            self.at = node.parent

    def handle_data(self, data):
        self.at.own += data


def browse(page):
    """The page as Chromium made it."""
    with tempfile.TemporaryDirectory() as tmp:
        return Tree(run('chromium', '--headless', '--no-sandbox',
                        '--disable-gpu', f'--user-data-dir={tmp}',
                        '--dump-dom', '--virtual-time-budget=5000',
                        f'file://{os.path.abspath(page)}')).root


def same(what, got, want):
    if got != want:
        sys.exit(f'{what}: {got}, not {want}')


def reported(session):
    """The report's samples by guest, process, pid, module, function, mode."""
    said = json.loads(vmmprof('report', '-i', session, '--json', '--sort',
                              'process,pid,module,function,mode'))
    rows = collections.Counter()
    states = {}
    for m in [said['host']] + said['guests']:
        sums = collections.Counter()
        for row in m['rows']:
            if 'vm' not in m and re.match(r'\(VM\d+\)$', row['pid']):
                continue
            number = re.search(r'\(\d+\)$', row['process'])
            module = row['module'][:-len(number.group())] if number \
                else row['module']
            rows[m['name'], row['process'], row['pid'], module,
                 row['function'], row['mode']] += row['samples']
            sums['guest'] += row['samples']
        for row in m.get('host_time', ()):
            rows[m['name'], '-', '-', row['module'], row['function'],
                 '-'] += row['samples']
            sums[row['function'].strip('[]')] += row['samples']
        if 'vm' in m:
            states[str(m['vm'])] = [sums[s] for s in STATES]
    return rows, states


def check_table(dom, want):
    got = collections.Counter()
    body = dom.one('section', id='functions').one('tbody')
    last = None
    for tr in body.all('tr'):
        cell = {td.attrs['data-column']: td.text() for td in tr.all('td')}
        same('cell', cell['samples'], tr.attrs['data-samples'])
        got[tuple(cell[k] for k in ('guest', 'process', 'pid', 'module',
                                    'function', 'mode'))] += \
            int(cell['samples'])
        share = 100 * int(cell['samples']) / sum(want.values())
        assert abs(float(cell['percent']) - share) < .006, cell
        assert last is None or int(cell['samples']) <= last, 'not sorted'
        last = int(cell['samples'])
    same('table', dict(got), dict(want))


def check_states(dom, want):
    section = dom.one('section', id='states')
    for vm, sums in want.items():
        rows = list(section.all('tr', data_vm=vm))
        if not sum(sums):
            same('rows', rows, [])
            continue
        numbers = [[int(td.attrs['data-samples']) for td in tr.all('td')
                    if 'data-state' in td.attrs] for tr in rows]
        same(f'states of guest {vm}', numbers[0], sums)
        same(f'sum of vCPUs of guest {vm}',
             [sum(n) for n in zip(*numbers[1:])], sums)
        for tr, n in zip(rows, numbers):
            widths = sum(float(w) for w in re.findall(
                r'width: ([\d.]+)%', ' '.join(s.attrs.get('style', '') for s
                                              in tr.all('span'))))
            assert abs(widths - 100) < .05, (vm, widths)
            same('shown', tr.attrs['data-samples'], str(sum(n)))


def check_flame(dom, want):
    frames = {}
    left = collections.defaultdict(list)
    for frame in dom.one('section', id='flame').all('div', role='treeitem'):
        path = tuple(json.loads(frame.attrs['data-path']))
        # two guests may have a name
        frames[path] = frames.get(path, 0) + int(frame.attrs['data-samples'])
        style = dict(x.split(': ') for x in
                     frame.attrs['style'].rstrip(';').split('; '))
        left[path].append(float(style['width'].rstrip('%')))
    total = sum(want.values())
    same('flame graph', frames[()], total)
    for path, n in frames.items():
        assert abs(sum(left[path]) - 100 * n / total) < .01, path
    sums = collections.Counter()
    for path, n in frames.items():
        if len(path) == 5:
            sums[path[0], path[2], path[3], path[4]] += n
    expected = collections.Counter()
    for (guest, process, _, module, function, _), n in want.items():
        expected[guest, process, module, function] += n
    narrow = {k for k, n in expected.items() if n < .001 * total}
    for key in set(expected) - narrow:
        same(f'flame graph, {key}', sums[key], expected[key])


def check_legend(section, said):
    """What each took, in ticks, and all together."""
    took = {}
    for li in section.one('ul').all('li'):
        if 'data-ticks' in li.attrs:
            name = re.match('stolen by (.*): [0-9.]+ s$', li.text())[1]
            took[name] = int(li.attrs['data-ticks'])
    same('stolen', sum(took.values()), sum(g['steal_ns'] for g in said['guests']))
    want = collections.Counter()
    for g in said['guests']:
        for c in g['thieves']:
            want[c['text']] += c['preempted_ns'] + c['woken_ns']
    # a vCPU has another name in its own guest's table
    known = [name for name in took if '(VM' not in name and
             not name.endswith(' others')]
    assert known
    for name in known:
        same(name, took[name], want[name])
    return {li.attrs['data-color']: name for li in section.one('ul').all('li')
            for name in known if li.text().startswith(f'stolen by {name}: ')}


def columns(svg):
    """Column, colour and height of each piece; they lie upon each other."""
    top = collections.defaultdict(list)
    for path in svg.all('path'):
        for x, y, w, h in re.findall(r'M(\d+) (\d+)h(\d+)v-(\d+)',
                                     path.attrs['d']):
            top[int(x)].append((int(y), int(h)))
            yield path.attrs['fill'], int(w) * int(h)
    for x, pieces in top.items():
        at = 1000
        for y, h in sorted(pieces, reverse=True):
            same(f'height at {x}', y, at)
            at -= h


def check_timeline(dom, session):
    """The area of each colour in each row is that state's time."""
    section = dom.one('section', id='timeline')
    said = json.loads(vmmprof('steal', '-i', session, '--json'))
    vcpus = [v for g in said['guests'] for v in g['vcpus']]
    thieves = check_legend(section, said)
    stolen = json.loads(vmmprof('steal', '-i', session, '--json', '--by',
                                'thief'))['thieves']
    same('rows', len(list(section.all('svg'))), len(vcpus))
    for v in vcpus:
        svg = section.one('svg', data_tid=str(v['tid']))
        width = float(svg.attrs['viewbox'].split()[2])
        area = collections.Counter()
        for color, piece in columns(svg):
            area[color] += piece / width / 1000
        span = said['duration_ns']
        for color, ticks in (('halt', v['parts']['asleep_ns']),
                             ('blocked', v['blocked_ns']),
                             ('unknown', v['unknown_ns'] -
                              v['parts']['not_sampled_ns']),
                             ('guest', v['on_cpu_ns'])):
            part = area.pop(f'var(--{color})', 0)
            assert abs(part - ticks / span) < .005, (v, color, part)
        for color, name in thieves.items():
            took = sum(t['preempted_ns'] + t['woken_ns'] for t in stolen
                       if t['victim_tid'] == v['tid'] and t['text'] == name)
            assert abs(area[color] - took / span) < .001, (v, name)
        part = sum(area.values())
        assert abs(part - v['steal_ns'] / span) < .005, (v, part)


def numbers(*sessions):
    for session in sessions:
        vmmprof('report', '-i', session, '--html', 'page.html')
        with open('page.html', encoding='utf-8') as f:
            text = f.read()
        # nothing is fetched from anywhere
        same('addresses', set(re.findall(r'\w+://[\w./]*', text)),
             {'http://www.w3.org/2000/svg'})
        same('policy', "default-src 'none'" in text, True)
        dom = browse('page.html')
        rows, states = reported(session)
        check_table(dom, rows)
        check_flame(dom, rows)
        timed = any(sum(s[1:]) for s in states.values())
        if timed:
            check_states(dom, states)
            check_timeline(dom, session)
        else:
            same('why', 'no switch records' in
                 dom.one('section', id='states').text(), True)


KEYS = r'''
const said = {};
const key = (key) => document.activeElement.dispatchEvent(
	new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const at = () => document.activeElement.dataset.path;
const cells = (column) => [...document.querySelectorAll(
	`#functions td[data-column=${column}]`)].map((td) => td.textContent);

said.tabs = [...document.querySelectorAll('#flame [tabindex="0"]')].length;
document.querySelector('#flame [tabindex="0"]').focus();
said.root = at();
key('ArrowDown');
said.down = at();
key('ArrowRight');
said.right = at();
key('ArrowLeft');
said.left = at() === said.down;
key('Enter');
said.zoomed = at() === said.down &&
	parseFloat(document.activeElement.style.width);
said.status = document.querySelector('#flame .status').textContent;
key('Escape');
said.out = at();
document.body.focus();
document.activeElement.blur();
key('/');
said.filter = document.activeElement.id;
document.activeElement.value = 'beta_';
document.activeElement.dispatchEvent(new Event('input'));
said.filtered = cells('function');
document.activeElement.value = '';
document.activeElement.dispatchEvent(new Event('input'));
key('Escape');
document.querySelectorAll('#functions th button')[6].click();
said.sorted = cells('function');
said.sort = document.querySelector('#functions th[aria-sort=ascending]').innerText;
document.activeElement.blur();
key('g');
said.select = document.activeElement.id;
document.activeElement.value = '1';
document.activeElement.dispatchEvent(new Event('change'));
said.guests = [...new Set(cells('guest'))];
document.activeElement.blur();
said.time = cells('state').includes('steal');
key('t');
said.without = cells('state').includes('steal');
const row = document.querySelector('#timeline svg');
if (row) {
	row.focus();
	key('End');
	said.end = document.querySelector('#timeline .status').textContent;
	key('ArrowDown');
	said.next = document.activeElement.dataset.vcpu;
}
document.body.dataset.said = JSON.stringify(said);
'''


def keys(*sessions):
    for session in sessions:
        vmmprof('report', '-i', session, '--html', 'page.html')
        with open('page.html', encoding='utf-8') as f:
            text = f.read()
        with open('keys.html', 'w', encoding='utf-8') as f:
            f.write(text.replace('</body>', f'<script>{KEYS}</script></body>'))
        said = json.loads(browse('keys.html').one('body')
                          .attrs['data-said'])
        same('one stop of the tab key', said['tabs'], 1)
        same('root', said['root'], '[]')
        same('below the root', len(json.loads(said['down'])), 1)
        same('beside it', len(json.loads(said['right'])), 1)
        same('back', [said['left'], said['out']], [True, '[]'])
        same('width of what is zoomed', said['zoomed'], 100)
        same('status', bool(re.search(r': \d+ samples, ', said['status'])),
             True)
        same('filter', said['filter'], 'filter')
        same('sorted', said['sorted'], sorted(said['sorted']))
        same('sorted by', said['sort'].strip(), 'function')
        same('select', said['select'], 'machine')
        same('one guest', said['guests'], ['alpha'])
        if session == 'two-guests':
            same('filtered', set(said['filtered']),
                 {'beta_work', 'beta_schedule'})
            continue
        same('time', [said['time'], said['without']], [True, False])
        same('timeline', bool(re.search(r' s: \w.* %', said['end'])), True)
        same('next row', said['next'], '1')


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
    vmmprof('report', '-i', 'hostile', '--html', 'page.html')
    dom = browse('page.html')
    same('title', dom.one('title').text(), f'vmmprof report: {SHOWN[0]}')
    same('scripts', len(list(dom.all('script'))), 2)
    same('markup', [list(dom.all(t)) for t in ('img', 'b')], [[], []])
    cells = collections.defaultdict(set)
    for td in dom.all('td'):
        if 'data-column' in td.attrs:
            cells[td.attrs['data-column']].add(td.text())
    same('functions', set(SHOWN) - cells['function'], set())
    same('guests', set(SHOWN) - cells['guest'], set())
    same('choice', {o.text().rpartition(' (VM')[0] for o in dom.all('option')}
         >= set(SHOWN), True)
    same('frames', {json.loads(f.attrs['data-path'])[0] for f in
                    dom.all('div', role='treeitem')
                    if f.attrs['data-path'] != '[]'} >= set(SHOWN), True)
    same('processes', {p.encode()[:15] for p in HOSTILE if p.isascii()} <=
         {p.encode()[:15] for p in cells['process']}, True)


{'numbers': numbers, 'keys': keys, 'hostile': hostile}[sys.argv[1]](
    *sys.argv[2:])
