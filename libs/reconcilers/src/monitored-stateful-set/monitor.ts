import type { ExternalSystem, ExternalView } from '@ordinal/lifecycle';

/** What a monitoring service needs to know of a service. */
export interface MonitorRequest {
  readonly serviceName: string;
  readonly namespace: string;
  /** Whether its alerts are to be silent. Kept by services that offer it, and never sent to others. */
  readonly muted: boolean;
}

/** An entry as the monitoring service shows it. */
export interface MonitorView extends ExternalView {
  /** Undefined where the service does not offer muting. */
  readonly muted?: boolean | undefined;
}

/** One monitoring service. */
export type MonitorSystem = ExternalSystem<MonitorRequest, MonitorView>;

/** Gives the monitoring services. The operator builds it from its HTTP adapter. */
export interface Monitors {
  /**
   * The service at an endpoint, called with a bearer token where there is one.
   *
   * @throws ExternalError with code `EndpointRefused` where the operator may not call there.
   */
  at(endpoint: string, token: string | undefined): MonitorSystem;
}
