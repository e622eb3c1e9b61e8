import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { annotations } from '../annotations.ts';
import type { Decide, Intent, Refusal } from './intent.ts';
import { annotate, annotationOf, misuse, refuse } from './intent.ts';

const nameFor = (now: Instant): string =>
  `manual-${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase()}z`;

/** Makes a backup, by a name. */
export const backup: Decide<{ readonly name?: string | undefined }> = ({ resource, options, now }) => {
  if (resource.kind !== 'KVStoreCluster')
    return refuse(`only a KVStoreCluster has backups, and not a ${resource.kind}`);
  const { backup: spec } = resource.spec;
  if (spec === undefined) return refuse('spec.backup says no Job that makes backups');
  if (resource.metadata.deletionTimestamp !== undefined)
    return refuse('it is being deleted: it makes its final backup only');
  if (annotationOf(resource, annotations.paused) === 'true') return refuse('it is paused: resume it first');
  const name = options.name ?? nameFor(now);
  if (annotationOf(resource, annotations.backup) === name)
    return refuse(`the backup ${name} is asked for already: give another --name`);
  return {
    does: `makes the backup ${name}, by the Job of spec.backup`,
    patch: annotate({ [annotations.backup]: name }),
  };
};

/** How a backup is restored. */
export interface RestoreOptions {
  /** A drill: into a scratch cluster, which is looked at and deleted. */
  readonly drill?: boolean;
  /** The name of a new cluster. */
  readonly to?: string | undefined;
  /** The backup; the newest that succeeded by default. */
  readonly backup?: string | undefined;
  /** Lets `spec.restoreFrom` write over volumes that hold data. */
  readonly over?: boolean;
  /** Of a drill. */
  readonly name?: string | undefined;
}

function drill(store: KVStoreCluster, { name: given, backup: chosen }: RestoreOptions, now: Instant): Intent | Refusal {
  if (chosen !== undefined) return misuse('a drill restores the newest backup: --backup goes with --to');
  if (store.spec.backup?.drill === undefined) return refuse('spec.backup.drill says no check: there are no drills');
  if (!(store.status?.backups ?? []).some(({ result }) => result === 'Succeeded'))
    return refuse('no backup has succeeded yet');
  const name = given ?? nameFor(now);
  if (annotationOf(store, annotations.restoreDrill) === name)
    return refuse(`the drill ${name} is asked for already: give another --name`);
  return {
    does: `restores the newest backup into a scratch cluster, has it checked (spec.backup.drill), and deletes it: the drill ${name}`,
    patch: annotate({ [annotations.restoreDrill]: name }),
  };
}

function over(store: KVStoreCluster): Intent | Refusal {
  const isAsked = (store.status?.conditions ?? []).some(({ message }) => message.includes(annotations.restoreOver));
  if (!isAsked) return refuse('no restore waits for the permission to write over volumes');
  return {
    does: `restores over the volumes that are there: what they hold is lost`,
    patch: annotate({ [annotations.restoreOver]: store.metadata.uid }),
  };
}

function into(store: KVStoreCluster, to: string, chosen: string | undefined): Intent | Refusal {
  const { restoreFrom, backup: own, ...spec } = store.spec;
  const job = own?.drill?.restore ?? restoreFrom?.job;
  if (job === undefined)
    return refuse(
      'there is no Job that restores: give spec.backup.drill.restore, or create the cluster with its own restoreFrom',
    );
  const succeeded = (store.status?.backups ?? []).filter(({ result }) => result === 'Succeeded');
  const found = chosen === undefined ? succeeded[0] : succeeded.find(({ name }) => name === chosen);
  if (found === undefined) {
    const known = succeeded
      .slice(0, 5)
      .map(({ name }) => name)
      .join(', ');
    return refuse(
      chosen === undefined
        ? 'no backup has succeeded yet'
        : `there is no backup ${chosen} that succeeded; there are ${known === '' ? 'none' : known}`,
    );
  }
  const { name: from, location } = found;
  // The former cluster's schedule would make the same backups twice, and its retention prune them.
  const { schedule: _s, retention: _r, prune: _p, ...kept } = own ?? {};
  return {
    does: `creates the KVStoreCluster ${to}, as ${store.metadata.name} is, from the backup ${from}; without its schedule and retention of backups`,
    creates: {
      name: to,
      spec: {
        ...spec,
        ...(own && { backup: kept }),
        restoreFrom: { backup: from, ...(location === undefined ? {} : { location }), job },
      },
    },
  };
}

/** Restores a backup: as a drill, into a new cluster, or over volumes. */
export const restore: Decide<RestoreOptions> = ({ resource, options, now }) => {
  if (resource.kind !== 'KVStoreCluster')
    return refuse(`only a KVStoreCluster has backups, and not a ${resource.kind}`);
  const { to, drill: asDrill = false, over: isOver = false } = options;
  if ([to !== undefined, asDrill, isOver].filter(Boolean).length !== 1)
    return misuse('say how: --to NEW for a new cluster, --drill to try it, or --over to write over volumes');
  if (to !== undefined) return into(resource, to, options.backup);
  return asDrill ? drill(resource, options, now) : over(resource);
};
