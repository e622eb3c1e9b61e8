import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { Invariant } from '@ordinal/explorer';
import { noOlderVersion } from '../oracles/no-older-version.ts';

const kind = 'monitoredstatefulsets.statefulsets.example.com';

/** The invariants of every history of a MonitoredStatefulSet that go by changes and requests alone. */
export const setInvariants: readonly Invariant[] = [
  noOlderVersion(
    kind,
    (object) => {
      const { metadata, spec, status } = object as MonitoredStatefulSet; // Of this kind.
      return {
        metadata,
        image: spec.statefulSetSpec.template.spec?.containers[0]?.image ?? '',
        goesBackTo: status?.failedRevision === undefined ? undefined : status.currentVersion,
      };
    },
    ({ objects }, namespace, name) => objects.find(monitoredStatefulSets, namespace, name),
  ),
];
