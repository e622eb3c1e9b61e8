import {
  clusteredCacheValidator,
  cloudDatabaseValidator,
  kvStoreClusterValidator,
  monitoredStatefulSetValidator,
} from '@ordinal/api/validation';
import type { KubernetesObjectInput } from '@ordinal/client';
import { sameJson, timestamp } from '@ordinal/client';
import type { Client, Clock } from '@ordinal/client';
import { parseAllDocuments } from 'yaml';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import { ordinalKinds } from '../kinds.ts';
import { notThere } from './unknown.ts';

interface Validator {
  problems(object: unknown): readonly string[];
  withDefaults(object: never): object;
}

const validators: Readonly<Record<string, Validator>> = {
  ClusteredCache: clusteredCacheValidator,
  KVStoreCluster: kvStoreClusterValidator,
  MonitoredStatefulSet: monitoredStatefulSetValidator,
  CloudDatabase: cloudDatabaseValidator,
};

/** The resources of the four kinds in a file of manifests; others are passed over. Throws a `CommandError` that says what is wrong with which. */
export function resourcesIn(text: string): readonly KubernetesObjectInput[] {
  const documents = parseAllDocuments(text);
  const broken = documents.flatMap(({ errors }) => errors);
  if (broken.length > 0) throw new CommandError(`the file is no YAML: ${broken[0]?.message ?? ''}`, exitCodes.usage);
  const objects = documents.map((document) => document.toJS() as KubernetesObjectInput | null);
  const ours = objects.filter(
    (object) => object !== null && ordinalKinds.some(({ kind }) => kind === object.kind),
  ) as KubernetesObjectInput[]; // By its kind.
  if (ours.length === 0) throw new CommandError('the file has no resource of the four kinds', exitCodes.usage);
  const problems = ours.flatMap((object) => {
    const lines = validators[object.kind]?.problems(object) ?? [];
    return lines.map((line) => `${object.kind} ${object.metadata.name ?? ''}: ${line}`);
  });
  if (problems.length > 0)
    throw new CommandError(`the API server would refuse it: ${problems.join('; ')}`, exitCodes.usage);
  return ours;
}

/** A resource as it would be after `kubectl apply`: its spec is the file's, with defaults; labels and annotations are added. Nothing is sent but a read. */
export async function asApplied(
  object: KubernetesObjectInput,
  { client, namespace, clock }: { readonly client: Client; readonly namespace: string; readonly clock: Clock },
): Promise<OrdinalResource> {
  const descriptor = ordinalKinds.find(({ kind }) => kind === object.kind);
  const validator = validators[object.kind];
  if (!descriptor || !validator) throw new TypeError(`${object.kind} is none of the four kinds`);
  const { name = '', namespace: own = namespace, labels, annotations } = object.metadata;
  const { spec } = validator.withDefaults(object as never) as { readonly spec: object }; // Of an object that was validated.
  const live = await client(descriptor).namespace(own).find(name);
  const created = {
    name,
    namespace: own,
    uid: 'planned',
    resourceVersion: notThere,
    creationTimestamp: timestamp(clock.now()),
    generation: 1,
  };
  const before = live?.metadata;
  const metadata = {
    ...(live && before
      ? { ...before, generation: (before.generation ?? 0) + (sameJson(live.spec, spec) ? 0 : 1) }
      : created),
    labels: { ...before?.labels, ...labels },
    annotations: { ...before?.annotations, ...annotations },
  };
  return { ...(live ?? { apiVersion: object.apiVersion, kind: object.kind }), metadata, spec } as OrdinalResource; // Its spec has the defaults of the kind.
}
