// Lint with types. The direction of imports is the architecture: core ← drivers, core ← pipeline, and nothing imports
// a surface (docs/architecture.md).
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders of drivers: they never import one another, the pipeline or a surface. */
const DRIVERS = ['sources', 'parsers', 'chunkers', 'embedders', 'rerankers', 'stores', 'generators'];
const ABOVE = ['pipeline', 'evaluation', 'config', 'presets', 'cli'];

const forbid = (folders, message) => ({
  'no-restricted-imports': ['error', { patterns: [{ regex: `^(\\.\\./)+(${folders.join('|')})(/|\\.ts$)`, message }] }],
});

export default tseslint.config(
  { ignores: ['**/node_modules/**', 'dist/**', 'native/**', 'bench/**', '**/*.generated.ts'] },
  {
    files: ['src/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: ['tsconfig.json'], tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `array[i] as T` after a bounds check is how typed loops are written under noUncheckedIndexedAccess.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      // An async method turns a throw into a rejection, which is what its contract promises.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // `const { left, ...rest } = all` is how a key is left out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-console': 'error',
    },
  },
  { files: ['src/core/**/*.ts'], rules: forbid([...DRIVERS, ...ABOVE, 'text', 'registry', 'drivers', 'engine', 'sync', 'workspace'], 'core imports nothing else') },
  { files: ['src/text/**/*.ts'], rules: forbid([...DRIVERS, ...ABOVE, 'registry', 'drivers', 'engine', 'sync', 'workspace'], 'text imports core only') },
  { files: ['src/onnx/**/*.ts'], rules: forbid([...DRIVERS, ...ABOVE, 'registry', 'drivers', 'engine', 'sync', 'workspace'], 'onnx is what drivers are made of: it imports core and text only') },
  { files: ['src/http/**/*.ts', 'src/caches/**/*.ts'], rules: forbid([...DRIVERS, ...ABOVE, 'registry', 'drivers', 'engine', 'sync', 'workspace'], 'what several drivers share imports none of them') },
  ...DRIVERS.map((own) => ({
    files: [`src/${own}/**/*.ts`],
    rules: forbid([...DRIVERS.filter((other) => other !== own), ...ABOVE, 'registry', 'drivers', 'engine', 'sync', 'workspace'], 'a driver imports core, text and the runtimes (onnx, http, static-model) only'),
  })),
  { files: ['src/pipeline/**/*.ts'], rules: forbid([...DRIVERS, 'cli', 'config', 'presets', 'evaluation', 'registry', 'drivers', 'engine', 'sync', 'workspace'], 'the pipeline knows contracts, not drivers') },
  { files: ['src/evaluation/**/*.ts'], rules: forbid([...DRIVERS, 'cli', 'config', 'presets', 'registry', 'engine'], 'evaluation takes an engine as a value') },
  { files: ['src/*.ts'], rules: forbid(['cli'], 'nothing imports a surface') },
);
