import type { Clock } from '@ordinal/client';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { CacheState, Manager } from '../manager/manager.ts';

/** What is read from a manager whenever metrics are collected: how fresh and how large its caches are, and how long work has been going on. */
export function observeManager(
  registry: Registry,
  manager: Pick<Manager, 'caches' | 'load' | 'readiness'>,
  clock: Clock,
): void {
  const perKind = (
    name: string,
    help: string,
    read: (cache: CacheState, all: readonly CacheState[]) => number,
  ): void => {
    const gauge = new Gauge<'kind'>({
      name,
      help,
      labelNames: ['kind'],
      registers: [registry],
      collect: () => {
        const caches = manager.caches();
        gauge.reset();
        for (const cache of caches) gauge.set({ kind: cache.kind }, read(cache, caches));
      },
    });
  };
  perKind('ordinal_cache_objects', 'Objects in the cache', ({ objects }) => objects);
  perKind('ordinal_cache_bytes', 'About how large the cached objects are as JSON', ({ bytes }) => bytes);
  perKind('ordinal_cache_withheld_objects', 'Objects too large to be kept', ({ withheld }) => withheld);
  perKind('ordinal_cache_synced', 'Whether the first list has come in', ({ synced }) => (synced ? 1 : 0));
  perKind(
    'ordinal_cache_silence_seconds',
    'Time since the last event or bookmark',
    ({ lastSign }) => (clock.now() - lastSign) / 1000,
  );
  perKind('ordinal_cache_revision_lag', 'Revisions behind the most recent one of any cache', revisionLag);
  const perController = (name: string, help: string, read: (runningMs: readonly number[]) => number): void => {
    const gauge = new Gauge<'name'>({
      name,
      help,
      labelNames: ['name'],
      registers: [registry],
      collect: () => {
        for (const [controller, { runningMs }] of Object.entries(manager.load()))
          gauge.set({ name: controller }, read(runningMs) / 1000);
      },
    });
  };
  perController('workqueue_unfinished_work_seconds', 'How long all present work has been going on', (all) =>
    all.reduce((sum, ms) => sum + ms, 0),
  );
  perController('workqueue_longest_running_processor_seconds', 'How long the longest of it has been going on', (all) =>
    Math.max(0, ...all),
  );
  const failures = new Gauge<'kind' | 'verb' | 'code'>({
    name: 'ordinal_watch_trouble',
    help: 'Watches that are stale, failing or forbidden',
    labelNames: ['kind', 'verb', 'code'],
    registers: [registry],
    collect: () => {
      failures.reset();
      for (const { kind, verb, code } of manager.readiness().problems) failures.set({ kind, verb, code }, 1);
    },
  });
}

/** Revisions of all kinds come from one count, unless a kind has a store of its own. */
function revisionLag({ revision }: CacheState, all: readonly CacheState[]): number {
  if (revision === undefined) return 0;
  const newest = all.map((cache) => numberOf(cache.revision)).reduce((max, one) => (one > max ? one : max), 0n);
  return Number(newest - numberOf(revision));
}

function numberOf(revision: string | undefined): bigint {
  return revision !== undefined && /^[0-9]+$/.test(revision) ? BigInt(revision) : 0n;
}
