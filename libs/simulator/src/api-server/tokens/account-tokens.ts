import type { Clock, Random } from '@ordinal/client';
import { serviceAccountGroups } from '../identity.ts';
import { part } from '../kinds/spec.ts';
import { uid } from '../metadata.ts';
import { ownField } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { Identity, JsonObject } from '../request.ts';
import type { Store } from '../store/store.ts';
import { claimsOf, isSigned, webToken } from './web-token.ts';

/** Who issues the tokens, and who they are for where no other audience is named. */
export const issuer = 'https://kubernetes.default.svc';

/** What a token is issued for. */
export interface TokenOrder {
  readonly account: StoredObject;
  /** The server, by default. */
  readonly audiences?: readonly string[];
  readonly seconds: number;
  /** The object that the token ends with, by its kind; with a pod its node too, as far as that is known. */
  readonly bound?: Readonly<Partial<Record<BoundKind, Named>>>;
}

/** Kinds of objects that a token can be bound to. */
type BoundKind = 'pod' | 'secret' | 'node';

interface Named {
  readonly name: string;
  readonly uid?: string;
}

/** Who has shown a token, and for whom it is of those that were asked for; or why it counts for nothing. */
export type TokenVerdict =
  { readonly user: Identity; readonly audiences: readonly string[] } | { readonly error: string | undefined };

/** What the tokens of a server are made of, and checked with. */
export interface TokenWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
}

/** What the Go library that checks signatures says. */
const badSignature = 'go-jose/go-jose: error in cryptographic primitive';

const storages: Readonly<Record<BoundKind, string>> = { pod: 'pods', secret: 'secrets', node: 'nodes' };
/** How far apart clocks may be, in seconds. */
const leeway = 60;
const extraPrefix = 'authentication.kubernetes.io/';

/** Issues tokens of service accounts, and knows them again. They are signed with a key of the server's own, which is made when the first is. */
export class AccountTokens {
  private readonly world: TokenWorld;
  private key: Uint8Array | undefined;

  constructor(world: TokenWorld) {
    this.world = world;
  }

  /** A token that is valid from now on. */
  issue({ account, audiences = [issuer], seconds, bound = {} }: TokenOrder): string {
    const { clock, random } = this.world;
    const { name, namespace = '', uid: accountUid } = account.metadata;
    const now = Math.floor(clock.now() / 1000);
    this.key ??= Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256));
    const claims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: issuer,
      jti: uid(random),
      'kubernetes.io': { namespace, ...bound, serviceaccount: { name, uid: accountUid } },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    return webToken(claims, this.key);
  }

  /** Whose token it is. One that is not ours, or is none, has no error of its own. */
  verdict(token: string, audiences: readonly string[] = [issuer]): TokenVerdict {
    const claims = claimsOf(token);
    if (claims?.['iss'] !== issuer || this.key === undefined) return { error: undefined };
    if (!isSigned(token, this.key)) return { error: badSignature };
    const own = Array.isArray(claims['aud']) ? claims['aud'].map(String) : [];
    const common = own.filter((each) => audiences.includes(each));
    if (common.length === 0)
      return {
        error: `token audiences ${listed(own)} is invalid for the target audiences ${listed(audiences)}`,
      };
    const error = this.mistakeIn(claims);
    return error === undefined ? { user: userOf(claims), audiences: common } : { error };
  }

  /** Why a token that is ours counts for nothing now. */
  private mistakeIn(claims: JsonObject): string | undefined {
    const { clock, store } = this.world;
    const now = clock.now() / 1000;
    if (now - leeway > Number(claims['exp'])) return 'service account token has expired';
    const own = part(claims, 'kubernetes.io');
    const namespace = String(own['namespace']);
    const account = part(own, 'serviceaccount');
    const key = `${namespace}/${String(account['name'])}`;
    const found = store.get('serviceaccounts', key);
    if (found === undefined) return `serviceaccounts "${String(account['name'])}" not found`;
    if (found.metadata.uid !== account['uid'])
      return `service account UID (${found.metadata.uid}) does not match claim (${String(account['uid'])})`;
    for (const kind of ['secret', 'pod', 'node'] as const) {
      const claimed = part(own, kind);
      // A pod's node is a remark: the token ends with the pod.
      if (claimed['name'] === undefined || (kind === 'node' && own['pod'] !== undefined)) continue;
      const path = kind === 'node' ? String(claimed['name']) : `${namespace}/${String(claimed['name'])}`;
      const bound = store.get(storages[kind], path);
      const deleted = bound?.metadata.deletionTimestamp;
      if (bound === undefined || (deleted !== undefined && Date.parse(deleted) / 1000 < now - leeway))
        return 'service account token has been invalidated';
      if (bound.metadata.uid !== claimed['uid'])
        return `${titles[kind]} UID (${bound.metadata.uid}) does not match ${claimTitles[kind]} (${String(claimed['uid'])})`;
    }
    return undefined;
  }
}

const titles: Readonly<Record<BoundKind, string>> = { pod: 'pod', secret: 'secret', node: 'node' };
const claimTitles: Readonly<Record<BoundKind, string>> = {
  pod: 'service account pod ref claim',
  secret: 'service account secret ref claim',
  node: 'service account node ref claim',
};

const listed = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;

function userOf(claims: JsonObject): Identity {
  const own = part(claims, 'kubernetes.io');
  const namespace = String(own['namespace']);
  const extra: Record<string, readonly string[]> = {
    [`${extraPrefix}credential-id`]: [`JTI=${String(claims['jti'])}`],
  };
  for (const kind of ['node', 'pod'] as const) {
    const { name, uid: objectUid } = part(own, kind);
    if (typeof name !== 'string') continue;
    extra[`${extraPrefix}${kind}-name`] = [name];
    if (typeof objectUid === 'string') extra[`${extraPrefix}${kind}-uid`] = [objectUid];
  }
  return {
    name: String(claims['sub']),
    uid: String(ownField(part(own, 'serviceaccount'), 'uid')),
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    extra,
  };
}
