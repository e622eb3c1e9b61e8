import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { KubernetesObject } from '@ordinal/client';
import { stableText } from './conversion-fields.ts';
import type { Fields, KeptFields } from './conversion-fields.ts';

/** What is sealed: fields of an object in a version, and what the object became when they were kept. */
export type Unsealed = Omit<KeptFields, 'seal'>;

/**
 * Signs what an object carries along, so that it counts only for the object that it was kept for. Anyone who may write annotations could otherwise write fields of another
 * version through them, past its validation, and its status among them.
 */
export class ConversionSeals {
  readonly #keys: () => readonly KeyObject[];

  /** The first key signs, all of them verify. */
  constructor(keys: () => readonly KeyObject[]) {
    this.#keys = keys;
  }

  /** Throws where there is no key. */
  seal(object: KubernetesObject, version: string, kept: Unsealed): KeptFields {
    const [key] = this.#keys();
    if (key === undefined) throw new Error('there is no key that what is kept in a conversion is signed with');
    return { ...kept, seal: sign(key, object, version, kept) };
  }

  /** Whether this was kept for this object. */
  isSealed(object: KubernetesObject, version: string, { seal, ...kept }: KeptFields): boolean {
    const given = Buffer.from(seal);
    return this.#keys().some((key) => {
      const right = Buffer.from(sign(key, object, version, kept));
      return right.length === given.length && timingSafeEqual(right, given);
    });
  }
}

function sign(key: KeyObject, { kind, metadata }: KubernetesObject, version: string, kept: Unsealed): string {
  const subject: Fields = { kind, uid: metadata.uid, version, ...kept };
  return createHmac('sha256', key).update(stableText(subject)).digest('base64url');
}
