import type { ScaleSubresource } from '@ordinal/client';
import type { WebhookCall } from '../admission/steps.ts';
import type { JsonObject } from '../request.ts';
import { qualifiedResource } from '../status.ts';

/** A kind that the server knows, in one of its versions. */
export interface ServerResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Where objects are kept: `plural.group`, the same for all versions. */
  readonly storage: string;
  /** The version that objects are kept in. */
  readonly storageVersion: string;
  readonly scale?: ScaleSubresource;
  /** Columns of tables beside the name, as a CRD declares them. */
  readonly printColumns?: readonly JsonObject[];
  /** Fields that a CRD lets lists be selected by. */
  readonly selectableFields?: readonly string[];
  /** The webhook that converts objects between versions. Without it only their `apiVersion` differs. */
  readonly conversion?: ConversionWebhook;
  /** The warning of a deprecated version. */
  readonly deprecated?: string;
  /** True where the kind comes from a CustomResourceDefinition. */
  readonly custom: boolean;
}

/** A conversion webhook, as a definition names it. */
export interface ConversionWebhook {
  readonly clientConfig: WebhookCall['clientConfig'];
  /** The versions of the review that it understands, the best first. */
  readonly reviewVersions: readonly string[];
}

/** A subresource as discovery reports it. */
export interface Subresource {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
}

/** Keeps the kinds that the server knows. */
export class ResourceRegistry {
  readonly #byPath = new Map<string, ServerResource>();

  /** Takes a kind in. */
  add(resource: ServerResource): void {
    this.#byPath.set(pathKey(resource), resource);
  }

  /** Takes a kind out. */
  remove(resource: Pick<ServerResource, 'group' | 'version' | 'plural'>): void {
    this.#byPath.delete(pathKey(resource));
  }

  /** The kind at an address. */
  find(address: Pick<ServerResource, 'group' | 'version' | 'plural'>): ServerResource | undefined {
    return this.#byPath.get(pathKey(address));
  }

  /** The kind of this name; for built-in and custom kinds alike. */
  findKind(group: string, version: string, kind: string): ServerResource | undefined {
    for (const resource of this.#byPath.values())
      if (resource.kind === kind && resource.group === group && resource.version === version) return resource;
    return undefined;
  }

  /** All kinds, in the order in which they came. */
  all(): readonly ServerResource[] {
    return [...this.#byPath.values()];
  }

  /** Whether anything stands behind an address: a kind, or a built-in group and version in which there may be others. */
  answers(address: Pick<ServerResource, 'group' | 'version' | 'plural'>): boolean {
    if (this.find(address) !== undefined) return true;
    for (const { group, version, custom } of this.#byPath.values())
      if (!custom && group === address.group && version === address.version) return true;
    return false;
  }
}

const pathKey = ({ group, version, plural }: Pick<ServerResource, 'group' | 'version' | 'plural'>): string =>
  `${group}/${version}/${plural}`;

/** `apps/v1` or, in the core group, `v1`. */
export function groupVersion({ group, version }: Pick<ServerResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Where objects of a kind are kept. */
export function storageName(resource: Pick<ServerResource, 'group' | 'plural'>): string {
  return qualifiedResource(resource);
}
