import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPackage, installCommand } from '../../src/onnx/packages.ts';
import { PACKAGES } from './places.ts';

const VARIABLES = ['NODE_PATH', 'XDG_DATA_HOME'];
const before = VARIABLES.map((name) => [name, process.env[name]] as const);
beforeEach(() => {
  delete process.env['NODE_PATH'];
  process.env['XDG_DATA_HOME'] = join(tmpdir(), 'there-is-no-such-folder');
});
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

describe('the packages of local models are found', () => {
  test('in folders that are named, and in NODE_PATH', () => {
    const main = join('node_modules', 'onnxruntime-node', 'dist', 'index.js');
    expect(findPackage('onnxruntime-node', [PACKAGES])).toBe(join(PACKAGES, main));
    process.env['NODE_PATH'] = join(PACKAGES, 'node_modules');
    expect(findPackage('onnxruntime-node')).toBe(join(PACKAGES, main));
  });

  test('but not in the current folder, which may be anybody’s', () => {
    const folder = process.cwd();
    try {
      process.chdir(PACKAGES);
      expect(findPackage('onnxruntime-node')).toBeUndefined();
    } finally {
      process.chdir(folder);
    }
  });
});

describe('the command that installs them', () => {
  test('installs them where they are found: in a folder of the user’s own', () => {
    const home = mkdtempSync(join(tmpdir(), 'footnote-own-'));
    try {
      process.env['XDG_DATA_HOME'] = home;
      const folder = join(home, 'footnote');
      expect(installCommand()).toBe(
        `npm install --prefix ${folder} onnxruntime-node@1.17.0 @huggingface/tokenizers@0.2.0`,
      );
      symlinkSync(PACKAGES, folder);
      expect(findPackage('@huggingface/tokenizers')).toContain(join('@huggingface', 'tokenizers'));
      process.env['XDG_DATA_HOME'] = join(home, 'with space');
      expect(installCommand()).toContain(`--prefix "${join(home, 'with space', 'footnote')}" `);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
