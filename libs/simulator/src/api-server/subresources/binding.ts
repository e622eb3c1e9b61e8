import { timestamp } from '@ordinal/client';
import type { Steps } from '../admission/steps.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { items, part, without } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { keyOf, liveObject } from '../resources/target.ts';
import type { ApiServer } from '../server.ts';
import { badRequest, conflict, pathNotFound } from '../status.ts';

/** Assigns a pod to a node, once. */
// eslint-disable-next-line require-yield -- it asks no webhook, and has to look like what does
export function* bind(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = server.resources.find(request.resource);
  if (resource === undefined) throw pathNotFound();
  const live = liveObject(server.store, resource, request);
  const body = isObject(request.body) ? request.body : {};
  const node = part(body, 'target')['name'];
  if (typeof node !== 'string' || node === '') throw badRequest('target.name: Required value');
  const pod = live as unknown as JsonObject;
  const spec = part(pod, 'spec');
  const { name } = live.metadata;
  if (live.metadata.deletionTimestamp !== undefined)
    throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (typeof spec['nodeName'] === 'string' && spec['nodeName'] !== '')
    throw conflict(
      { ...resource, plural: 'pods/binding' },
      name,
      `pod ${name} is already assigned to node "${spec['nodeName']}"`,
    );
  if (items(spec['schedulingGates']).length > 0)
    throw conflict({ ...resource, plural: 'pods/binding' }, name, `pod ${name} has non-empty .spec.schedulingGates`);
  // Where room was made for it is of no concern any more.
  const status = without(part(pod, 'status'), 'nominatedNodeName');
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(server.clock.now()),
  };
  const conditions = [...items(status['conditions']).filter(({ type }) => type !== 'PodScheduled'), condition];
  const { annotations } = metadataOf(body);
  const bound = {
    ...live,
    metadata: {
      ...live.metadata,
      ...(isObject(annotations) && {
        annotations: { ...live.metadata.annotations, ...(annotations as Record<string, string>) },
      }),
    },
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions },
  } as StoredObject;
  if (request.options?.dryRun !== true) server.write(resource, keyOf(resource, request.namespace, name), bound);
  return { status: 201, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } };
}
