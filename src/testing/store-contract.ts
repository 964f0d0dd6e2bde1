/**
 * What every store promises, as tests. A driver's own test file is ten lines:
 *
 *     storeContract({ describe, it, create: async () => ({ connect: () => myStore(…), dispose: async () => {…} }) });
 */
import assert from 'node:assert/strict';
import { DOCUMENTS } from './store/documents.ts';
import { FILTERS } from './store/filters.ts';
import { GENERATIONS } from './store/generations.ts';
import { OPENING } from './store/opening.ts';
import type { Scenario, StoreFixture } from './store/scenario.ts';
import { SEARCH } from './store/search.ts';
import { SPARSE } from './store/sparse.ts';

/** A promise that a driver cannot keep. The test still runs, and must fail: so a repair is noticed. */
export interface ContractSkip {
  readonly test: string;
  readonly reason: string;
}

export interface StoreContractOptions {
  readonly create: () => Promise<StoreFixture>;
  readonly describe: (name: string, define: () => void) => void;
  readonly it: (name: string, run: () => Promise<void>) => void;
  readonly skip?: readonly ContractSkip[];
}

const CONTRACT: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  'documents and chunks': DOCUMENTS,
  generations: GENERATIONS,
  search: SEARCH,
  'learned sparse vectors': SPARSE,
  filters: FILTERS,
  opening: OPENING,
};

export function storeContract({ create, describe, it, skip = [] }: StoreContractOptions): void {
  const unknown = skip.filter(({ test }) => !Object.values(CONTRACT).some((group) => Object.hasOwn(group, test)));
  if (unknown.length > 0) throw new Error(`no such contract test: ${unknown.map(({ test }) => test).join(', ')}`);

  const run = async (scenario: Scenario): Promise<void> => {
    const fixture = await create();
    try {
      await scenario(fixture);
    } finally {
      await fixture.dispose();
    }
  };

  for (const [group, scenarios] of Object.entries(CONTRACT)) {
    describe(group, () => {
      for (const [name, scenario] of Object.entries(scenarios)) {
        const skipped = skip.find(({ test }) => test === name);
        if (skipped === undefined) it(name, () => run(scenario));
        else it(`${name} (known to fail: ${skipped.reason})`, () => assert.rejects(run(scenario)));
      }
    });
  }
}
