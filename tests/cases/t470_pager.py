#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Text on a terminal goes through a pager; anything else does not."""
import fcntl
import os
import pty
import re
import struct
import sys
import termios

VMMPROF = os.environ['VMMPROF']
CONFINES = '/asan/' not in VMMPROF
FORMER = {k: v for k, v in os.environ.items()
          if k not in ('PAGER', 'VMMPROF_PAGER', 'LESS', 'LESSSECURE', 'NO_COLOR')}


def on_terminal(*args, columns=80, **env):
    """(status or -signal, what the terminal of 24 lines got)"""
    pid, fd = pty.fork()
    if not pid:
        os.execve(VMMPROF, [VMMPROF, *args], {**FORMER, 'TERM': 'xterm', **env})
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    data = b''
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        data += more
    os.close(fd)
    return (os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]),
            data.decode().replace('\r\n', '\n'))


def plain(text):
    """Without colours, of which there are no others than these."""
    text = re.sub(r'\033\[[0-9;]*m', '', text)
    assert '\033' not in text
    return text


def same(what, got, want):
    if got != want:
        sys.exit(f'{what}: {got!r}\nnot {want!r}')


def main():
    verbs = (('report', '-i', 's'), ('steal', '-i', 's'), ('timeline', '-i', 's'),
             ('script', '-i', 's'), ('diff', 's', 's'), ('annotate', '-i', 's', 'main'))
    mark = "sed 's/^/P:/'"
    for verb in verbs:
        status, bare = on_terminal(*verb, VMMPROF_PAGER='')
        same(f'{verb}: status without a pager', status, 0 if verb[0] != 'annotate' else 1)
        got = on_terminal(*verb, VMMPROF_PAGER=mark, PAGER='false')
        same(f'{verb}: paged', got[1], re.sub('(?m)^(?=.)|^(?=\n)', 'P:', bare))
        same(f'{verb}: status', got[0], status)
        same(f'{verb}: --no-pager', on_terminal(*verb, '--no-pager', PAGER=mark)[1], bare)
        same(f'{verb}: PAGER', on_terminal(*verb, PAGER=mark)[1], got[1])
        same(f'{verb}: --color=never', on_terminal(*verb, '--no-pager', '--color=never')[1],
             plain(bare))
    # What is no text is not paged.
    for verb in ('report', '--json'), ('steal', '--csv'), ('timeline', '--svg'), ('report', '--help'):
        assert 'P:' not in on_terminal(*verb, '-i', 's', PAGER=mark)[1], verb
    # less, with these options; for root a less that runs nothing else.
    os.mkdir('bin')
    with open('bin/less', 'w', encoding='ascii') as f:
        f.write('#!/bin/sh\necho "LESS=$LESS $LESSSECURE."\nexec cat\n')
    os.chmod('bin/less', 0o755)
    path = os.getcwd() + '/bin:' + os.environ['PATH']
    secure = '1' if not os.geteuid() else ''
    said = on_terminal('steal', '-i', 's', PATH=path)[1]
    same('less', said.split('\n')[0], f'LESS=FRSX {secure}.')
    said = on_terminal('steal', '-i', 's', PATH=path, LESS='-R')[1]
    same("the user's LESS", said.split('\n')[0], f'LESS=-R {secure}.')
    # A pager that is not there is told, and the text is.
    status, said = on_terminal('steal', '-i', 's', PAGER='no-such-pager', NO_COLOR='1')
    same('no such pager', said.split('\n')[0], "vmmprof steal: there is no pager 'no-such-pager' in PATH")
    assert 'Host host1' in said and not status
    # Errors are read in it, too, and the status stays.
    got = on_terminal('report', '-i', 'none', PAGER=mark)
    same('an error', got, (1, 'P:vmmprof: none: No such file or directory\n'))
    # Who ends the pager early has seen enough.
    if CONFINES:
        same('ended early', on_terminal('script', '-i', 'long', PAGER='head -n 1 > /dev/null'), (0, ''))
    # Colours: of a terminal, unless it is told not to.
    for verb in 'report', 'steal', 'timeline':
        assert '\033[31m' in on_terminal(verb, '-i', 's', PAGER='')[1], verb
    for env in {'NO_COLOR': '1'}, {'TERM': 'dumb'}:
        assert '\033' not in on_terminal('report', '-i', 's', PAGER='', **env)[1]
    assert '\033[31m' in on_terminal('report', '-i', 's', '--color=always', PAGER='', NO_COLOR='1')[1]
    # The terminal's width.
    # names that are longer than 80 columns allow stand below their headings
    text = plain(on_terminal('diff', 's', 's', '--no-pager', '--sort',
                             'function,module,process', columns=200)[1])
    tables = [t.splitlines() for t in text.replace('\r', '').split('\n\n') if '  Module  ' in t]
    assert len(tables) == 4, text
    for heading, *rows in tables:
        at = heading.index('Module')
        for row in (r for r in rows if re.match(r' +[\d.]+  ', r)):
            assert re.match(r'  \S', row[at - 2:]), text
    wide = plain(on_terminal('timeline', '-i', 's', '--no-pager', columns=200)[1])
    assert max(map(len, wide.split('\n'))) == 200


main()
