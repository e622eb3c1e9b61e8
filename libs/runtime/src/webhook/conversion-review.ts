import type { KubernetesObject } from '@ordinal/client';

/** What the API server asks of a conversion webhook (`apiextensions.k8s.io/v1`). */
export interface ConversionRequest {
  readonly uid: string;
  /** The version that all objects are wanted in, with its group. */
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubernetesObject[];
}

/** The API server's are UUIDs; they come back in the answer. */
const longestUid = 128;

/** Reads a request. Throws a `TypeError` for a body that is no ConversionReview of version 1. What is inside of an object is not looked at, but its type and `metadata`. */
export function readConversionReview(body: Uint8Array | string): ConversionRequest {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
  const review: unknown = JSON.parse(text);
  if (!isFields(review) || review['apiVersion'] !== 'apiextensions.k8s.io/v1' || !isFields(review['request']))
    throw new TypeError('the body is no ConversionReview of apiextensions.k8s.io/v1');
  const { uid, desiredAPIVersion, objects } = review['request'];
  if (typeof uid !== 'string' || uid.length > longestUid || typeof desiredAPIVersion !== 'string')
    throw new TypeError('request.uid or request.desiredAPIVersion of the ConversionReview is not what it has to be');
  if (!Array.isArray(objects) || !objects.every(isObject))
    throw new TypeError('request.objects of the ConversionReview are no objects of Kubernetes');
  return { uid, desiredAPIVersion, objects };
}

/** The reply that carries the converted objects, or the reason why there are none. */
export function conversionReply(
  uid: string,
  outcome: { readonly objects: readonly KubernetesObject[] } | { readonly message: string },
): unknown {
  const response =
    'objects' in outcome
      ? { result: { status: 'Success' }, convertedObjects: outcome.objects }
      : { result: { status: 'Failure', message: outcome.message }, convertedObjects: [] };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: { uid, ...response } };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObject(value: unknown): value is KubernetesObject {
  if (!isFields(value) || !isFields(value['metadata'])) return false;
  const { annotations } = value['metadata'];
  return (
    typeof value['apiVersion'] === 'string' &&
    typeof value['kind'] === 'string' &&
    (annotations === undefined ||
      (isFields(annotations) && Object.values(annotations).every((text) => typeof text === 'string')))
  );
}
