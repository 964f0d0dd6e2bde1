import { fromPublicError, RagError } from '../../core/errors.ts';
import type { Answer, AnswerEvent, Citation } from '../../core/types.ts';
import { nearest } from '../../text/nearest.ts';
import { printable, printableLine } from '../../text/printable.ts';
import { answerJson, eventJson } from '../json.ts';
import type { GlobalOptions } from '../options.ts';
import { clip, noteWarning, style, writeJson, writeJsonLine, writeOut } from '../output.ts';
import { question, readFilter, type FilterOptions } from '../query.ts';
import { openSession, withEngine } from '../session.ts';

interface AskOptions extends GlobalOptions, FilterOptions {
  readonly generator?: string;
  readonly events?: boolean;
}

/** Generators of later versions. */
const LATER = ['anthropic', 'openai', 'ollama'];
const QUOTE_WIDTH = 300;

export async function ask(text: string, options: AskOptions): Promise<number> {
  const filter = readFilter(options);
  const request = { question: question(text), ...(filter === undefined ? {} : { filter }) };
  const session = await openSession(options, { index: true, settings: generatorSetting(options.generator) });
  const answer = await withEngine(session, async (engine) => {
    if (options.json !== true) return show(engine.stream(request), options.events === true ? showEvent : showText);
    const complete = await engine.ask(request);
    await writeJson(answerJson(complete));
    return complete;
  });
  return answer.outcome === 'answered' ? 0 : 1;
}

function generatorSetting(name: string | undefined): Readonly<Record<string, unknown>> {
  if (name === undefined) return {};
  if (name === 'extractive') return { 'generate.use': name };
  if (LATER.includes(name)) {
    throw new RagError('not-available', `the generator ${name} is not in this version`, {
      hint: '--generator extractive',
    });
  }
  const near = nearest(name, ['extractive', ...LATER]);
  throw new RagError('setting-invalid', `there is no generator "${name}"`, {
    hint: near === undefined ? 'generators: extractive' : `did you mean ${near}?`,
  });
}

type Show = (event: AnswerEvent) => Promise<void>;

/** @throws RagError when the stream ends in an error */
async function show(events: AsyncIterable<AnswerEvent>, each: Show): Promise<Answer> {
  for await (const event of events) {
    await each(event);
    if (event.type === 'answer-end') return event.answer;
    if (event.type === 'answer-error') throw fromPublicError(event.error);
  }
  throw new RagError('internal', 'the answer ended without a result');
}

const showEvent: Show = (event) => writeJsonLine(eventJson(event));

const showText: Show = async (event) => {
  if (event.type === 'text-delta') await writeOut(printable(event.text));
  else if (event.type === 'answer-end') await writeOut(formatEnd(event.answer));
  else if (event.type === 'warning') noteWarning(event.warning);
};

/** What follows the text: the footnotes, how it came out if it is no answer, and how sure it is. */
function formatEnd({ text, citations, outcome, confidence }: Answer): string {
  const blocks = [
    citations
      .toSorted((a, b) => a.label - b.label)
      .flatMap(formatCitation)
      .join('\n'),
    OUTCOMES[outcome] === '' ? '' : style('bold', OUTCOMES[outcome]),
    confidence === null ? '' : style('dim', `confidence ${confidence.toFixed(2)}`),
  ].filter((block) => block !== '');
  return `${(text === '' ? blocks : ['', ...blocks]).join('\n\n')}\n`;
}

/** What the text itself does not say. */
const OUTCOMES: Readonly<Record<Answer['outcome'], string>> = {
  answered: '',
  'insufficient-context': '',
  'needs-clarification': 'the question needs to be said more clearly',
  'handed-over': 'the question was handed to a person',
};

function formatCitation(citation: Citation): string[] {
  const { label, path, lines, headingPath, quote, url, support } = citation;
  const place = `${path}:${lines.start === lines.end ? lines.start : `${lines.start}-${lines.end}`}`;
  const heading = headingPath.length === 0 ? '' : ` › ${printableLine(headingPath.join(' › '))}`;
  const doubt = support === 'unsupported' || support === 'contradicted' ? ` (${support})` : '';
  return [
    `[${label}] ${style('bold', printableLine(place))}${heading}${doubt} — "${clip(printableLine(quote), QUOTE_WIDTH)}"`,
    ...(url === null ? [] : [`    ${printableLine(url)}`]),
  ];
}
