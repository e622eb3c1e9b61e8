import type { KeyObject } from 'node:crypto';
import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { sameJson } from '@ordinal/client';
import { carry, fieldsOf, fingerprint, keptIn, withKept } from './conversion-fields.ts';
import type { Fields } from './conversion-fields.ts';
import { ConversionSeals } from './conversion-seal.ts';
import type { Unsealed } from './conversion-seal.ts';
import { conversionReply } from './conversion-review.ts';
import type { ConversionRequest } from './conversion-review.ts';

/** What a conversion makes of an object: all but its type and its metadata, which stay as they are. */
export type Converted<T extends KubernetesObject> = Omit<T, keyof KubernetesObject>;

/** How objects of one version become those of the hub's, and back. Both are pure, and may leave out what the other version can't say. */
export interface ConversionFunctions<Hub extends KubernetesObject, Version extends KubernetesObject> {
  readonly toHub: (object: Version) => Converted<Hub>;
  readonly fromHub: (object: Hub) => Converted<Version>;
}

/** A version beside the hub, with its functions. */
export interface ConvertedVersion<Hub extends KubernetesObject> {
  readonly apiVersion: string;
  readonly toHub: (object: KubernetesObject) => Converted<Hub>;
  readonly fromHub: (object: Hub) => Fields;
}

/** A webhook that converts objects of one kind between its versions. */
export interface ConversionWebhook {
  /** Begins with a slash. */
  readonly path: string;
  /** How many requests of one address are answered at a time, and twice as many of all. By default as many as the server says. */
  readonly maxInFlight?: number;
  /** How long an answer may take, in milliseconds. 10 s by default. API servers wait for 30 s. */
  readonly timeoutMs?: number;
  /** The reply to one request: a ConversionReview with all objects, or with why there are none. Never throws. */
  readonly convert: (request: ConversionRequest) => unknown;
}

/** A version of a kind beside its hub. */
export function convertedVersion<Hub extends KubernetesObject, Version extends KubernetesObject>(
  descriptor: ResourceDescriptor<Version>,
  { toHub, fromHub }: ConversionFunctions<Hub, Version>,
): ConvertedVersion<Hub> {
  return {
    apiVersion: apiVersionOf(descriptor),
    // The webhook gives it objects of this version only.
    toHub: (object) => toHub(object as Version),
    fromHub,
  };
}

/** What a conversion webhook is made with. */
export interface ConvertingOptions {
  /**
   * The keys that what goes along in an annotation is signed with, of 32 random bytes each: the first one signs, all of them verify. All replicas have the same. With
   * another key what objects carry counts as none.
   */
  readonly keys: () => readonly KeyObject[];
  readonly path?: string;
}

/**
 * A webhook that converts a kind between the hub, its best version, and others: one pair of functions for each other version, typed by the descriptors.
 *
 * **Guarantees.** No round trip loses anything, whatever the functions leave out: what the other version can't say goes along in the annotation
 * `ordinal.dev/unconverted`, and comes back. A field that was changed meanwhile in the other version counts as it was changed there. What another client has written
 * into that annotation, or copied from another object, counts as nothing.
 */
export function converting<Hub extends KubernetesObject>(
  hub: ResourceDescriptor<Hub>,
  versions: readonly ConvertedVersion<Hub>[],
  options: ConvertingOptions,
): ConversionWebhook {
  const converter = new Converter(hub, versions, new ConversionSeals(options.keys));
  return {
    path: options.path ?? `/convert-${hub.group.replaceAll('.', '-')}-${hub.kind.toLowerCase()}`,
    convert: ({ uid, desiredAPIVersion, objects }) => {
      try {
        return conversionReply(uid, { objects: objects.map((object) => converter.convert(object, desiredAPIVersion)) });
      } catch (error) {
        return conversionReply(uid, { message: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}

const apiVersionOf = ({ group, version }: ResourceDescriptor): string => `${group}/${version}`;

/** One direction of a pair: `forth` makes an object of the other version, `back` would undo it. */
interface Step {
  readonly to: string;
  readonly forth: (object: KubernetesObject) => Fields;
  readonly back: (object: KubernetesObject) => Fields;
}

const keeping = (became: Fields, fields: Fields): Unsealed => ({ fingerprint: fingerprint(became), fields });

class Converter<Hub extends KubernetesObject> {
  readonly #hub: string;
  readonly #versions: ReadonlyMap<string, ConvertedVersion<Hub>>;
  readonly #seals: ConversionSeals;

  constructor(hub: ResourceDescriptor<Hub>, versions: readonly ConvertedVersion<Hub>[], seals: ConversionSeals) {
    this.#seals = seals;
    this.#hub = apiVersionOf(hub);
    this.#versions = new Map(versions.map((version) => [version.apiVersion, version]));
    if (this.#versions.size !== versions.length || this.#versions.has(this.#hub))
      throw new TypeError(`${hub.kind}: two of the versions are the same`);
  }

  /** The object in another version. Throws where a version is not known, or a function throws. */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    if (object.apiVersion === apiVersion) return object;
    const inHub = object.apiVersion === this.#hub ? object : this.#step(object, this.#toHub(object.apiVersion));
    return apiVersion === this.#hub ? inHub : this.#step(inHub, this.#fromHub(apiVersion));
  }

  #step(object: KubernetesObject, { to, forth, back }: Step): KubernetesObject {
    const typed = (fields: Fields, apiVersion: string): KubernetesObject => ({
      ...fields,
      apiVersion,
      kind: object.kind,
      metadata: object.metadata,
    });
    const own = fieldsOf(object);
    const kept = this.#keptIn(object);
    const former = kept[to];
    const now = forth(object);
    // It was of this version before: what only that can say comes back.
    const asItWas = (fields: Fields): Fields => forth(typed(back(typed(fields, to)), object.apiVersion));
    const fields =
      former === undefined
        ? now
        : former.fingerprint === fingerprint(own)
          ? former.fields
          : carry(former.fields, asItWas(former.fields), now);
    const { [to]: _, ...others } = kept;
    const isLossless = sameJson(back(typed(fields, to)), own);
    const next = isLossless
      ? others
      : { ...others, [object.apiVersion]: this.#seals.seal(object, object.apiVersion, keeping(fields, own)) };
    return withKept(typed(fields, to), next);
  }

  #keptIn(object: KubernetesObject): ReturnType<typeof keptIn> {
    const kept = Object.entries(keptIn(object));
    return Object.fromEntries(kept.filter(([version, each]) => this.#seals.isSealed(object, version, each)));
  }

  #toHub(apiVersion: string): Step {
    const { toHub, fromHub } = this.#known(apiVersion);
    // Steps give each function objects of its version.
    return { to: this.#hub, forth: toHub, back: (object) => fromHub(object as Hub) };
  }

  #fromHub(apiVersion: string): Step {
    const { toHub, fromHub } = this.#known(apiVersion);
    // As above.
    return { to: apiVersion, forth: (object) => fromHub(object as Hub), back: toHub };
  }

  #known(apiVersion: string): ConvertedVersion<Hub> {
    const version = this.#versions.get(apiVersion);
    if (version !== undefined) return version;
    const known = [this.#hub, ...this.#versions.keys()].join(', ');
    throw new TypeError(`there is no conversion to or from ${apiVersion}: ${known} are known`);
  }
}
