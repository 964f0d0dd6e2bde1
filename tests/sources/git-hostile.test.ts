/** Whatever an untrusted repository holds, nothing of it is run: a canary file would appear. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseSource, type GitDefinition } from '../../src/sources/address.ts';
import gitSource from '../../src/sources/git.ts';
import { commit, git, repository, sync, temporaryFolder, write } from './fixtures.ts';

const read = (folder: string, cacheFolder = temporaryFolder()) =>
  sync(gitSource(parseSource(`git:${folder}`, { cwd: '/' }) as GitDefinition, { cacheFolder }));

function setEnvironment(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

function hostileRepository(): { readonly folder: string; readonly canary: string } {
  const folder = repository({ 'a.md': 'a' });
  const canary = join(temporaryFolder(), 'canary');
  const command = `touch ${canary}; false`;
  const script = join(folder, '.git/evil');
  writeFileSync(script, `#!/bin/sh\n${command}\n`);
  chmodSync(script, 0o755);
  commit(folder, {
    '.gitattributes': '* filter=evil diff=evil merge=evil text eol=crlf ident export-subst\n',
    '.gitmodules': `[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "${command}"\n\tupdate = !${command}\n`,
    '.lfsconfig': `[lfs]\n\turl = ext::sh -c "${command}"\n`,
  });
  git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},m`);
  git(folder, 'commit', '--quiet', '--message', 'm');
  const hooks = [
    'post-checkout',
    'pre-push',
    'reference-transaction',
    'post-merge',
    'pre-auto-gc',
    'post-update',
    'update',
    'pre-receive',
    'proc-receive',
  ];
  write(join(folder, '.git/evil-hooks'), Object.fromEntries(hooks.map((hook) => [hook, `#!/bin/sh\n${command}\n`])));
  for (const hook of hooks) chmodSync(join(folder, '.git/evil-hooks', hook), 0o755);
  for (const [key, value] of Object.entries({
    'core.hooksPath': '.git/evil-hooks',
    'core.fsmonitor': script,
    'core.sshCommand': script,
    'core.askPass': script,
    'core.pager': script,
    'core.editor': script,
    'core.gitProxy': script,
    'core.alternateRefsCommand': script,
    'credential.helper': `!${command}`,
    'filter.evil.clean': command,
    'filter.evil.smudge': command,
    'filter.evil.process': script,
    'filter.evil.required': 'true',
    'diff.external': script,
    'diff.evil.textconv': command,
    'uploadpack.packObjectsHook': script,
    'protocol.ext.allow': 'always',
    'protocol.allow': 'always',
    'remote.origin.url': `ext::${script}`,
    'remote.origin.uploadpack': script,
    'submodule.recurse': 'true',
    'fetch.recurseSubmodules': 'true',
    'alias.ls-tree': `!${command}`,
    'alias.cat-file': `!${command}`,
    'trace2.eventTarget': canary,
    'gpg.program': script,
  })) {
    git(folder, 'config', key, value);
  }
  return { folder, canary };
}

test('configuration, hooks, filters, monitors, helpers and submodules of the repository', async () => {
  const { folder, canary } = hostileRepository();
  const { documents, changes } = await read(folder);
  expect(documents.map(({ path, body }) => [path, Buffer.from(body).toString()])).toEqual([['a.md', 'a']]);
  expect(changes).toContainEqual({
    type: 'exclude',
    exclusion: expect.objectContaining({ path: 'm', reason: 'submodule' }) as object,
  });
  expect(existsSync(canary)).toBe(false);
  // The canary works: git's own commands in that folder would have been caught.
  expect(() => git(folder, 'update-ref', 'refs/heads/other', 'HEAD')).toThrow();
  expect(existsSync(canary)).toBe(true);
});

test('a partial clone whose missing objects would be fetched by a command', async () => {
  const { folder, canary } = hostileRepository();
  const blob = git(folder, 'rev-parse', 'HEAD:a.md');
  git(folder, 'config', 'extensions.partialClone', 'origin');
  git(folder, 'config', 'remote.origin.promisor', 'true');
  const objects = join(folder, '.git/objects');
  rmSync(join(objects, blob.slice(0, 2)), { recursive: true });
  for (const url of [`ext::touch ${canary}`, folder]) {
    git(folder, 'config', 'remote.origin.url', url);
    await expect(read(folder)).rejects.toMatchObject({ code: 'source-failed' });
    expect(existsSync(canary)).toBe(false);
  }
  // The canary works: git's own command would have fetched.
  expect(() => git(folder, 'cat-file', '-p', blob)).toThrow();
  expect(existsSync(canary)).toBe(true);
});

test('variables of the environment do not lead git elsewhere', async () => {
  const folder = repository({ 'a.md': 'a' });
  const elsewhere = repository({ 'wrong.md': 'w' });
  const canary = join(temporaryFolder(), 'canary');
  const config = join(temporaryFolder(), 'config');
  writeFileSync(
    config,
    `[core]\n\tfsmonitor = touch ${canary}\n\tsshCommand = touch ${canary}\n[uploadpack]\n\tpackObjectsHook = touch ${canary}; false\n`,
  );
  setEnvironment('GIT_DIR', join(elsewhere, '.git'));
  setEnvironment('GIT_WORK_TREE', elsewhere);
  setEnvironment('GIT_INDEX_FILE', join(elsewhere, '.git/index'));
  setEnvironment('GIT_OBJECT_DIRECTORY', join(elsewhere, '.git/objects'));
  setEnvironment('GIT_NAMESPACE', 'other');
  setEnvironment('GIT_CONFIG_GLOBAL', config);
  setEnvironment('GIT_CONFIG_PARAMETERS', `'uploadpack.packObjectsHook=touch ${canary}'`);
  setEnvironment('GIT_EXTERNAL_DIFF', `touch ${canary}`);
  const { documents } = await read(folder);
  expect(documents.map(({ path }) => path)).toEqual(['a.md']);
  expect(existsSync(canary)).toBe(false);
});

test('a hostile repository around the cache is not taken for ours', async () => {
  const { folder, canary } = hostileRepository();
  const project = hostileRepository();
  const { documents } = await read(folder, join(project.folder, '.footnote/git'));
  expect(documents).toHaveLength(1);
  expect(existsSync(canary) || existsSync(project.canary)).toBe(false);
});

test('paths that lead out are names like others: no file is written or read', async () => {
  const folder = repository({ 'a.md': 'a' });
  const blob = git(folder, 'rev-parse', 'HEAD:a.md');
  const tree = (entry: string): string => {
    const file = join(temporaryFolder(), 'tree');
    const [mode, name, id] = entry.split(' ') as [string, string, string];
    writeFileSync(file, Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
    return git(folder, 'hash-object', '-t', 'tree', '-w', '--literally', file);
  };
  const commitId = git(folder, 'commit-tree', tree(`40000 .. ${tree(`100644 escape.md ${blob}`)}`), '-m', 'x');
  git(folder, 'update-ref', 'refs/heads/main', commitId);
  const cache = temporaryFolder();
  const { changes, documents } = await read(folder, cache);
  expect(documents).toEqual([]);
  expect(changes).toEqual([{ type: 'exclude', exclusion: { path: '../escape.md', reason: 'hidden' } }]);
  expect(readdirSync(cache).every((name) => /\.(?:git|config)$/.test(name))).toBe(true);
});

test('a tree that names itself a million times is refused in time', async () => {
  const folder = repository({ 'a.md': 'a' });
  let id = git(folder, 'rev-parse', 'HEAD^{tree}');
  for (let depth = 0; depth < 9; depth++) {
    const entries = Array.from({ length: 10 }, (_, i) => `040000 tree ${id}\t${'n'.repeat(20)}${i}`).join('\n');
    id = execFileSync('git', ['mktree'], { cwd: folder, input: `${entries}\n`, encoding: 'utf8' }).trim();
  }
  git(folder, 'update-ref', 'refs/heads/main', git(folder, 'commit-tree', id, '-m', 'bomb'));
  const start = performance.now();
  await expect(read(folder)).rejects.toMatchObject({ code: 'source-refused' });
  expect(performance.now() - start).toBeLessThan(20_000);
});

// Only root can give a folder to somebody else.
test.skipIf(process.getuid?.() !== 0)('a repository that belongs to another user is read', async () => {
  const folder = repository({ 'a.md': 'a' });
  chownSync(folder, 65_534, 65_534);
  chownSync(join(folder, '.git'), 65_534, 65_534);
  expect((await read(folder)).documents).toHaveLength(1);
});
