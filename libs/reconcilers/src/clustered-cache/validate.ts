import type { ClusteredCache } from '@ordinal/api';
import { cacheContainer, durationFault, milliseconds } from '@ordinal/constructs';
import type { ValidationError } from '@ordinal/lifecycle';

type Spec = ClusteredCache['spec'];

interface Asked {
  readonly path: string;
  readonly check: {
    readonly http?: { readonly port?: number };
    readonly metric?: { readonly port?: number; readonly max: string | number };
    readonly exec?: { readonly container?: string };
    readonly timeout?: string;
  };
}

function checksOf({ upgrade }: Spec): Asked[] {
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

function invalidDuration(text: string | undefined, path: string): ValidationError[] {
  if (text === undefined) return [];
  const fault = durationFault(text) ?? (milliseconds(text) > 0 ? undefined : 'it must be longer than nothing');
  return fault === undefined ? [] : [{ path, message: fault }];
}

function errorsOfCheck({ path, check }: Asked, spec: Spec, containers: readonly string[]): ValidationError[] {
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

function errorsOfPod(cache: ClusteredCache): ValidationError[] {
  const overlay = cache.spec.podTemplate?.spec;
  const found: ValidationError[] = [];
  if (overlay?.restartPolicy !== undefined && overlay.restartPolicy !== 'Always') {
    found.push({ path: 'spec.podTemplate.spec.restartPolicy', message: 'members are restarted always' });
  }
  for (const [i, { name, image }] of (overlay?.containers ?? []).entries()) {
    const path = `spec.podTemplate.spec.containers[${i}]`;
    if (name === cacheContainer && image !== undefined)
      found.push({ path: `${path}.image`, message: 'the cache’s image is spec.image' });
    if (name !== cacheContainer && image === undefined)
      found.push({ path: `${path}.image`, message: `the container "${name}" needs an image` });
  }
  return found;
}

/** What is wrong with the order, the Jobs and the canaries of an upgrade. */
function errorsOfUpgrade({ upgrade, replicas }: Spec): ValidationError[] {
  const { beforeFirstPod, canary, order, role } = upgrade ?? {};
  const found: ValidationError[] = [
    ...invalidDuration(beforeFirstPod?.deadline, 'spec.upgrade.beforeFirstPod.deadline'),
    ...invalidDuration(canary?.analysis?.job?.deadline, 'spec.upgrade.canary.analysis.job.deadline'),
  ];
  const bake = canary && durationFault(canary.bake);
  if (bake !== undefined) found.push({ path: 'spec.upgrade.canary.bake', message: bake });
  if (canary && canary.replicas > replicas) {
    const message = `${canary.replicas} is more than the ${replicas} members of the cache`;
    found.push({ path: 'spec.upgrade.canary.replicas', message });
  }
  if (order === 'LeaderLast' && !role) {
    found.push({ path: 'spec.upgrade.role', message: 'order LeaderLast needs it, to tell who leads' });
  }
  return found;
}

/**
 * What is wrong with a cache beyond what its schema can say. `before` is the object as it was, for an update. Called by the validating webhook and by
 * the reconciler alike, so that an object that came past the webhook is treated in the same way.
 */
export function validateClusteredCache(cache: ClusteredCache, before?: ClusteredCache): readonly ValidationError[] {
  const { spec } = cache;
  const { progressDeadline, askAgain } = spec.upgrade ?? {};
  const found: ValidationError[] = [
    ...invalidDuration(progressDeadline, 'spec.upgrade.progressDeadline'),
    ...invalidDuration(askAgain?.max, 'spec.upgrade.askAgain.max'),
    ...invalidDuration(askAgain?.maxAfterFailure, 'spec.upgrade.askAgain.maxAfterFailure'),
    ...errorsOfUpgrade(spec),
  ];
  if (/\s/.test(spec.image)) found.push({ path: 'spec.image', message: 'an image has no white space' });
  if (before && JSON.stringify(before.spec.storage) !== JSON.stringify(spec.storage)) {
    found.push({
      path: 'spec.storage',
      message: 'storage can’t be changed after creation, because a StatefulSet’s claims can’t',
    });
  }
  found.push(...errorsOfPod(cache));
  const containers = [cacheContainer, ...(spec.podTemplate?.spec?.containers ?? []).map(({ name }) => name)];
  return [...found, ...checksOf(spec).flatMap((asked) => errorsOfCheck(asked, spec, containers))];
}
