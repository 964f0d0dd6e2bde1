/** Secrets in addresses: found to be refused, and never repeated in a message, a hint or the index. */
import { RagError } from '../core/errors.ts';

/** An address as it may be shown: what stands between `//` (or the start) and the last `@` is taken for a secret. */
export const withoutUserInfo = (text: string): string => text.replace(/(\/\/|^).*@/su, '$1…@');

/**
 * Refuses any name before `@` in a web address (a token can stand there alone), and a password in any address.
 *
 * @throws RagError `source-refused`
 */
export function refuseCredentials(address: string): void {
  const userInfo = /^([a-z][a-z0-9+.-]*):\/+([^/?#]*)@/iu.exec(address);
  const secret =
    userInfo === null
      ? /^[^/@]*:[^/]*@/u.test(address)
      : userInfo[1]?.toLowerCase() !== 'ssh' || userInfo[2]?.includes(':') === true;
  if (!secret) return;
  throw new RagError('source-refused', `the address of a source holds credentials: ${withoutUserInfo(address)}`, {
    hint: "leave them out, and let git's own credential helper supply them (git help credentials)",
  });
}
