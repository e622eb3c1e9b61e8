import type { ClusteredCacheSpec, ClusteredCacheStatus } from '@ordinal/api';
import type { KubernetesObject } from '@ordinal/client';

/** What the spec says about upgrades: the same in every kind whose pods the operator takes down itself. */
export type UpgradeSpec = NonNullable<ClusteredCacheSpec['upgrade']>;

/** Where an upgrade stands, in the status. */
export type UpgradeStatus = Omit<NonNullable<ClusteredCacheStatus['upgrade']>, 'held'>;

/** What of a status speaks of upgrades. */
export type UpgradeFields = Pick<
  ClusteredCacheStatus,
  | 'currentVersion'
  | 'currentRevision'
  | 'targetVersion'
  | 'failedRevision'
  | 'failure'
  | 'hooks'
  | 'handedOff'
  | 'catchingUp'
  | 'shrinkingFrom'
  | 'step'
> & { readonly upgrade?: UpgradeStatus };

/** An object whose pods are upgraded by the operator, which deletes them (`OnDelete`). */
export interface Upgradable extends Pick<KubernetesObject, 'metadata'> {
  readonly spec: { readonly upgrade?: UpgradeSpec };
  readonly status?: UpgradeFields &
    Pick<ClusteredCacheStatus, 'conditions' | 'retryToken' | 'observedGeneration' | 'exposed'>;
}

/** What an upgrade leads to, as far as its progress is measured by it. */
export interface Goal {
  /** The hash of the template that members should run. */
  readonly revision: string;
  /** What that template is called for people: its image. */
  readonly image: string;
  /** The hash of what the spec asks for; another one during a rollback. */
  readonly specRevision: string;
  /** An upgrade to what the spec asks for has failed, and nothing has changed since. */
  readonly failed: boolean;
  /** The template is the one that ran before. */
  readonly rollingBack: boolean;
}
