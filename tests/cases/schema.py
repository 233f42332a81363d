#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""schema.py SCHEMA FILE...: are the JSON files as the schema says?

The part of JSON Schema (draft 7) that our schemas use; a word that it does not
know is an error, not ignored.  Also checked: no key twice, the kind is that of
the schema's title, times are in ns and in no other unit, and each key that the
schema asks for is missed if it is not there."""
import json
import re
import sys

TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool,
         'integer': int, 'number': (int, float), 'null': type(None)}
IGNORED = {'$schema', 'title', 'definitions'}
OTHER_UNITS = re.compile(r'(^|_)(s|ms|us|seconds|ticks|tsc)$')


class Wrong(Exception):
    pass


def is_a(value, name):
    if isinstance(value, bool):
        return name == 'boolean'
    return isinstance(value, TYPES[name])


def check_object(root, rules, value, at):
    for key in rules.get('required', ()):
        if key not in value:
            raise Wrong(f'{at}: no {key}')
    for key, member in value.items():
        rule = rules.get('properties', {}).get(
            key, rules.get('additionalProperties', True))
        if rule is False:
            raise Wrong(f'{at}: {key} is not in the schema')
        if rule is not True:
            check(root, rule, member, f'{at}.{key}')


def check(root, rules, value, at='$'):
    unknown = set(rules) - IGNORED - {
        '$ref', 'type', 'const', 'enum', 'pattern', 'minimum', 'maximum',
        'items', 'required', 'properties', 'additionalProperties'}
    if unknown:
        sys.exit(f'{at}: the schema has words not known here: {unknown}')
    if '$ref' in rules:
        name = rules['$ref'].removeprefix('#/definitions/')
        check(root, root['definitions'][name], value, at)
        return
    types = rules.get('type', [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_a(value, t) for t in types):
        raise Wrong(f'{at}: {value!r} is no {types}')
    if 'const' in rules and value != rules['const']:
        raise Wrong(f'{at}: {value!r}, not {rules["const"]!r}')
    if 'enum' in rules and value not in rules['enum']:
        raise Wrong(f'{at}: {value!r} is none of {rules["enum"]}')
    if isinstance(value, str) and not re.search(rules.get('pattern', ''), value):
        raise Wrong(f'{at}: {value!r} does not match {rules["pattern"]}')
    if is_a(value, 'number'):
        if value < rules.get('minimum', value) or \
                value > rules.get('maximum', value):
            raise Wrong(f'{at}: {value} is out of range')
    if isinstance(value, list) and 'items' in rules:
        for i, item in enumerate(value):
            check(root, rules['items'], item, f'{at}[{i}]')
    if isinstance(value, dict):
        check_object(root, rules, value, at)


def once(pairs):
    keys = [k for k, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise Wrong(f'{key} is there twice')
        if OTHER_UNITS.search(key):
            raise Wrong(f'{key}: times are in ns, in keys that end in _ns')
    return dict(pairs)


def main(schema, *files):
    with open(schema, encoding='utf-8') as f:
        rules = json.load(f)
    for name in files:
        with open(name, encoding='utf-8') as f:
            try:
                value = json.load(f, object_pairs_hook=once)
                check(rules, rules, value)
            except (Wrong, ValueError) as e:
                sys.exit(f'{name} is not as {schema} says: {e}')
        for key in rules['required']:
            without = {k: v for k, v in value.items() if k != key}
            try:
                check(rules, rules, without)
            except Wrong:
                continue
            sys.exit(f'{schema} does not ask for {key}')


if __name__ == '__main__':
    main(*sys.argv[1:])
