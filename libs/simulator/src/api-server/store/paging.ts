import { posix } from 'node:path';
import { isObject } from '../object.ts';
import { badRequest, staleContinue } from '../status.ts';
import type { Refusal } from '../status.ts';
import { jsonType, readJson } from '../transport/json-text.ts';
import type { Store } from './store.ts';

/** Reads what is in a token, with Go's words for what is wrong with it. */
function tokenOf(bytes: Uint8Array): Pick<Token, 'rv' | 'start'> {
  const refused = (problem: string): Refusal =>
    badRequest(`invalid continue token: continue key is not valid: ${problem}`);
  let token: unknown;
  try {
    token = readJson(bytes);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
  if (token !== null && !isObject(token))
    throw refused(`json: cannot unmarshal ${jsonType(token)} into Go value of type storage.continueToken`);
  const { v = '', rv = 0, start = '' } = token ?? {};
  if (v !== version) throw refused(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== 'number' || rv === 0) throw refused(`incorrect encoded start resourceVersion (version ${version})`);
  if (typeof start !== 'string' || start === '') throw refused(`encoded start key empty (version ${version})`);
  // No token leads out of the kind's own keys.
  if (posix.normalize(`/${start}`) !== `/${start}`) throw refused(start);
  return { rv, start };
}

const version = 'meta.k8s.io/v1';

interface Token {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

/** The token that continues a list after a key. */
export function encodeContinue(revision: number, after: string): string {
  const token: Token = { v: version, rv: revision, start: after };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** In a token: go on with what there is now. */
const present = -1;

/**
 * The revision and key that a token stands for. Refuses what is no token with 400, and what is compacted with 410 and another token, that goes on with what there
 * is now.
 */
export function decodeContinue(store: Store, text: string): { readonly revision: number; readonly after: string } {
  const { rv, start } = tokenOf(Buffer.from(text, 'base64url'));
  if (rv !== present && rv < store.compacted) throw staleContinue(encodeContinue(present, start));
  return { revision: rv === present ? store.revision : rv, after: start };
}
