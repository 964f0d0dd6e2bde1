/** The file that `footnote init` writes: every setting with its meaning, commented out at the preset's value. */
import type { Preset } from '../core/settings.ts';
import { flatten } from './flat.ts';
import { settingKeys } from './keys.ts';

export function configTemplate(preset: Preset): string {
  const values = flatten(preset);
  const lines = [
    '# Configuration of Footnote: data only, no secrets. What is not set here comes from the preset.',
    '# Stronger than this file: FOOTNOTE_ variables (FOOTNOTE_RETRIEVE__TOP_K=5), then flags.',
    '',
    `# ${preset.description}`,
    `preset: ${preset.name}`,
    '',
    ...sourcesExample(),
  ];
  for (const key of settingKeys) {
    if (key.path === 'preset' || key.path.startsWith('sources') || key.path.includes('[]')) continue;
    const depth = key.path.split('.').length - 1;
    const indent = '  '.repeat(depth);
    const name = key.path.slice(key.path.lastIndexOf('.') + 1);
    if (key.kind === 'section') {
      if (depth === 0) lines.push('');
      lines.push(`# ${indent}${name}: # ${key.description}`);
    } else {
      const remark = key.kind === 'boolean' ? key.description : `${key.description} (${key.expected})`;
      lines.push(`# ${indent}${name}: ${JSON.stringify(values.get(key.path))} # ${remark}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function sourcesExample(): string[] {
  const optional: Readonly<Record<string, string>> = {
    as: 'manual',
    include: '["**/*.md"]',
    exclude: '["drafts/**"]',
    baseUrl: 'https://docs.example.org/',
    urlTemplate: '"{repository}/blob/{commit}/{path}#L{start}-L{end}"',
    language: 'en',
    records: '{ title: name, text: article, markup: wiki }',
  };
  const lines = [
    '# What `footnote ingest` brings into the index, beside what it is given on the command line.',
    '# sources:',
  ];
  for (const key of settingKeys) {
    const name = /^sources\[\]\.(?<name>\w+)$/u.exec(key.path)?.groups?.['name'];
    if (name === 'from') lines.push(`#   - from: docs # ${key.description}`);
    else if (name !== undefined) lines.push(`#     ${name}: ${optional[name]} # ${key.description}`);
  }
  return lines;
}
