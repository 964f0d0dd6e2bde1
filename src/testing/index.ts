/** Contract suites for people who write drivers. They need a test runner's `describe` and `it`, and nothing else. */
export { storeContract } from './store-contract.ts';
export type { ContractSkip, StoreContractOptions } from './store-contract.ts';
export type { StoreFixture } from './store/scenario.ts';
export {
  SAMPLE_SCHEMA,
  SPARSE_SCHEMA,
  sampleDocument,
  sampleOrigin,
  sampleUri,
  sparseVector,
  unitVector,
} from './sample-documents.ts';
export type { SampleDocument, SampleSection } from './sample-documents.ts';
