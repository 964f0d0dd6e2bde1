/** Metadata that follows from other metadata (`parse.derive`). */
import type { DerivedField } from '../core/settings.ts';
import type { Document, Metadata } from '../core/types.ts';

/** Adds the fields that a document does not have itself; later rules see what earlier ones added. */
export function derive(document: Document, rules: readonly DerivedField[]): Document {
  let metadata: Metadata = document.metadata;
  for (const { field, from, values } of rules) {
    const value = from === 'type' ? document.type : metadata[from];
    if (Object.hasOwn(metadata, field) || value === undefined || !Object.hasOwn(values, String(value))) continue;
    metadata = { ...metadata, [field]: values[String(value)] as string | number };
  }
  return metadata === document.metadata ? document : { ...document, metadata };
}
