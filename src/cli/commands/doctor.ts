import { printableLine } from '../../text/printable.ts';
import { checks } from '../checks.ts';
import type { GlobalOptions } from '../options.ts';
import { style, writeJson, writeOut } from '../output.ts';

/** Exit 1 when something needs to be done. */
export async function doctor(options: GlobalOptions): Promise<number> {
  const findings = await Promise.all(checks.map(async ({ name, run }) => ({ name, ...(await run(options)) })));
  if (options.json === true) await writeJson({ checks: findings });
  else {
    const width = Math.max(...findings.map(({ name }) => name.length));
    const lines = findings.flatMap(({ name, ok, found, fix }) => [
      `${ok ? style('green', 'ok     ') : style('red', 'problem')}  ${name.padEnd(width)}  ${printableLine(found)}`,
      ...(fix === undefined ? [] : [`${' '.repeat(11 + width)}fix: ${printableLine(fix)}`]),
    ]);
    await writeOut(`${lines.join('\n')}\n`);
  }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}
