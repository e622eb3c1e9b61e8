import type { Client } from '@ordinal/client';
import type { OrdinalResource } from '../kinds.ts';
import { descriptorOf } from '../kinds.ts';
import type { Intent } from './intent.ts';

/** Writes what a verb has decided, on the condition that it is still the object that was seen. Throws an `ApiError` where the API server refuses. */
export async function writeIntent(
  intent: Intent,
  resource: OrdinalResource,
  { client, namespace }: { readonly client: Client; readonly namespace: string },
): Promise<void> {
  const resources = client(descriptorOf(resource)).namespace(namespace);
  if ('patch' in intent) {
    const { metadata, ...fields } = intent.patch as { readonly metadata?: object }; // A merge patch of an object.
    const body = { ...fields, metadata: { ...metadata, uid: resource.metadata.uid } };
    await resources.patch(resource.metadata.name, { type: 'merge', body }, { fieldValidation: 'Strict' });
    return;
  }
  const { name, spec } = intent.creates;
  const { apiVersion, kind } = resource;
  const created = { apiVersion, kind, metadata: { name, namespace }, spec };
  await resources.create(created, { fieldValidation: 'Strict' });
}
