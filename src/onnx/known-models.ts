/** Names of models: short ones stand for a model of the hub, which is the same under several names. */
import { RagError } from '../core/errors.ts';
import { nearest } from '../text/nearest.ts';
import { isFolder } from './locate.ts';

export interface ModelNames {
  /** Names for the setting; the first is the shortest. */
  readonly names: readonly string[];
  /** From where a short name is downloaded: a model's own repository, or one with the same weights as ONNX. */
  readonly hub: string;
  /** Names of the same model on the hub, without the organisation; also those of local folders. */
  readonly folders: readonly string[];
}

/** By a short name, by its name on the hub, or by the name of its folder; letter case does not matter. */
export function findModel<T extends ModelNames>(known: readonly T[], name: string): T | undefined {
  const wanted = name.toLowerCase();
  const last = wanted.slice(wanted.lastIndexOf('/') + 1);
  return known.find(
    ({ names, folders }) => names.includes(wanted) || folders.some((folder) => folder.toLowerCase() === last),
  );
}

/**
 * A short name as the model of the hub that it stands for; a path or a name of the hub as it is.
 *
 * @param kind for the message, e.g. `embedding model`
 * @throws RagError `setting-invalid` for a name that stands for nothing
 */
export function hubName(known: readonly ModelNames[], model: string, kind: string): string {
  const found = findModel(known, model);
  if (found?.names.includes(model.toLowerCase()) === true) return found.hub;
  if (/[\\/]/u.test(model) || isFolder(model)) return model;
  if (found !== undefined) return found.hub;
  const names = known.flatMap((one) => one.names);
  const closest = nearest(model, names);
  throw new RagError('setting-invalid', `there is no ${kind} "${model}"`, {
    hint: `${closest === undefined ? '' : `did you mean ${closest}? `}models are ${names.join(', ')}, a folder, or ORGANISATION/NAME on the hub`,
  });
}
