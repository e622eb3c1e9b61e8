import type { StoredObject } from '../object.ts';
import type { Identity, JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';

/** What admission is asked about. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ServerResource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: StoredObject | undefined;
  /** The kind of the object where it is not the resource's, as for an eviction. */
  readonly objectKind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly options: JsonObject;
  readonly dryRun: boolean;
  readonly user: Identity;
  /** Makes the uid of a review. */
  readonly newUid: () => string;
  /** Takes the warnings that a webhook returns. */
  readonly warn: (warnings: readonly string[]) => void;
}
