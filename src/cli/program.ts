/** The commands and their options. Imports nothing heavy: each action loads its command when it runs. */
import { Command, Option } from 'commander';
import { addLater, collect, numberFrom, refuseLater, wholeNumber } from './options.ts';
import { version } from './version.ts';

/** Commands of later versions: they are listed, and refuse whatever they are given. */
const LATER: readonly (readonly [name: string, description: string])[] = [
  ['chat', 'ask as a conversation in the terminal'],
  ['serve', 'HTTP API and web UI'],
  ['mcp', 'MCP server on stdio'],
  ['key', 'keys of `serve`: create, list, revoke'],
  ['queue', 'questions handed to a person: list, answer'],
  ['snapshot', 'named states of the index: create, list, restore, verify'],
];

/** `done` is told the exit code of the command that ran. */
export function createProgram(done: (exitCode: number) => void): Command {
  const program = new Command('footnote')
    .description('Ask your own documents: every statement cites exact words at an exact place.')
    .version(version(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .option('--index <dir>', 'the index folder (default: the nearest .footnote here or above)')
    .option('--config <file>', 'the configuration file (default: footnote.yaml if there)')
    .option('--preset <name>', 'the preset (eval: several, A,B)')
    .option('--as-designed', "with the models, stores and services that the preset's design names")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => undefined })
    .exitOverride();

  program
    .command('ingest')
    .description('bring the index up to date with its sources, or add sources')
    .argument('[source...]', 'files, folders, git:PATH_OR_URL[#ref][:subdir], github:owner/repo[/subdir][@ref]')
    .option('--as <name>', 'name of the source (default: the last part of its path)')
    .option('--remove <source>', 'take a source out of the index (repeatable)', collect)
    .option('--rebuild', 'build beside the old index, and switch at the end')
    .option('--importance <file>', 'a CSV of page views: path,views; used with adjust.importance')
    .option('--watch', 'stay, and sync again when something changed')
    .option('--verbose', 'list everything that was left out')
    .option('--json', 'print one JSON value')
    .action(async (sources: string[], _: unknown, command: Command) => {
      const { ingest } = await import('./commands/ingest.ts');
      done(await ingest(sources, command.optsWithGlobals()));
    });

  program
    .command('search')
    .description('ranked chunks')
    .argument('<query...>', 'text, never query syntax; after -- it may begin with a dash')
    .option('--top <n>', 'hits to show, 1 to 1000', wholeNumber(1, 1000))
    .addOption(new Option('--mode <mode>', 'by vectors, by words, or both').choices(['dense', 'keyword', 'hybrid']))
    .option('--alpha <x>', 'weighted fusion: the share of the vectors, 0 to 1', numberFrom(0, 1))
    .option('--filter <condition>', 'key=value, key=a,b, key>=value, key<=value (repeatable, all must hold)', collect)
    .option('--filter-json <json>', 'a filter as JSON')
    .option('--explain', 'show what every stage did')
    .option('--why-not <uri>', 'say which stage lost this document')
    .option('--json', 'print one JSON value')
    .action(async (words: string[], _: unknown, command: Command) => {
      const { search } = await import('./commands/search.ts');
      done(await search(words.join(' '), command.optsWithGlobals()));
    });

  const askCommand = program
    .command('ask')
    .description('one cited answer')
    .argument('<question...>', 'after -- it may begin with a dash')
    .option('--generator <name>', 'how the answer is made (default: as configured)')
    .option('--filter <condition>', 'as for search', collect)
    .option('--filter-json <json>', 'as for search')
    .addOption(new Option('--events', 'print one JSON event a line, as they come').conflicts('json'))
    .option('--json', 'print one JSON value')
    .action(async (words: string[], _: unknown, command: Command) => {
      const { ask } = await import('./commands/ask.ts');
      done(await ask(words.join(' '), command.optsWithGlobals()));
    });

  program
    .command('status')
    .description('what is indexed')
    .option('--json', 'print one JSON value')
    .action(async (_: unknown, command: Command) => {
      const { status } = await import('./commands/status.ts');
      done(await status(command.optsWithGlobals()));
    });

  program
    .command('doctor')
    .description('what works here, and the command that fixes what does not')
    .option('--json', 'print one JSON value')
    .action(async (_: unknown, command: Command) => {
      const { doctor } = await import('./commands/doctor.ts');
      done(await doctor(command.optsWithGlobals()));
    });

  program
    .command('init')
    .description('write a commented footnote.yaml for the preset')
    .action(async (_: unknown, command: Command) => {
      const { init } = await import('./commands/init.ts');
      done(await init(command.optsWithGlobals()));
    });

  addPresetCommand(program, done);

  const evalCommand = program
    .command('eval')
    .helpCommand(false)
    .description('quality of one or several presets on labelled questions')
    .argument('<file>', 'questions as JSON, or a BEIR folder')
    .option('--vary <key=a,b,c>', 'measure each value of a setting (repeatable: all combinations)', collect)
    .option('--html <file>', 'write a page with charts, and every question with its explanations')
    .option('--gate <baseline>', 'exit 1 when it is worse than an earlier --json output, or than: design')
    .option('--json', 'print one JSON value')
    .option('--per-question', 'with --json: the result of every question too')
    .action(async (file: string, _: unknown, command: Command) => {
      const { evaluateCommand } = await import('./commands/eval.ts');
      done(await evaluateCommand(file, command.optsWithGlobals()));
    });

  evalCommand
    .command('generate')
    .description('draft labelled questions from the indexed documents, to be read and corrected')
    .option('--out <file>', 'where to write them (default: print them)')
    .option('--count <n>', 'questions wanted, 1 to 10000', wholeNumber(1, 10_000), 50)
    .option('--seed <n>', 'another seed gives other questions', wholeNumber(0, 2 ** 31), 1)
    .option('--generator <name>', 'let a language model write them (not in this version)')
    .option('--json', 'print them, also with --out')
    // Those of `eval` are none of its own.
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: () => [...program.options] })
    .action(async (_: unknown, command: Command) => {
      const { generateCommand } = await import('./commands/eval-generate.ts');
      done(await generateCommand(command.optsWithGlobals()));
    });

  program
    .command('trust')
    .description("let this folder's configuration file do what a found one may not")
    .action(async (_: unknown, command: Command) => {
      const { trustCommand } = await import('./commands/trust.ts');
      done(await trustCommand(command.optsWithGlobals()));
    });

  addLater(askCommand, '--agent', 'let the model decide when to search');
  addLater(askCommand, '--conversation <id>', 'continue a conversation');
  for (const [name, description] of LATER) {
    program
      .command(name)
      .description(`${description} (not in this version)`)
      .argument('[arguments...]')
      .helpOption(false)
      .allowUnknownOption()
      .action(() => refuseLater(name));
  }
  return program;
}

function addPresetCommand(program: Command, done: (exitCode: number) => void): void {
  const preset = program.command('preset').description('the presets, as the data they are').helpCommand(false);
  preset
    .command('list')
    .description('their names, and what each is for')
    .option('--json', 'print one JSON value')
    .action(async (_: unknown, command: Command) => {
      const { listPresets } = await import('./commands/preset.ts');
      done(await listPresets(command.optsWithGlobals()));
    });
  preset
    .command('show')
    .description('all settings of one')
    .argument('<name>')
    .option('--json', 'print one JSON value')
    .action(async (name: string, _: unknown, command: Command) => {
      const { showPreset } = await import('./commands/preset.ts');
      done(await showPreset(name, command.optsWithGlobals()));
    });
}
