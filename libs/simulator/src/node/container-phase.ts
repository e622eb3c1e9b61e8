import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { ContainerState } from 'kubernetes-types/core/v1.js';
import type { SimulatedProcess } from './process.ts';

/** What a container does now. */
export type Phase =
  | { readonly name: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly name: 'running'; readonly process: SimulatedProcess }
  | EndedPhase;

/** A run that has ended. */
export interface EndedPhase {
  readonly name: 'ended';
  readonly exitCode: number;
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly containerId: string;
  readonly message?: string | undefined;
  /** Where it is not what the exit code says. */
  readonly reason?: string | undefined;
}

/** A phase as the pod's status shows it. */
export function stateOf(phase: Phase): ContainerState {
  switch (phase.name) {
    case 'waiting':
      return { waiting: { reason: phase.reason, ...(phase.message !== undefined && { message: phase.message }) } };
    case 'running':
      return { running: { startedAt: timestamp(phase.process.startedAt) } };
    case 'ended': {
      const { exitCode, startedAt, finishedAt, containerId: containerID, message } = phase;
      const { reason = exitCode === 0 ? 'Completed' : 'Error' } = phase;
      const times = { startedAt: timestamp(startedAt), finishedAt: timestamp(finishedAt) };
      return { terminated: { exitCode, reason, ...(message !== undefined && { message }), ...times, containerID } };
    }
  }
}
