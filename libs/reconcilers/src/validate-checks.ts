import { durationFault, milliseconds } from '@ordinal/constructs';
import type { ValidationError } from '@ordinal/lifecycle';

/** A check, as far as more can be wrong with it than its schema says. */
interface SpecCheck {
  readonly http?: { readonly port?: number };
  readonly metric?: { readonly port?: number; readonly max: string | number };
  readonly exec?: { readonly container?: string };
  readonly timeout?: string;
}

/** The fields of a spec that say how members are asked: the same in every kind that has them. */
interface SpecWithChecks {
  readonly port?: number;
  readonly upgrade?: {
    readonly gates?: readonly SpecCheck[];
    readonly handoff?: SpecCheck;
    readonly role?: SpecCheck;
    readonly sync?: SpecCheck;
    readonly canary?: { readonly analysis?: Pick<SpecCheck, 'http' | 'timeout'> };
    readonly askAgain?: { readonly max?: string; readonly maxAfterFailure?: string };
  };
}

/** One check, and where it stands. */
interface Asked {
  readonly path: string;
  readonly check: SpecCheck;
}

function checksOf({ upgrade }: SpecWithChecks): Asked[] {
  const gates = (upgrade?.gates ?? []).map((check, i) => ({ path: `spec.upgrade.gates[${i}]`, check }));
  const single = (['handoff', 'role', 'sync'] as const).flatMap((name) => {
    const check = upgrade?.[name];
    return check ? [{ path: `spec.upgrade.${name}`, check }] : [];
  });
  const { analysis } = upgrade?.canary ?? {};
  const { http, timeout } = analysis ?? {};
  const check = { ...(http && { http }), ...(timeout !== undefined && { timeout }) };
  const judged = analysis ? [{ path: 'spec.upgrade.canary.analysis', check }] : [];
  return [...gates, ...single, ...judged];
}

/** What is wrong with a duration, where there is one: it has to be longer than nothing. */
export function invalidDuration(text: string | undefined, path: string): ValidationError[] {
  if (text === undefined) return [];
  const fault = durationFault(text) ?? (milliseconds(text) > 0 ? undefined : 'it must be longer than 0s');
  return fault === undefined ? [] : [{ path, message: fault }];
}

function errorsOfCheck({ path, check }: Asked, spec: SpecWithChecks, containers: readonly string[]): ValidationError[] {
  const found: ValidationError[] = invalidDuration(check.timeout, `${path}.timeout`);
  for (const kind of ['http', 'metric'] as const) {
    const asked = check[kind];
    if (asked && asked.port === undefined && spec.port === undefined) {
      found.push({ path: `${path}.${kind}.port`, message: 'a port is needed, here or as spec.port' });
    }
  }
  if (check.metric && !Number.isFinite(Number(check.metric.max))) {
    found.push({ path: `${path}.metric.max`, message: `"${check.metric.max}" is not a number` });
  }
  const container = check.exec?.container;
  if (container !== undefined && !containers.includes(container)) {
    found.push({
      path: `${path}.exec.container`,
      message: `the pod has no container "${container}", only ${containers.join(', ')}`,
    });
  }
  return found;
}

/** What is wrong with the checks of a spec. `containers`: those of the members' pod. */
export function validateChecks(spec: SpecWithChecks, containers: readonly string[]): readonly ValidationError[] {
  const { max, maxAfterFailure } = spec.upgrade?.askAgain ?? {};
  return [
    ...invalidDuration(max, 'spec.upgrade.askAgain.max'),
    ...invalidDuration(maxAfterFailure, 'spec.upgrade.askAgain.maxAfterFailure'),
    ...checksOf(spec).flatMap((asked) => errorsOfCheck(asked, spec, containers)),
  ];
}
