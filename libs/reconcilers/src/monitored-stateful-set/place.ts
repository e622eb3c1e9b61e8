import type { MonitoredStatefulSetStatusRegistrations } from '@ordinal/api';
import type { LookupResult, ExternalError } from '@ordinal/lifecycle';
import type { UsedCredentials } from './credentials.ts';
import type { MonitorSystem, MonitorView } from './monitor.ts';

/** A monitor that holds, or may hold, or should hold an entry for the set. */
export interface Place {
  readonly endpoint: string;
  /** What the status says of it. */
  readonly record: MonitoredStatefulSetStatusRegistrations | undefined;
  readonly system: MonitorSystem | ExternalError;
  /** What it was asked with. */
  readonly credentials: UsedCredentials | undefined;
  readonly lookup: LookupResult<MonitorView>;
}
