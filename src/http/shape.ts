/** Reading answers of services, which promise a shape but are not ours. */
import { RagError } from '../core/errors.ts';
import type { Endpoint } from './endpoint.ts';

/** A property of a JSON object; undefined where there is none. */
export const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

export const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** @returns the error for an answer that is JSON, but not what was asked for */
export const unexpected = ({ service, section, baseUrl }: Endpoint, what: string): RagError =>
  new RagError('driver-unavailable', `the answer of ${service} (${baseUrl.host}) cannot be used: ${what}`, {
    hint: `check ${section}.model and ${section}.baseUrl`,
  });
