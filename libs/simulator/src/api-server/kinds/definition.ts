import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { required, wrong } from './causes.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf } from './spec.ts';

function definitionCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const names = part(spec, 'names');
  const expected = `${String(names['plural'])}.${String(spec['group'])}`;
  const versions = items(spec['versions']);
  const stored = versions.filter((version) => version['storage'] === true);
  return [
    ...(metadataOf(object)['name'] === expected
      ? []
      : [wrong('metadata.name', metadataOf(object)['name'], 'must be spec.names.plural+"."+spec.group')]),
    ...(stored.length === 1
      ? []
      : [wrong('spec.versions', versions, 'must have exactly one version marked as storage version')]),
    ...versions.flatMap((version, index) =>
      part(version, 'schema')['openAPIV3Schema'] === undefined
        ? [required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required')]
        : [],
    ),
  ];
}

/** The conditions of a definition that was accepted at once: the simulation has no naming conflicts. */
export function acceptedStatus(object: JsonObject, now: string): JsonObject {
  const spec = specOf(object);
  return {
    ...part(object, 'status'),
    conditions: [
      {
        lastTransitionTime: now,
        message: 'no conflicts found',
        reason: 'NoConflicts',
        status: 'True',
        type: 'NamesAccepted',
      },
      {
        lastTransitionTime: now,
        message: 'the initial names have been accepted',
        reason: 'InitialNamesAccepted',
        status: 'True',
        type: 'Established',
      },
    ],
    acceptedNames: spec['names'],
    storedVersions:
      part(object, 'status')['storedVersions'] ??
      items(spec['versions'])
        .filter((version) => version['storage'] === true)
        .map((version) => version['name']),
  };
}

/** What is particular to definitions of custom kinds. */
export const definitionRules: KindRules = { generation: true, nameRule: subdomain, validate: definitionCauses };
