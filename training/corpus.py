"""Training and development texts out of the extracted sections.

Writes `texts.jsonl`, rows of [kind, group, text], where texts of one group belong together (a heading, a sentence of its
section, the passage), and `dev.json`, questions of frequently-asked-question lists with the passages of the same package,
which no training text shares.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from pathlib import Path

from extract import package_descriptions

#: Packages with real question lists, kept from training altogether.
DEV_PACKAGES = (
    'borgbackup-doc',
    'python-celery-doc',
    'privoxy',
    'gnome-user-docs',
    'r-doc-html',
    'python-scrapy-doc',
    'python-aiohttp-doc',
    'pelican-doc',
    'apache2-doc',
    'debian-faq',
    'git-annex',
    'mutt',
    'bacula-doc',
    'flex-doc',
    'bind9-doc',
)
#: Near the Git manual, a test collection; and a guide that is mostly translations.
EXCLUDED = ('git-buildpackage', 'mate-user-guide')
#: Package descriptions of the development set.
HELD = 3000
ENGLISH = set(
    """
    the of to and a in is for that it be are this with as you can on or not by if an from will have which when
    at
    """.split()
)
FOREIGN = set(
    """
    de la le les des und der die das nicht ist que para los una uma não el en du est per che il di pour een het
    och att
    """.split()
)
SENTENCE = re.compile(r'(?<=[.!?])\s+(?=[A-Z])')
WORD = re.compile(r"[a-z][a-z'-]+")


def english(text: str) -> bool:
    words = WORD.findall(text.lower())
    if len(words) < 8:
        return False
    own = sum(w in ENGLISH for w in words) / len(words)
    return own > 0.12 and sum(w in FOREIGN for w in words) < 0.5 * own * len(words)


def sections(paths: list[Path], per_package: int, rng: random.Random) -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list] = defaultdict(list)
    seen = set()
    for path in paths:
        for line in path.open():
            package, title, heading, body = json.loads(line)
            key = body[:160]
            if package in EXCLUDED or key in seen or not english(body) or not heading.isascii():
                continue
            seen.add(key)
            found[package].append((title, heading, body))
    for package, rows in found.items():
        rng.shuffle(rows)
        rows.sort(key=lambda row: -row[1].endswith('?'))
        if package not in DEV_PACKAGES:
            del rows[per_package:]
    return found


def dev_set(found: dict, rng: random.Random) -> list[dict]:
    sets = []
    for package in DEV_PACKAGES:
        rows = found.pop(package, [])
        asked = [row for row in rows if row[1].endswith('?') and len(row[1].split()) >= 5 and len(row[2]) > 150]
        others = [row for row in rows if not row[1].endswith('?')]
        rng.shuffle(others)
        passages = [body for _, _, body in asked] + [f'{heading}. {body}' for _, heading, body in others[:700]]
        questions = [re.sub(r'^\(?(FAQ|Q)?[\s:]*[\d.]*[a-z]?\)?:?\s+', '', heading) for _, heading, _ in asked]
        if questions:
            sets.append(
                {'name': package, 'passages': passages, 'questions': questions, 'answers': list(range(len(questions)))}
            )
    return sets


def glosses(root: Path) -> list[tuple[str, str]]:
    rows = []
    for part in ('noun', 'verb', 'adj', 'adv'):
        for line in (root / f'data.{part}').open(encoding='latin1'):
            if line.startswith(' '):
                continue
            fields, gloss = line.split(' | ', 1)
            parts = fields.split()
            lemmas = [parts[4 + 2 * i].replace('_', ' ').split('(')[0] for i in range(int(parts[3], 16))]
            rows.append((', '.join(lemmas), gloss.split(';')[0].strip()))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('sections', type=Path, nargs='+')
    parser.add_argument('--wordnet', type=Path, required=True, help='the folder of data.noun, data.verb, …')
    parser.add_argument('--translations', type=Path, required=True, help="apt's list of package descriptions")
    parser.add_argument('--output', type=Path, required=True)
    parser.add_argument('--per-package', type=int, default=400)
    parser.add_argument('--descriptions', type=int, default=24_000)
    parser.add_argument('--glosses', type=int, default=12_000)
    args = parser.parse_args()
    rng = random.Random(7)
    found = sections(args.sections, args.per_package, rng)
    dev = dev_set(found, rng)
    described = [
        row
        for row in package_descriptions(args.translations)
        if len(row[2]) > 120
        and not re.search(r'-(dev|dbg|perl|data|common)$|^(lib|golang|node|r-cran|ruby|task|language)', row[0])
    ]
    described = list({row[2][:120]: row for row in described}.values())
    rng.shuffle(described)
    held = described[:HELD]
    dev.append(
        {
            'name': 'descriptions',
            'passages': [long for _, _, long in held],
            'questions': [short for _, short, _ in held[:1000]],
            'answers': list(range(1000)),
        }
    )
    (args.output / 'dev.json').write_text(json.dumps(dev))
    count: Counter = Counter()
    group = 0
    described_rest = described[HELD : HELD + args.descriptions]
    with (args.output / 'texts.jsonl').open('w') as out:

        def put(kind: str, text: str) -> None:
            count[kind] += 1
            out.write(json.dumps([kind, group, text]) + '\n')

        for _package, rows in found.items():
            for title, heading, body in rows:
                group += 1
                sentences = [s for s in SENTENCE.split(body) if 4 <= len(s.split()) <= 30]
                size = rng.choices((260, 420, 700, 1200), (0.4, 0.4, 0.15, 0.05))[0]
                passage = body[:size] if rng.random() < 0.5 else f'{title} > {heading}\n{body}'[:size]
                put('passage', passage)
                put('heading', heading)
                if sentences:
                    put('sentence', rng.choice(sentences))
        for _, short, long in described_rest:
            group += 1
            put('heading', short)
            put('passage', long[: rng.choice((260, 420, 700))])
        meanings = glosses(args.wordnet)
        rng.shuffle(meanings)
        for lemmas, gloss in meanings[: args.glosses]:
            group += 1
            put('heading', lemmas)
            put('first', gloss)
    print(count, {d['name']: (len(d['questions']), len(d['passages'])) for d in dev}, len(found))


if __name__ == '__main__':
    main()
