import type { MonitoredStatefulSet, MonitoredStatefulSetStatus } from '@ordinal/api';
import type { Announcement } from '@ordinal/lifecycle';
import { degradedEvents } from './conditions.ts';

/**
 * The events of a set whose status changes, by a decision or by the end of a call: what is wrong, for as long as it is; and at the monitor of the spec, that it
 * is registered, or that its entry had vanished.
 */
export function eventsOfStatus(set: MonitoredStatefulSet, after: MonitoredStatefulSetStatus): Announcement[] {
  return [...registrationEvents(set, after), ...degradedEvents(set.status?.conditions, after.conditions)];
}

function registrationEvents({ spec, status }: MonitoredStatefulSet, after: MonitoredStatefulSetStatus): Announcement[] {
  const here = (one: MonitoredStatefulSetStatus | undefined) =>
    one?.registrations?.find(({ endpoint }) => endpoint === spec.monitorEndpoint);
  const [was, is] = [here(status), here(after)];
  if (is === undefined) return [];
  if (was !== undefined && is.incarnation > was.incarnation) {
    const note = `the registration ${was.id ?? ''} at ${is.endpoint} had vanished`;
    return [{ type: 'Warning', reason: 'Reregistered', note }];
  }
  if (is.id === undefined || was?.id !== undefined) return [];
  return [{ type: 'Normal', reason: 'RegistrationSuccessful', note: `registered at ${is.endpoint} as ${is.id}` }];
}
