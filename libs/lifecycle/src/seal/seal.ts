import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { canonicalJson } from './canonical.ts';

/** A key of the installation: 32 random bytes, as Node keeps a secret key. From bare bytes it would make such a key for every seal, which takes longer than the seal. */
export type SealKey = KeyObject;

/** Whose memory is sealed: one object, and no later one of its name. */
export interface SealSubject {
  readonly descriptor: Pick<ResourceDescriptor, 'group' | 'kind'>;
  readonly metadata: Pick<KubernetesObject['metadata'], 'namespace' | 'name' | 'uid'>;
}

/** What is sealed, and what it is for: the same item for another purpose has another seal. */
export interface SealedItem {
  readonly purpose: 'status' | 'job' | 'drill' | 'member';
  readonly item: unknown;
}

/**
 * The seal of something that the operator remembers about an object: HMAC-SHA-256 over the object, the purpose and the item, in base64url. Anyone who has not the key can't make
 * one; that it was made once is proved, and not when.
 */
export function seal(key: SealKey, { descriptor, metadata }: SealSubject, { purpose, item }: SealedItem): string {
  const { namespace = '', name, uid } = metadata;
  const text = canonicalJson([descriptor.group, descriptor.kind, namespace, name, uid, purpose, item]);
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Whether a seal was made with one of the keys for exactly this. */
export function verifySeal(
  keys: readonly SealKey[],
  subject: SealSubject,
  sealed: SealedItem & { readonly seal: string | undefined },
): boolean {
  const given = Buffer.from(sealed.seal ?? '');
  return keys.some((key) => {
    const expected = Buffer.from(seal(key, subject, sealed));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}
