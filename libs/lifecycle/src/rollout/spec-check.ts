import type { JobInput } from '@ordinal/client';

/** What a check of a spec says, whatever it is for. */
export interface SpecCheck {
  readonly http?: {
    readonly path: string;
    readonly port?: number;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly method?: 'GET' | 'POST';
    readonly via?: 'PodIP' | 'Proxy';
  };
  readonly exec?: { readonly command: readonly string[]; readonly container?: string };
  readonly metric?: {
    readonly path: string;
    readonly port?: number;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly via?: 'PodIP' | 'Proxy';
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly max: string | number;
  };
  /** Such as `10s`. */
  readonly timeout?: string;
}

/** A gate as a spec has it: a check of members, or a Job. */
export interface SpecGate extends SpecCheck {
  readonly name: string;
  readonly target: 'Self' | 'Peers' | 'All';
  /** The whole spec of a Job. */
  readonly job?: { readonly template: NonNullable<JobInput['spec']> };
}
