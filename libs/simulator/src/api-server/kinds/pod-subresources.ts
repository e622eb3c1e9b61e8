import { sameJson } from '@ordinal/client';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, refused, required, wrong } from './causes.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { label } from './names.ts';
import { podSpecCauses, qosClass } from './pod.ts';
import type { SubresourceRules } from './rules.ts';
import { items, part, specOf, without } from './spec.ts';

const json = (object: StoredObject): JsonObject => object as unknown as JsonObject;
const resettable = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** The pod as it was, with this of its spec changed; what a status may not change of the metadata stays too. */
function withSpec(object: Draft, old: StoredObject, changed: JsonObject): Draft {
  const before = metadataOf(json(old));
  const kept = Object.fromEntries(
    resettable.flatMap((name) => (before[name] === undefined ? [] : [[name, before[name]]])),
  );
  const spec = { ...specOf(json(old)), ...changed };
  const isSame = sameJson(spec, specOf(json(old)));
  const generation = (old.metadata.generation ?? 0) + (isSame ? 0 : 1);
  const metadata = { ...without(metadataOf(object), ...resettable), ...kept, generation };
  return { ...object, metadata, spec, status: part(json(old), 'status') };
}

const lists = ['containers', 'initContainers'] as const;

const sameNames = (left: readonly JsonObject[], right: readonly JsonObject[]): boolean =>
  left.length === right.length && left.every(({ name }, index) => name === right[index]?.['name']);

/** Only resources, and what is to be done when they change, are written. Other containers than before are left to be refused. */
function resized(object: Draft, old: StoredObject): Draft {
  const changed = lists.flatMap((list) => {
    const given = items(specOf(object)[list]);
    const before = items(specOf(json(old))[list]);
    if (given.length === 0 && before.length === 0) return [];
    if (!sameNames(given, before)) return [[list, given] as const];
    return [
      [
        list,
        before.map((container, index) => {
          const { resources, resizePolicy } = given[index] ?? {};
          return { ...container, resources: resources ?? {}, ...(resizePolicy !== undefined && { resizePolicy }) };
        }),
      ] as const,
    ];
  });
  return withSpec(object, old, Object.fromEntries(changed));
}

function resizeCauses(object: Draft, old: StoredObject): readonly FieldCause[] {
  const spec = specOf(object);
  const before = specOf(json(old));
  const status = part(json(old), 'status');
  const running = items(status['containerStatuses']).find(
    ({ state }) => part({ state }, 'state')['running'] !== undefined,
  );
  const order = lists.flatMap((list) => orderCauses(items(spec[list]), items(before[list]), list));
  return [
    ...podSpecCauses(spec, 'spec'),
    ...(qosClass(spec) === qosClass(before)
      ? []
      : [wrong('spec', status['qosClass'], 'Pod QOS Class may not change as a result of resizing')]),
    ...(running !== undefined && running['resources'] === undefined
      ? [refused('spec', 'Pod running on node without support for resize')]
      : []),
    ...(order.length > 0
      ? order
      : (['initContainers', 'containers'] as const).flatMap((list) =>
          items(spec[list]).flatMap((container, index) =>
            removedCauses(container, items(before[list])[index] ?? {}, `spec.${list}[${index}].resources`),
          ),
        )),
    ...(order.length > 0 ? [] : otherCauses(items(spec['containers']), items(before['containers']))),
  ];
}

function orderCauses(now: readonly JsonObject[], before: readonly JsonObject[], list: string): readonly FieldCause[] {
  if (now.length !== before.length) return [refused(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return now.flatMap(({ name }, index) =>
    name === before[index]?.['name']
      ? []
      : [refused(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

function removedCauses(now: JsonObject, before: JsonObject, field: string): readonly FieldCause[] {
  return ['requests', 'limits'].flatMap((side) => {
    const [left, was] = [now, before].map((container) => part(part(container, 'resources'), side));
    return Object.keys(was ?? {}).every((name) => left?.[name] !== undefined)
      ? []
      : [refused(`${field}.${side}`, `resource ${side} cannot be removed`)];
  });
}

/** What is asked for beside processors and memory stays as it is, and what is to be done on a change. */
function otherCauses(now: readonly JsonObject[], before: readonly JsonObject[]): readonly FieldCause[] {
  const others = (container: JsonObject = {}): unknown => [
    container['resizePolicy'] ?? [],
    ...['requests', 'limits'].map((side) => without(part(part(container, 'resources'), side), 'cpu', 'memory')),
  ];
  return now.flatMap((container, index) =>
    sameJson(others(container), others(before[index]))
      ? []
      : [refused('spec', 'only cpu and memory resources are mutable')],
  );
}

/** Writes to `pods/resize`. */
export const resizeRules: SubresourceRules = { update: resized, validate: resizeCauses };

const notAllowed = [
  'ports',
  'resources',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
];

function ephemeralCauses(object: Draft, old: StoredObject): readonly FieldCause[] {
  const spec = specOf(object);
  const now = items(spec['ephemeralContainers']);
  const field = 'spec.ephemeralContainers';
  const others = [...items(spec['containers']), ...items(spec['initContainers'])].map(({ name }) => String(name));
  const names = [...others, ...now.map(({ name }) => String(name))];
  return [
    ...podSpecCauses(spec, 'spec'),
    ...now.flatMap((container, index) => {
      const { name, image, targetContainerName: target = '' } = container;
      const at = `${field}[${index}]`;
      return [
        ...(name === '' || name === undefined
          ? [required(`${at}.name`)]
          : label(String(name)).map((message) => wrong(`${at}.name`, name, message))),
        ...(image === '' || image === undefined ? [required(`${at}.image`)] : []),
        ...(names.indexOf(String(name)) < others.length + index ? [duplicate(`${at}.name`, name)] : []),
        ...(target === '' || others.includes(String(target))
          ? []
          : [
              {
                reason: 'FieldValueNotFound',
                message: `Not found: ${JSON.stringify(target)}`,
                field: `${at}.targetContainerName`,
              },
            ]),
        ...notAllowed
          .filter((name) => container[name] !== undefined && !sameJson(container[name], {}))
          .map((name) => refused(`${at}.${name}`, 'cannot be set for an Ephemeral Container')),
      ];
    }),
    ...items(specOf(json(old))['ephemeralContainers']).flatMap((before) => {
      const same = now.find(({ name }) => name === before['name']);
      const named = `existing ephemeral containers ${JSON.stringify(before['name'])} may not be`;
      if (same === undefined) return [refused(field, `${named} removed\n`)];
      return sameJson(same, before) ? [] : [refused(field, `${named} changed\n`)];
    }),
  ];
}

/** Writes to `pods/ephemeralcontainers`. */
export const ephemeralRules: SubresourceRules = {
  update: (object, old) => withSpec(object, old, { ephemeralContainers: items(specOf(object)['ephemeralContainers']) }),
  validate: ephemeralCauses,
};
