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
  let token: Partial<Token>;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Partial<Token>;
  } catch {
    throw badRequest('continue key is not valid: illegal base64 data at input byte 0');
  }
  if (typeof token.rv !== 'number' || typeof token.start !== 'string')
    throw badRequest('continue key is not valid: incorrect encoded start resourceVersion');
  if (token.rv < store.compacted) throw expired(expiredContinue);
  return { revision: token.rv, after: token.start };
}
