import { configMaps } from '@ordinal/client';
import type { ConfigMap } from '@ordinal/client';
import { driftOf, execute, plan } from '@ordinal/lifecycle';
import type { Decision, ExecutionContext } from '@ordinal/lifecycle';
import type { Result } from '@ordinal/runtime';
import type { Website } from './website.ts';

export function decide({ metadata, spec }: Website, content: ConfigMap | undefined): Decision {
  const { namespace = '', name } = metadata;
  const data = { 'index.html': spec.page };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data } as const;
  const path = driftOf(content, object); // The first field that is not as wanted.
  if (path === undefined) return { actions: [] };
  const because = content ? `${path} differs` : 'it does not exist';
  return { actions: [{ kind: 'apply', descriptor: configMaps, object, because }] };
}

export async function act(decision: Decision, context: ExecutionContext): Promise<Result> {
  context.log.debug({ plan: plan(decision) }, 'decided');
  return execute(decision, context);
}
