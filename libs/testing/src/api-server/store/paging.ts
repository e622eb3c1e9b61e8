import { expired, badRequest } from '../status.ts';
import type { Store } from './store.ts';

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

interface Token {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

/** The token that continues a list after a key. */
export function encodeContinue(revision: number, after: string): string {
  const token: Token = { v: 'meta.k8s.io/v1', rv: revision, start: after };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** The revision and key that a token stands for. Refuses what is no token with 400, and what is compacted with 410. */
export function decodeContinue(store: Store, text: string): { readonly revision: number; readonly after: string } {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  let token: Partial<Token>;
  try {
    token = JSON.parse(decoded) as Partial<Token>;
  } catch {
    throw badRequest(
      `invalid continue token: continue key is not valid: invalid character ${goCharacter(decoded)} looking for beginning of value`,
    );
  }
  if (typeof token.rv !== 'number' || typeof token.start !== 'string')
    throw badRequest('continue key is not valid: incorrect encoded start resourceVersion');
  if (token.rv < store.compacted) throw expired(expiredContinue);
  return { revision: token.rv, after: token.start };
}

/** The first character as Go quotes it. */
function goCharacter(text: string): string {
  const code = text.charCodeAt(0);
  return code >= 32 && code < 127 ? `'${text.charAt(0)}'` : `'\\u00${code.toString(16).padStart(2, '0')}'`;
}
