/** Runs the processes of the benchmark: each measures alone, so that nobody pays for another's garbage. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @returns what the process replied, and the milliseconds from its start to its reply (`startToReply`)
 * @throws Error when it fails; its messages are on stderr
 */
export function runProcess(name, input = {}, nodeOptions = []) {
  const script = fileURLToPath(new URL(`processes/${name}.mjs`, import.meta.url));
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeOptions, script, JSON.stringify(input)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    let startToReply = 0;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      startToReply = performance.now() - started;
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve({ ...JSON.parse(output), startToReply });
      else reject(new Error(`${name} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}
