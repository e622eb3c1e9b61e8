import { randomBytes } from 'node:crypto';

import {
  clusteredCacheController,
  cloudDatabaseControllers,
  kvStoreClusterController,
  monitoredStatefulSetControllers,
} from '@ordinal/reconcilers';
import type { DatabaseProviders, Monitors } from '@ordinal/reconcilers';
import type { CleanupMetrics, Probes, Seals } from '@ordinal/lifecycle';
import type { ControllerDefinition } from '@ordinal/runtime';
import type { Kind } from './configuration/settings.ts';

/** What the controllers reach the world with. */
export interface ControllerParts {
  readonly probes: Probes;
  readonly seals: Seals;
  readonly monitors: Monitors;
  readonly providers: DatabaseProviders;
  readonly cleanup?: CleanupMetrics;
  readonly concurrency: number;
}

/** The controllers of the kinds. */
export function controllersFor(kinds: readonly Kind[], parts: ControllerParts): readonly ControllerDefinition[] {
  const { probes, seals, monitors, providers, cleanup, concurrency } = parts;
  const controller = { concurrency };
  const metrics = cleanup ? { metrics: cleanup } : {};
  const byKind: Readonly<Record<Kind, () => readonly ControllerDefinition[]>> = {
    ClusteredCache: () => [clusteredCacheController({ probes, seals, controller })],
    KVStoreCluster: () => [kvStoreClusterController({ probes, seals, controller, ...metrics })],
    MonitoredStatefulSet: () => monitoredStatefulSetControllers({ monitors, seals, controller, ...metrics }),
    CloudDatabase: () => cloudDatabaseControllers({ providers, seals, newPassword, controller, ...metrics }),
  };
  return kinds.flatMap((kind) => byKind[kind]());
}

/** A password that can't be guessed, in characters that need no quoting: 192 bits. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** What controllers declare does not depend on what they reach the world with: definitions to derive permissions from. */
export function declaredControllers(kinds: readonly Kind[]): readonly ControllerDefinition[] {
  const unreachable = (): never => {
    throw new TypeError('these definitions are read, not run');
  };
  return controllersFor(kinds, {
    probes: { http: unreachable, exec: unreachable },
    monitors: new Proxy({} as Monitors, { get: unreachable }),
    providers: { resolve: unreachable },
    seals: { keys: () => [] },
    concurrency: 1,
  });
}
