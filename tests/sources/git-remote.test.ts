/** Over HTTP, with git's own server program; and what happens when something is missing. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseSource, type GitDefinition } from '../../src/sources/address.ts';
import gitSource from '../../src/sources/git.ts';
import { commit, repository, sync, temporaryFolder } from './fixtures.ts';

const BACKEND = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves the repositories of a folder as CGI; with a password, to those who know it. */
function serve(folder: string, password?: string): Promise<string> {
  return listen((request, response) => {
    const expected = `Basic ${Buffer.from(`reader:${password}`).toString('base64')}`;
    if (password !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? '', 'http://x');
    const backend = spawn(BACKEND, {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(backend.stdin);
    const parts: Buffer[] = [];
    backend.stdout.on('data', (part: Buffer) => parts.push(part));
    backend.on('close', () => {
      const output = Buffer.concat(parts);
      const end = output.indexOf('\r\n\r\n');
      const headers = output
        .subarray(0, end)
        .toString('latin1')
        .split('\r\n')
        .map((line) => line.split(/: ?/u, 2) as [string, string]);
      const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
      response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
      response.end(output.subarray(end + 4));
    });
  });
}

function open(address: string, cacheFolder = temporaryFolder(), timeoutMs = 30_000) {
  return gitSource(parseSource(`git:${address}`, { cwd: '/' }) as GitDefinition, { cacheFolder, timeoutMs });
}

function inHome(config: string): string {
  const home = temporaryFolder();
  writeFileSync(join(home, '.gitconfig'), config);
  setVariable('HOME', home);
  setVariable('XDG_CONFIG_HOME', home);
  return home;
}

function setVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

test('a repository over HTTP: fetched once, then only what is new', async () => {
  const folder = repository({ 'docs/a.md': 'a' });
  const host = await serve(dirname(folder));
  const cache = temporaryFolder();
  const address = `${host}/handbook/.git:docs`;
  const first = await sync(open(address, cache));
  expect(first.documents).toMatchObject([{ uri: `git+${host}/handbook/.git:docs/a.md`, path: 'a.md' }]);
  const second = commit(folder, { 'docs/b.md': 'b' });
  const { changes, documents } = await sync(open(address, cache), first.known);
  expect(changes.map(({ type }) => type)).toEqual(['unchanged', 'upsert']);
  expect(documents[0]!.metadata['commit']).toBe(second);
});

test("the user's own credential helper is asked, and what it says is kept nowhere", async () => {
  const folder = repository({ 'a.md': 'a' });
  const host = await serve(dirname(folder), 'open-sesame');
  inHome(
    '[credential]\n\thelper = "!f() { test \\"$1\\" = get && echo username=reader && echo password=open-sesame; }; f"\n',
  );
  const cache = temporaryFolder();
  const { documents } = await sync(open(`${host}/handbook/.git`, cache));
  expect(documents).toHaveLength(1);
  expect(JSON.stringify(documents)).not.toContain('sesame');
  const stored = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(stored.length).toBeGreaterThan(3);
  for (const { parentPath, name } of stored)
    expect(readFileSync(join(parentPath, name)).includes('sesame')).toBe(false);
});

test('of that configuration nothing else counts', async () => {
  const folder = repository({ 'a.md': 'a' });
  const host = await serve(dirname(folder));
  const home = inHome('');
  const canary = join(home, 'canary');
  writeFileSync(
    join(home, '.gitconfig'),
    `[core]\n\thooksPath = ${home}/hooks\n\tfsmonitor = touch ${canary}\n[url "ext::touch ${canary} "]\n\tinsteadOf = http://\n[protocol]\n\tallow = always\n`,
  );
  expect((await sync(open(`${host}/handbook/.git`))).documents).toHaveLength(1);
  expect(existsSync(canary)).toBe(false);
});

test('without credentials nobody is asked: a clear failure', async () => {
  const folder = repository({ 'a.md': 'a' });
  const host = await serve(dirname(folder), 'open-sesame');
  const home = inHome('');
  const canary = join(home, 'canary');
  setVariable('GIT_ASKPASS', `/usr/bin/touch ${canary}`);
  setVariable('SSH_ASKPASS', `/usr/bin/touch ${canary}`);
  await expect(sync(open(`${host}/handbook/.git`))).rejects.toMatchObject({
    code: 'source-failed',
    message: expect.stringContaining('credentials') as string,
    hint: expect.stringContaining('git help credentials') as string,
  });
  expect(existsSync(canary)).toBe(false);
});

test('no server, no repository, a redirect to a file', async () => {
  const none = await listen((_, response) => response.writeHead(404).end());
  await expect(sync(open(`${none}/o/r`))).rejects.toMatchObject({
    code: 'source-missing',
    message: expect.stringContaining(none) as string,
  });
  const broken = await listen((_, response) => response.writeHead(503).end());
  await expect(sync(open(`${broken}/o/r`))).rejects.toMatchObject({ code: 'source-failed', retryable: true });
  await expect(sync(open('http://127.0.0.1:9/o/r'))).rejects.toMatchObject({ code: 'source-failed', retryable: true });
  const folder = repository({ 'a.md': 'a' });
  const redirecting = await listen((_, response) =>
    response.writeHead(301, { location: `file://${folder}/info/refs` }).end(),
  );
  await expect(sync(open(`${redirecting}/o/r`))).rejects.toMatchObject({ code: 'source-failed' });
});

test('a server that does not answer: the time limit, and an abort, end the child', async () => {
  const silent = await listen(() => undefined);
  await expect(sync(open(`${silent}/o/r`, temporaryFolder(), 500))).rejects.toMatchObject({
    code: 'source-failed',
    retryable: true,
  });
  const stop = new AbortController();
  const start = performance.now();
  setTimeout(() => stop.abort(), 300);
  const run = open(`${silent}/o/r`).changes(new Map(), { signal: stop.signal })[Symbol.asyncIterator]().next();
  await expect(run).rejects.toMatchObject({ code: 'aborted' });
  expect(performance.now() - start).toBeLessThan(10_000);
});

test('a machine without git is told how to get it', async () => {
  const folder = repository({ 'a.md': 'a' });
  setVariable('PATH', temporaryFolder());
  await expect(sync(open(folder))).rejects.toMatchObject({
    code: 'driver-missing',
    hint: expect.stringContaining('apt-get install git') as string,
  });
});
