"""Sections of documentation packages: (package, title, heading, body), one JSON line each.

Reads Debian archives (`*.deb`) and the package index of apt. HTML, reStructuredText/Markdown/plain sources, GNU info,
perldoc and Mallard/DocBook pages are cut at their headings; definition lists give (term, definition) sections of
their own.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import io
import json
import random
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

MIN_BODY, MAX_BODY, MAX_FILE = 80, 1600, 3_000_000
DROP = re.compile(r'<(script|style|nav|head|footer|svg|math)\b.*?</\1\s*>|<!--.*?-->', re.I | re.S)
TAG = re.compile(r'<[^>]*>')
SPACE = re.compile(r'\s+')
FIXED = re.compile(r'^[#*=~^"\-`\'+]{3,}\s*$')


def plain(markup: str) -> str:
    return (
        SPACE.sub(' ', html.unescape(TAG.sub(' ', markup)))
        .replace('¶', '')
        .replace('\uf0c1', '')
        .replace('#', ' ')
        .strip()
    )


def clean_heading(text: str) -> str:
    text = re.sub(r'^(chapter|appendix|section)\s+[\w.]+[:.]?\s*', '', text, flags=re.I)
    return re.sub(r'^[A-Z]?[\d.]+\.?\s+', '', text).strip(' :.¶')


def from_html(text: str) -> Iterator[tuple[str, str, str]]:
    found = re.search(r'<title[^>]*>(.*?)</title>', text, re.I | re.S)
    title = re.split(r'\s[—–|·]\s', plain(found.group(1)))[0] if found else ''
    text = DROP.sub(' ', text)
    marks = list(re.finditer(r'<(h[1-6]|dt)\b[^>]*>(.*?)</\1\s*>', text, re.I | re.S))
    for i, mark in enumerate(marks):
        end = marks[i + 1].start() if i + 1 < len(marks) else len(text)
        yield title, clean_heading(plain(mark.group(2))), plain(text[mark.end() : min(end, mark.end() + 12_000)])


def from_xml(text: str) -> Iterator[tuple[str, str, str]]:
    marks = list(re.finditer(r'<(title|question|term|h\d)\b[^>]*>(.*?)</\1>', text, re.S))
    title = plain(marks[0].group(2)) if marks else ''
    for i, mark in enumerate(marks):
        end = marks[i + 1].start() if i + 1 < len(marks) else len(text)
        yield title, clean_heading(plain(mark.group(2))), plain(text[mark.end() : min(end, mark.end() + 12_000)])


def from_text(text: str) -> Iterator[tuple[str, str, str]]:
    """Headings underlined or marked `#`; paragraphs otherwise."""
    lines = text.splitlines()
    title, heading, body = '', '', []
    i = 0
    while i < len(lines):
        line = lines[i].strip()
        nxt = lines[i + 1].strip() if i + 1 < len(lines) else ''
        marked = re.match(r'^(#{1,4}|=head\d|\*{1,3})\s+(\S.*)$', line)
        if marked or (line and len(line) < 120 and FIXED.match(nxt) and len(nxt) >= len(line) * 0.6):
            if heading and body:
                yield title, heading, ' '.join(body)
            heading = clean_heading(re.sub(r'[`*]|[A-Z]<|>', '', marked.group(2) if marked else line))
            title = title or heading
            body = []
            i += 1 if marked else 2
            continue
        if line and not line.startswith(('..', ':', '|', '+-')):
            body.append(re.sub(r':[a-z:]+:`([^`<]*)[^`]*`', r'\1', line).replace('``', '').replace('`', ''))
        i += 1
    if heading and body:
        yield title, heading, ' '.join(body)


def from_man(text: str) -> Iterator[tuple[str, str, str]]:
    name = re.search(r'^\.SH\s+"?NAME"?\s*\n(.*?)(?=^\.SH)', text, re.S | re.M)
    desc = re.search(r'^\.SH\s+"?DESCRIPTION"?\s*\n(.*?)(?=^\.SH|\Z)', text, re.S | re.M)
    if name and desc:

        def roff(t: str) -> str:
            t = re.sub(r'^\.(?:\\"|TH|if|de|ie|el|nr|ds).*$', '', t, flags=re.M)
            t = re.sub(r'^\.[A-Z]{1,2}\s*', '', t, flags=re.M)
            return SPACE.sub(' ', re.sub(r'\\f.|\\[&,/|^]|\\\(..', '', t).replace('\\-', '-').replace('"', '')).strip()

        head = roff(name.group(1)).split(' - ', 1)
        yield head[0], head[-1], roff(desc.group(1)[:6000])


def reader_of(name: str):
    name = name.lower().removesuffix('.gz')
    if re.search(
        r'(genindex|search|py-modindex|copyright|changelog|license|copying|news|index-all)', name.rsplit('/', 1)[-1]
    ):
        return None
    if name.endswith(('.html', '.htm', '.xhtml')):
        return from_html
    if name.endswith(('.page', '.docbook', '.xml')):
        return from_xml
    if name.endswith(
        ('.rst', '.rst.txt', '.md', '.markdown', '.md.txt', '.pod', '.txt', '.adoc', '.asciidoc', '.texi')
    ):
        return from_text
    if re.search(r'/man\d/[^/]+\.\d\w*$', name):
        return from_man
    return None


def archive_sections(path: Path, limit: int, rng: random.Random) -> list[tuple[str, str, str]]:
    tar = subprocess.run(['dpkg-deb', '--fsys-tarfile', str(path)], capture_output=True, check=True).stdout
    files = []
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        for member in archive:
            if member.isfile() and 200 < member.size < MAX_FILE and (reader := reader_of(member.name)):
                if re.search(
                    r'/(de|fr|es|it|ru|ja|pt|zh|ko|pl|nl|cs|sv|da|tr|uk|hu|el|ca|pt_BR|zh_CN)(/|\.)', member.name
                ):
                    continue
                files.append((member, reader))
        rng.shuffle(files)
        found, seen = [], set()
        for member, reader in files:
            data = archive.extractfile(member).read()
            try:
                text = (gzip.decompress(data) if member.name.endswith('.gz') else data).decode('utf8', 'replace')
            except OSError:
                continue
            for title, heading, body in reader(text):
                body = body[:MAX_BODY]
                letters = sum(c.isalpha() and c.isascii() or c == ' ' for c in body)
                if len(body) < MIN_BODY or letters < 0.75 * len(body) or not 3 <= len(heading) <= 150:
                    continue
                key = hashlib.md5((heading + body[:200]).encode()).digest()
                if key not in seen:
                    seen.add(key)
                    found.append((title[:100], heading, body))
            if len(found) > limit * 3:
                break
    rng.shuffle(found)
    return found[:limit]


def package_descriptions(translations: Path) -> Iterator[tuple[str, str, str]]:
    """(name, summary, description) of every package, out of apt's `Translation-en` file."""
    for entry in translations.read_text().split('\n\n'):
        name = re.search(r'^Package: (\S+)', entry, re.M)
        text = re.search(r'^Description-en: (.+)\n((?: .*\n?)*)', entry, re.M)
        if name and text:
            yield name.group(1), text.group(1), SPACE.sub(' ', text.group(2).replace('\n .\n', ' ')).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('archives', type=Path)
    parser.add_argument('output', type=Path)
    parser.add_argument('--limit', type=int, default=4000, help='sections of one package at most')
    args = parser.parse_args()
    with args.output.open('w') as out:
        for path in sorted(args.archives.glob('*.deb')):
            package = path.name.split('_')[0]
            try:
                rows = archive_sections(path, args.limit, random.Random(package))
            except Exception as error:  # a damaged archive costs its own sections only
                print(package, 'skipped:', error)
                continue
            print(package, len(rows), flush=True)
            for title, heading, body in rows:
                out.write(json.dumps([package, title, heading, body]) + '\n')


if __name__ == '__main__':
    main()
