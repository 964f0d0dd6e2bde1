/** `footnote --help` in a process of its own; what it prints is dropped. */
import { reply } from './io.mjs';

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (_text, ...rest) => {
  rest.at(-1)?.();
  return true;
};
process.once('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write = write;
  reply({ cpu: (user + system) / 1000 });
});
process.argv = [process.argv[0], 'footnote', '--help'];
await import('../../dist/cli/main.js');
