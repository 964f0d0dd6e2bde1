/** Where a service is, and which key it gets: nothing is sent that the settings do not name. */
import { RagError } from '../core/errors.ts';

export interface Provider {
  /** As people call it. */
  readonly name: string;
  readonly baseUrl: string;
  /** Environment variables that usually hold its key, the first found counts; none for a service without keys. */
  readonly keyVariables: readonly string[];
}

export interface EndpointSettings {
  readonly baseUrl: string | null;
  readonly keyVariable: string | null;
}

export interface Endpoint {
  readonly service: string;
  /** `embed` or `rerank`: for hints. */
  readonly section: string;
  readonly baseUrl: URL;
  /** Whether the address is the provider's own. */
  readonly own: boolean;
  /** The variable that the key is read from. */
  readonly keyVariable: string;
  /** Read when it is needed. @throws RagError `driver-unavailable` when it is needed and not there */
  key(): string | undefined;
}

/**
 * The provider's own address gets the key of its usual variable. Any other address gets one only where the settings
 * name the variable: a key that lies in the environment was not meant for it.
 *
 * @throws RagError `setting-invalid` for an address with a password in it
 */
export function endpointOf(
  provider: Provider,
  settings: EndpointSettings,
  section: string,
  environment: Readonly<Record<string, string | undefined>>,
): Endpoint {
  const baseUrl = new URL(settings.baseUrl ?? provider.baseUrl);
  if (baseUrl.username !== '' || baseUrl.password !== '') {
    throw new RagError('setting-invalid', `${section}.baseUrl must not hold a user name or a password`, {
      hint: `put the key into an environment variable, and name it: ${section}.keyVariable`,
    });
  }
  const own = hostOf(baseUrl) === hostOf(new URL(provider.baseUrl));
  const usual = own ? provider.keyVariables : [];
  const names = settings.keyVariable === null ? usual : [settings.keyVariable];
  const found = names.find((name) => (environment[name] ?? '').trim() !== '');
  return {
    service: provider.name,
    section,
    baseUrl,
    own,
    keyVariable: found ?? names[0] ?? provider.keyVariables[0] ?? '',
    key() {
      if (found !== undefined) return environment[found]?.trim();
      const [wanted] = names;
      if (wanted === undefined) return undefined;
      throw new RagError('driver-unavailable', `${provider.name} needs a key, and ${names.join(' or ')} is not set`, {
        hint: `export ${wanted}=…, or name another variable: ${section}.keyVariable`,
      });
    },
  };
}

/** `localhost`, `127.0.0.1` and `[::1]` are one machine. */
const hostOf = ({ protocol, hostname, port }: URL): string =>
  `${protocol}//${/^(?:localhost|127\.0\.0\.1|\[::1\])$/u.test(hostname) ? 'localhost' : hostname}:${port}`;
