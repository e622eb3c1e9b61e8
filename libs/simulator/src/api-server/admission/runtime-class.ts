import { sameJson } from '@ordinal/client';
import { withDefaultTolerations } from '../kinds/pod.ts';
import { items, part } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { forbidden } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';

/** A pod's spec with what its runtime class asks for: overhead, nodes, tolerations. Refuses one whose class does not exist. */
export function withRuntimeClass(
  server: ApiServer,
  { resource, name }: AdmissionAttributes,
  spec: JsonObject,
): JsonObject {
  const className = spec['runtimeClassName'];
  const refuse = (message: string) => forbidden(resource, name, message);
  const overhead = isObject(spec['overhead']) ? spec['overhead'] : {};
  if (typeof className !== 'string') {
    if (Object.keys(overhead).length > 0)
      throw refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    return spec;
  }
  const found = server.store.get('runtimeclasses.node.k8s.io', className) as JsonObject | undefined;
  if (found === undefined) throw refuse(`pod rejected: RuntimeClass ${JSON.stringify(className)} not found`);
  const fixed = part(part(found, 'overhead'), 'podFixed');
  const isGiven = Object.keys(overhead).length > 0;
  if (found['overhead'] === undefined && isGiven)
    throw refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  if (isGiven && !sameJson(overhead, fixed))
    throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  const next = found['overhead'] === undefined ? spec : { ...spec, overhead: fixed };
  return found['scheduling'] === undefined ? next : scheduled(next, part(found, 'scheduling'), refuse);
}

function scheduled(spec: JsonObject, scheduling: JsonObject, refuse: (message: string) => Error): JsonObject {
  const own = part(spec, 'nodeSelector');
  const wanted = part(scheduling, 'nodeSelector');
  for (const [key, value] of Object.entries(wanted))
    if (own[key] !== undefined && own[key] !== value)
      throw refuse(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}; pod.spec.nodeSelector[${key}] = ${String(own[key])}`,
      );
  const nodeSelector = { ...own, ...wanted };
  // The tolerations that every pod has are there before those of the class.
  const tolerations = items(withDefaultTolerations(spec)['tolerations']);
  const more = items(scheduling['tolerations']).filter((each) => !tolerations.some((known) => sameJson(known, each)));
  return {
    ...spec,
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    tolerations: [...tolerations, ...more],
  };
}
