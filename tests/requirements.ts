/**
 * What Footnote owes to the five designs it began with: every behaviour that they describe, plans and limitations
 * included. Tests cite ids in their titles or comments (`[S0-rrf-formula]`); `docs/requirements.test.ts` fails on an
 * id that is not here, and on a behaviour of a finished part that no test cites. `docs/seeds.md` is made of it.
 */
import { notes } from './requirements/notes.ts';
import { papers } from './requirements/papers.ts';
import { productDocs } from './requirements/product-docs.ts';
import { supportDesk } from './requirements/support-desk.ts';
import type { Design, Part, Statement } from './requirements/types.ts';
import { website } from './requirements/website.ts';

/** Parts whose behaviours all have to be tested. */
export const FINISHED: ReadonlySet<Part> = new Set<Part>([3, 4]);

export const designs: readonly Design[] = [
  {
    preset: 'product-docs',
    seed: '000_',
    prefix: 'S0-',
    program: 'WaveMaker Docs Agent',
    about: 'Product documentation from a repository: hybrid search, rank fusion, a hosted reranker, three caches.',
    topics: productDocs,
  },
  {
    preset: 'papers',
    seed: '001_',
    prefix: 'S1-',
    program: 'Ragora',
    about:
      'Papers in LaTeX, and e-mail, in one collection: chunks of a fixed size, a weight between words and meaning.',
    topics: papers,
  },
  {
    preset: 'notes',
    seed: '002_',
    prefix: 'S2-',
    program: 'nasi-ayam',
    about:
      'Folders of notes and PDFs: small chunks are found, whole sections are read, an agent decides when to search.',
    topics: notes,
  },
  {
    preset: 'support-desk',
    seed: '003_',
    prefix: 'S3-',
    program: 'Bisq Support Agent',
    about: 'A wiki and FAQs of two products with like names: whose question is it, and never an answer for the other.',
    topics: supportDesk,
  },
  {
    preset: 'website',
    seed: '004_',
    prefix: 'S4-',
    program: 'Ask-the-Docs',
    about: 'A crawled website: polite fetching, long chunks that cut no code, an exact index in plain files.',
    topics: website,
  },
];

export const requirements: readonly Statement[] = designs.flatMap(({ topics }) =>
  topics.flatMap(({ statements }) => statements),
);
