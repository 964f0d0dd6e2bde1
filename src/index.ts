/** Footnote as a library. Everything a surface uses is here, by name. */
export { createEngine } from './engine.ts';
export type { Engine, EngineOptions } from './engine.ts';
export type { IngestRequest } from './sync.ts';
export { findIndexFolder, readManifest } from './workspace.ts';
export type { IndexSettings, Manifest } from './workspace.ts';
export { isRagError, RagError, toPublicError } from './core/errors.ts';
export type { ErrorCode, PublicError } from './core/errors.ts';
export { parseFilter, parseFilterExpression } from './core/filter.ts';
export type { Filter } from './core/filter.ts';
export { presets } from './presets/presets.ts';
export { presetSettings } from './presets/preset-settings.ts';
export { defineSource, parseSource } from './sources/address.ts';
export type { FolderDefinition, GitDefinition, SourceDefinition } from './sources/address.ts';
export type * from './core/contracts.ts';
export type * from './core/results.ts';
export type * from './core/settings.ts';
export type * from './core/types.ts';
