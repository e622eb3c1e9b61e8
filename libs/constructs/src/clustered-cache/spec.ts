import type { JobSpec } from 'kubernetes-types/batch/v1.js';
import type { PodTemplateOverlay } from '../workload/index.ts';

/** An HTTP request to a member. */
export interface HttpCheck {
  readonly path: string;
  readonly port?: number;
  readonly scheme?: 'HTTP' | 'HTTPS';
  readonly method?: 'GET' | 'POST';
  readonly via?: 'PodIP' | 'Proxy';
}

/** A command in a member's container. */
export interface ExecCheck {
  readonly command: readonly string[];
  readonly container?: string;
}

/** A bound on one of a member's metrics. */
export interface MetricCheck {
  readonly path?: string;
  readonly port?: number;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly max: number | string;
}

/** One condition of a member's going down. */
export interface Gate {
  readonly name: string;
  readonly target?: 'Self' | 'Peers' | 'All';
  readonly http?: HttpCheck;
  readonly exec?: ExecCheck;
  readonly job?: { readonly template: JobSpec };
  readonly metric?: MetricCheck;
  readonly timeout?: string;
}

/** How members are replaced. */
export interface ClusteredCacheUpgrade {
  readonly gates?: readonly Gate[];
  readonly handoff?: { readonly http?: HttpCheck; readonly exec?: ExecCheck; readonly timeout?: string };
  readonly role?: {
    readonly leaderValue?: string;
    readonly http?: HttpCheck;
    readonly exec?: ExecCheck;
    readonly label?: string;
    readonly timeout?: string;
  };
  readonly sync?: {
    readonly http?: HttpCheck;
    readonly exec?: ExecCheck;
    readonly metric?: MetricCheck;
    readonly timeout?: string;
  };
  readonly order?: 'ReverseOrdinal' | 'LeaderLast';
  readonly progressDeadline?: string;
  readonly onFailure?: 'Stop' | 'Rollback';
  readonly paused?: boolean;
}

/** What a ClusteredCache asks for. */
export interface ClusteredCacheSpec {
  readonly replicas: number;
  readonly image: string;
  readonly port?: number;
  readonly storage?: { readonly size: string | number; readonly className?: string; readonly mountPath?: string };
  readonly podDisruptionBudget?: { readonly enabled?: boolean; readonly maxUnavailable?: string | number };
  readonly upgrade?: ClusteredCacheUpgrade;
  readonly podTemplate?: PodTemplateOverlay;
}
