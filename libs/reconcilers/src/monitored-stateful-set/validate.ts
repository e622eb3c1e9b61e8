import type { MonitoredStatefulSet, MonitoredStatefulSetSpec } from '@ordinal/api';
import type { ValidationError } from '@ordinal/lifecycle';
import { validateUpgrade } from '../upgrade/validate.ts';
import { validateChecks } from '../validate-checks.ts';
import { checksOf } from './member-checks.ts';
import { unmetBy } from './selector.ts';

type Workload = MonitoredStatefulSetSpec['statefulSetSpec'];

/**
 * What is wrong with a MonitoredStatefulSet's spec beyond what its schema says. The webhook and the reconciler ask the same function, so that an object that came
 * in while the webhook was down is not acted upon (seed 004).
 */
export function validateMonitoredStatefulSet({ spec }: Pick<MonitoredStatefulSet, 'spec'>): readonly ValidationError[] {
  const { upgrade, statefulSetSpec } = spec;
  const { port } = checksOf({ spec });
  const checked = { ...(upgrade && { upgrade }), ...(port === undefined ? {} : { port }) };
  const containers = (statefulSetSpec.template.spec?.containers ?? []).map(({ name }) => name);
  return [
    ...errorsOfEndpoint(spec.monitorEndpoint),
    ...errorsOfWorkload(statefulSetSpec),
    ...(upgrade ? errorsOfOrdinals(statefulSetSpec) : []),
    ...validateUpgrade(upgrade, statefulSetSpec.replicas ?? 1),
    ...validateChecks(checked, containers),
  ];
}

function errorsOfEndpoint(endpoint: string): readonly ValidationError[] {
  const error = (message: string): ValidationError[] => [{ path: 'spec.monitorEndpoint', message }];
  if (!URL.canParse(endpoint)) return error(`${endpoint} is not a URL`);
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '')
    return error(
      'credentials do not belong into the URL: put a token into a Secret, and name it in credentialsSecretRef',
    );
  // Registrations are made below the path; what comes after it would be lost.
  return url.search === '' && url.hash === '' ? [] : error('it must end with its path, without ? and #');
}

/** The operator counts members from 0. */
function errorsOfOrdinals({ ordinals }: Workload): readonly ValidationError[] {
  const message = 'with spec.upgrade members are counted from 0';
  return (ordinals?.start ?? 0) > 0 ? [{ path: 'spec.statefulSetSpec.ordinals.start', message }] : [];
}

/** What the API server would refuse of the StatefulSet forever. */
function errorsOfWorkload({ selector, template, replicas = 1 }: Workload): readonly ValidationError[] {
  const errors: ValidationError[] = [];
  const refuse = (field: string, message: string): void =>
    void errors.push({ path: `spec.statefulSetSpec.${field}`, message });
  if (replicas < 0) refuse('replicas', `${replicas} is less than 0`);
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0)
    refuse('selector', 'it selects everything: give it the labels of the template');
  const unmet = unmetBy(template.metadata?.labels ?? {}, selector);
  if (unmet !== undefined) refuse('template.metadata.labels', `the selector asks for ${unmet}, which the pods lack`);
  const restartPolicy = template.spec?.restartPolicy ?? 'Always';
  if (restartPolicy !== 'Always')
    refuse('template.spec.restartPolicy', `a StatefulSet has Always, not ${restartPolicy}`);
  return errors;
}
