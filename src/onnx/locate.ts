/** From what a user wrote as the model to a folder on this machine. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { withOnnxWeights } from './convert/index.ts';
import { defaultModelsFolder, HUB_URL, isHubId, modelFromHub } from './hub.ts';
import type { DownloadProgress, HubOptions } from './hub.ts';
import { openModelFolder } from './model-folder.ts';
import type { ModelFolder, Precision } from './model-folder.ts';
import type { OnnxDevice } from './session.ts';

export interface ModelLocation extends CallOptions {
  /** A folder, absolute or relative to the current one, or `ORGANISATION/NAME` on the hub. */
  readonly model: string;
  readonly device: OnnxDevice;
  readonly precision?: Precision;
  /** Of downloaded and converted models; null = {@link defaultModelsFolder}. */
  readonly modelsFolder?: string | null;
  /** Never connect. */
  readonly offline?: boolean;
  /** Of the hub or a mirror. */
  readonly hubUrl?: string;
  readonly fetch?: typeof fetch;
  readonly onProgress?: (progress: DownloadProgress) => void;
}

/** @throws RagError `setting-invalid` | `driver-unavailable` | `storage-failed` | `aborted` */
export async function openModel(location: ModelLocation): Promise<ModelFolder> {
  const { model, device, precision = 'auto' } = location;
  // The runtime computes int8 on the processor only.
  const wanted = precision === 'auto' && device !== 'cpu' ? 'float32' : precision;
  const folder = model.startsWith('~/') ? join(homedir(), model.slice(2)) : resolve(model);
  const modelsFolder = location.modelsFolder ?? defaultModelsFolder();
  if (isFolder(folder)) return withOnnxWeights(await openModelFolder(folder, wanted), modelsFolder);
  if (!isHubId(model)) {
    throw new RagError('setting-invalid', `there is no model folder ${folder}`, {
      hint: 'name a folder, or a model of the hub as ORGANISATION/NAME',
    });
  }
  const downloaded = await modelFromHub({ ...hubOptions(location), modelsFolder, precision: wanted });
  return withOnnxWeights(await openModelFolder(downloaded, wanted), modelsFolder);
}

const hubOptions = (location: ModelLocation): Omit<HubOptions, 'precision' | 'modelsFolder'> => ({
  id: location.model,
  offline: location.offline ?? false,
  baseUrl: location.hubUrl ?? HUB_URL,
  fetch: location.fetch ?? fetch,
  onProgress: location.onProgress ?? (() => undefined),
  ...(location.signal === undefined ? {} : { signal: location.signal }),
});

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
