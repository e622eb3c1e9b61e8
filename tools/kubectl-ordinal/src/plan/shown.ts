import type { Plan } from './plan.ts';
import type { PlannedWrite } from './pretend.ts';

const hidden = '[hidden]';

/** A path of Secrets, or of one. */
const ofSecrets = /^\/api\/v1\/namespaces\/[^/]+\/secrets(\/|$)/;

/** Each value of a map as one word; what is no map stays. */
const withoutValues = (map: unknown): unknown =>
  typeof map === 'object' && map !== null ? Object.fromEntries(Object.keys(map).map((key) => [key, hidden])) : map;

function withoutSecretValues(write: PlannedWrite): PlannedWrite {
  const { path, body } = write;
  if (!ofSecrets.test(path) || typeof body !== 'object' || body === null) return write;
  const entries = Object.entries(body).map(([name, value]): [string, unknown] => [
    name,
    name === 'data' || name === 'stringData' ? withoutValues(value) : value,
  ]);
  return { ...write, body: Object.fromEntries(entries) };
}

/** A plan as it is printed: without the values of Secrets that it would write, as `kubectl diff` leaves them out. Pure. */
export const shownPlan = (plan: Plan): Plan => ({ ...plan, writes: plan.writes.map(withoutSecretValues) });
