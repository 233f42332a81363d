#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""debuginfod.py: a debuginfod server of the files below www/, which writes its
port to the file port and what it is asked to the file asked.  A file that
holds HANG is never answered."""
import http.server
import os
import time
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = urllib.parse.unquote(self.path)
        with open('asked', 'a', encoding='utf-8') as f:
            f.write(path + '\n')
        try:
            with open('www' + path, 'rb') as f:
                data = f.read()
        except OSError:
            self.send_error(404)
            return
        if data == b'HANG\n':
            time.sleep(60)
            return
        self.send_response(200)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler) as server:
    server.daemon_threads = True
    with open('port.new', 'w', encoding='utf-8') as f:
        f.write(str(server.server_address[1]))
    os.rename('port.new', 'port')
    server.serve_forever()
