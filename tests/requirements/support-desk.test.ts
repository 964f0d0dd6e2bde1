/** The support desk of the design, from its two files to an answer: a wiki as JSON lines, questions in SQLite. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadDriver } from '../../src/sqlite/driver.ts';
import { project, type Json, type Project } from '../cli/footnote.ts';

const WIKI = [
  { title: 'Bisq Easy fees', content: 'Trading on Bisq Easy has no fees at all.', category: 'bisq2' },
  { title: 'Bisq Easy limit', content: 'Bisq Easy has a trade limit of 600 USD.', category: 'bisq2' },
  { title: 'Bisq 1 fees', content: 'Trading on Bisq 1 has a fee of 1.15 percent in bitcoin.', category: 'bisq1' },
  { title: 'Trade fees', content: 'Mining fees are paid to miners in every trade.', category: 'general' },
];
const FAQS = `CREATE TABLE faqs (id INTEGER PRIMARY KEY, question TEXT, answer TEXT, protocol TEXT, verified INTEGER);
  INSERT INTO faqs (question, answer, protocol, verified) VALUES
  ('Are there fees on Bisq Easy?', 'No, Bisq Easy charges no trade fees.', 'bisq_easy', 1),
  ('Are fees on Bisq Easy high?', 'They are nine percent.', 'bisq_easy', 0),
  ('Are there fees on Bisq 1?', 'Yes, a maker and a taker fee.', 'multisig_v1', 1)`;

let here: Project;
beforeAll(async () => {
  here = await project({ 'data/wiki/processed_wiki.jsonl': WIKI.map((line) => JSON.stringify(line)).join('\n') });
  const { DatabaseSync } = await loadDriver();
  mkdirSync(join(here.folder, 'data'), { recursive: true });
  const database = new DatabaseSync(join(here.folder, 'data', 'faqs.db'), { readOnly: false });
  database.exec(FAQS);
  database.close();
  const { code, stderr } = await here.run(['ingest', 'data', '--preset', 'support-desk']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

const search = async (query: string): Promise<Json[]> => (await here.json(['search', query])).hits;

describe('a question about one protocol', () => {
  // [S3-context-assembly] [S3-wiki-type] [S3-faq-type] [S3-wiki-file] [S3-faq-database]
  test('is answered from the wiki and the questions together', async () => {
    const { outcome, passages, citations }: Json = await here.json(['ask', 'Are there trade fees on Bisq Easy?']);
    expect(outcome).toBe('answered');
    const files = new Set(passages.map(({ uri }: Json) => /(?<file>[\w.]+)#[^#]*$/u.exec(uri)?.groups?.['file']));
    expect(files).toEqual(new Set(['processed_wiki.jsonl', 'faqs.db']));
    expect(citations.length).toBeGreaterThan(0);
    const all = passages.map(({ text }: Json) => text).join('\n');
    expect(all).not.toContain('nine percent');
    expect(all).not.toContain('1.15 percent');
  });

  // [S3-protocol-tag] [S3-protocol-easy] [S3-protocol-multisig] [S3-metadata-first] [S3-stage-general]
  test('never brings up the other one: an article by its category, a question by its column', async () => {
    const protocols = async (query: string): Promise<unknown> =>
      new Set((await search(query)).map(({ metadata }) => metadata.protocol));
    expect(await protocols('What are the fees on Bisq Easy?')).toEqual(new Set(['bisq_easy', 'all']));
    expect(await protocols('What are the fees on Bisq 1?')).toEqual(new Set(['multisig_v1', 'all']));
  });
});

// [S3-protocol-all]
test('what is for every protocol is found by a filter', async () => {
  const hits: Json[] = (await here.json(['search', 'fees', '--filter', 'protocol=all'])).hits;
  expect(hits.map(({ title }) => title)).toEqual(['Trade fees']);
});
