# SPDX-License-Identifier: GPL-2.0-only
"""Headless Chromium by its DevTools protocol, over a pipe: a page is opened
from a file, asked by JavaScript, and made a picture."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
         '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--hide-scrollbars',
         '--remote-debugging-pipe']


class Page:
    """with Page(file, width=..., dark=...) as page: page.ask('1 + 1')"""

    def __init__(self, file, width=1440, height=900, dark=False):
        self.folder = tempfile.mkdtemp()
        self.number, self.rest, self.errors = 0, b'', []
        ours, theirs = os.pipe(), os.pipe()  # to it, from it
        self.to, self.of = ours[1], theirs[0]

        def ends():
            # above 4 first: one of them may be 3 or 4 itself
            high = os.dup2(ours[0], 10), os.dup2(theirs[1], 11)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        # pylint: disable=subprocess-popen-preexec-fn,consider-using-with
        self.process = subprocess.Popen(
            ['chromium', *FLAGS, f'--user-data-dir={self.folder}',
             'about:blank'], preexec_fn=ends, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        target = self.call('Target.createTarget', url='about:blank')
        self.session = None
        self.session = self.call('Target.attachToTarget', flatten=True,
                                 targetId=target['targetId'])['sessionId']
        self.call('Emulation.setDeviceMetricsOverride', width=width,
                  height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme',
             'value': 'dark' if dark else 'light'}])
        self.call('Page.enable')
        self.call('Runtime.enable')
        self.call('Network.enable')
        self.requests = []
        self.call('Page.navigate', url=f'file://{os.path.abspath(file)}')
        self.wait('Page.loadEventFired')
        # two frames later all is painted
        self.ask('new Promise((done) => requestAnimationFrame(() => '
                 'requestAnimationFrame(() => setTimeout(done))))')

    session = None
    requests = ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b'\0' not in self.rest:
            more = os.read(self.of, 1 << 20)
            if not more:
                raise EOFError('Chromium has ended')
            self.rest += more
        one, self.rest = self.rest.split(b'\0', 1)
        said = json.loads(one)
        if said.get('method') == 'Runtime.exceptionThrown':
            self.errors.append(said['params']['exceptionDetails'])
        if said.get('method') == 'Network.requestWillBeSent':
            self.requests.append(said['params']['request']['url'])
        return said

    def call(self, method, **params):
        self.number += 1
        said = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            said['sessionId'] = self.session
        data = json.dumps(said).encode() + b'\0'
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.message()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']

    def wait(self, event):
        while self.message().get('method') != event:
            pass

    def ask(self, script):
        """The value of an expression, also of a promise."""
        said = self.call('Runtime.evaluate', expression=script,
                         returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in said:
            raise RuntimeError(json.dumps(said['exceptionDetails'])[:2000])
        return said['result'].get('value')

    def key(self, key, shift=False):
        code = {'ArrowLeft': 37, 'ArrowUp': 38, 'ArrowRight': 39,
                'ArrowDown': 40, 'Enter': 13, 'Escape': 27, 'End': 35,
                'Home': 36, 'Tab': 9}.get(key, 0)
        more = {'windowsVirtualKeyCode': code, 'modifiers': 8 * shift}
        if len(key) == 1:
            more['text'] = key
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, **more)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key)

    def drag(self, x, y, to_x, to_y):
        """With the left button, in pixels of the window."""
        for kind, at in (('mousePressed', (x, y)), ('mouseMoved', (to_x, to_y)),
                         ('mouseReleased', (to_x, to_y))):
            self.call('Input.dispatchMouseEvent', type=kind, x=at[0], y=at[1],
                      button='left', buttons=int(kind != 'mouseReleased'),
                      clickCount=1)

    def picture(self, file, whole=True, of=None):
        """of: the id of what is to be on it alone."""
        more = {}
        if of:
            box = f"document.getElementById('{of}').getBoundingClientRect()"
            more['clip'] = {**self.ask(f'({box}).toJSON()'), 'scale': 1}
        shot = self.call('Page.captureScreenshot', captureBeyondViewport=whole,
                         **more)
        with open(file, 'wb') as f:
            f.write(base64.b64decode(shot['data']))
