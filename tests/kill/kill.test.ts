/** A few kills of the tool that does a hundred: `node tools/kill-test.mjs`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../cli/footnote.ts';

test('an index survives SIGKILL at any moment: nothing lost, nothing partial', () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(REPOSITORY, 'tools/kill-test.mjs'), '6', '--seed', '11', '--pages', '25'],
    { encoding: 'utf8', timeout: 170_000 },
  );
  expect(stderr).toBe('');
  expect(stdout).toBe('6 kills: 0 lost, 0 partial\n');
  expect(status).toBe(0);
}, 180_000);
