import { part, specOf } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import { isLargerQuantity } from '../schema/quantity.ts';
import type { ApiServer } from '../server.ts';
import { forbidden } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';

const classes = 'storageclasses.storage.k8s.io';
const defaultClassAnnotation = 'storageclass.kubernetes.io/is-default-class';

const requested = (claim: JsonObject): string =>
  String(part(part(specOf(claim), 'resources'), 'requests')['storage'] ?? '0');

/** The class of a claim; of one that names none, the default class. */
function classOf(claim: JsonObject, { store }: ApiServer): JsonObject | undefined {
  const name = specOf(claim)['storageClassName'];
  if (typeof name === 'string') return store.get(classes, name) as JsonObject | undefined;
  const found = store
    .snapshot(classes)
    .find(([, { metadata }]) => metadata.annotations?.[defaultClassAnnotation] === 'true');
  return found?.[1] as JsonObject | undefined;
}

/** Refuses that a claim grows whose class does not allow it, as the server's plugin `PersistentVolumeClaimResize` does. */
export function checkClaimGrowth(server: ApiServer, attributes: AdmissionAttributes): void {
  const { resource, subresource, name, object = {}, oldObject } = attributes;
  if (resource.storage !== 'persistentvolumeclaims' || subresource !== undefined || oldObject === undefined) return;
  const before = oldObject as unknown as JsonObject; // Any stored object is one.
  if (!isLargerQuantity(requested(object), requested(before))) return;
  if (classOf(object, server)?.['allowVolumeExpansion'] === true) return;
  throw forbidden(
    resource,
    name,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
}
