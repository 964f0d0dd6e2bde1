/** The command line: reads the arguments, runs one command, and turns every failure into one line and a hint. */
import { CommanderError } from 'commander';
import { toPublicError } from '../core/errors.ts';
import { printableLine } from '../text/printable.ts';
import { createProgram } from './program.ts';

/** Done: 0; a negative result or some inputs failed: 1; could not do it: 2. */
export async function main(args: readonly string[]): Promise<number> {
  guardOutput();
  let exitCode = 0;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    // `footnote help chat` is `footnote chat --help`, which knows what is not there yet.
    const [first, ...rest] = args;
    await program.parseAsync(first === 'help' ? [...rest, '--help'] : args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const command = program.commands.find((known) => args.includes(known.name()));
    report(error, command?.name());
    return 2;
  }
}

/** Whoever reads our output may stop (`| head`): that is no error. Nothing may end in a stack trace. */
function guardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') report(error);
    process.exit(error.code === 'EPIPE' ? 0 : 2);
  });
  process.stderr.on('error', () => process.exit(2));
  process.on('uncaughtException', (error) => {
    report(error);
    process.exit(2);
  });
}

function report(error: unknown, command?: string): void {
  const { message, hint } = error instanceof CommanderError ? usageError(error, command) : toPublicError(error);
  if (message === '') return;
  process.stderr.write(`footnote: ${printableLine(message)}\n`);
  if (hint !== undefined) process.stderr.write(`hint: ${printableLine(hint)}\n`);
}

/** `error: unknown option '--topp'\n(Did you mean --top?)` in our form. */
function usageError(error: CommanderError, command = 'COMMAND'): { readonly message: string; readonly hint?: string } {
  // Without a command commander has already shown the help.
  if (error.code === 'commander.help') return { message: '' };
  const [message = '', suggestion] = error.message.replace(/^error: /u, '').split('\n');
  return { message, hint: suggestion?.replace(/^\((?<text>.*)\)$/u, '$<text>') ?? `footnote ${command} --help` };
}
