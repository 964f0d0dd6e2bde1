/** Values of options, checked while the command line is read. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { RagError } from '../core/errors.ts';

export interface GlobalOptions {
  readonly index?: string | undefined;
  readonly config?: string | undefined;
  readonly preset?: string | undefined;
  readonly asDesigned?: boolean | undefined;
  readonly json?: boolean | undefined;
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

export function numberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  };
}

/** For options that may be given several times. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** An option of a later version: known, so that using it says so instead of naming some other option. */
export function addLater(
  command: Command,
  flags: string,
  description: string,
  shown: 'shown' | 'hidden' = 'shown',
): void {
  const option = new Option(flags, `${description} (not in this version)`).hideHelp(shown === 'hidden');
  command.addOption(option).on(`option:${option.name()}`, () => refuseLater(`${command.name()} --${option.name()}`));
}

/** @throws RagError `not-available` */
export function refuseLater(name: string): never {
  throw new RagError('not-available', `${name} is not in this version`, { hint: 'footnote --help lists what is' });
}
