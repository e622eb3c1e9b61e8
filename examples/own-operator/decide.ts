// What to do for a Website: a pure function of what was observed and the time. Nothing here reads or writes anything.
import { configMaps, conditionOf, deployments, withFindings } from '@ordinal/client';
import type { ConfigMap, Deployment, Finding, Instant, KubernetesObject } from '@ordinal/client';
import type { KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { driftOf, endHold, lifeOf, nothing, takeHold } from '@ordinal/lifecycle';
import type { Apply, Decision, Hold } from '@ordinal/lifecycle';
import { withController } from '@ordinal/runtime';
import { websites } from './website.ts';
import type { Website } from './website.ts';
import type { DnsRecord, ZoneCall } from './zone.ts';

/** All that is decided from. */
export interface Observation {
  readonly site: Website;
  readonly content: ConfigMap | undefined;
  readonly server: Deployment | undefined;
  readonly record: DnsRecord | undefined;
}

const because = 'its DNS record is deleted before it goes';
const hold: Hold = { descriptor: websites, finalizer: 'example.com/dns-record', because };
const target = 'ingress.example.com';

/** Decides the next step for a Website. Pure. */
export function decide(seen: Observation, now: Instant): Decision<ZoneCall> {
  const { site, record } = seen;
  const { host } = site.spec;
  switch (lifeOf(site, hold)) {
    case 'new':
      return { actions: takeHold(site, hold) };
    case 'living': {
      const put = {
        kind: 'call',
        call: { verb: 'put', record: { host, target } },
        because: 'the record is missing or another one',
      } as const;
      const actions = [...childrenToApply(seen), ...(record?.target === target ? [] : [put])];
      return { actions, ...report(seen, readyOf(seen), now), lookAgainAt: now + 30_000 };
    }
    case 'leaving': {
      if (!record) return { actions: [endHold(site, hold, `${host} has no DNS record any more`)] };
      const remove = { kind: 'call', call: { verb: 'delete', host }, because: 'the Website is deleted' } as const;
      const waiting = {
        type: 'Ready',
        status: 'False',
        reason: 'Deleting',
        message: `${host} has a DNS record`,
      } as const;
      return { actions: [remove], ...report(seen, waiting, now), lookAgainAt: now + 1000 };
    }
    case 'released':
      return nothing;
  }
}

/** The children that are not as they should be. */
function childrenToApply({ site, content, server }: Observation): readonly Apply[] {
  const { name, namespace = '' } = site.metadata;
  const { page, replicas = 1 } = site.spec;
  const labels = { 'example.com/website': name };
  const metadata = { name, namespace, labels };
  const owner = { descriptor: websites, object: site };

  const data = { 'index.html': page };
  const volumes = [{ name: 'page', configMap: { name } }];
  const volumeMounts = [{ name: 'page', mountPath: '/usr/share/nginx/html' }];
  const containers = [{ name: 'web', image: 'nginx:stable', volumeMounts }];
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers, volumes } },
  };
  return [
    ...changed(content, configMaps, withController({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, owner)),
    ...changed(
      server,
      deployments,
      withController({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }, owner),
    ),
  ];
}

function changed(
  observed: KubernetesObject | undefined,
  descriptor: ResourceDescriptor,
  object: KubernetesObjectInput,
): readonly Apply[] {
  const path = driftOf(observed, object);
  if (path === undefined) return [];
  return [{ kind: 'apply', descriptor, object, because: observed ? `${path} differs` : 'it does not exist' }];
}

function readyOf({ site, server }: Observation): Finding {
  const [ready, wanted] = [server?.status?.readyReplicas ?? 0, site.spec.replicas ?? 1];
  const message = `${ready} of ${wanted} ready`;
  return ready >= wanted
    ? { type: 'Ready', status: 'True', reason: 'Serving', message }
    : { type: 'Ready', status: 'False', reason: 'Starting', message };
}

/** The status, and an event where the condition's reason is another one than before. */
function report(
  { site, server }: Observation,
  ready: Finding,
  now: Instant,
): Pick<Required<Decision>, 'status' | 'events'> {
  const before = site.status?.conditions;
  const conditions = withFindings(before, [ready], { now, generation: site.metadata.generation });
  const status = { readyReplicas: server?.status?.readyReplicas ?? 0, conditions };
  const isNew = conditionOf(before, 'Ready')?.reason !== ready.reason;
  return {
    status: { descriptor: websites, object: site, status },
    events: isNew ? [{ type: 'Normal', reason: ready.reason, note: ready.message }] : [],
  };
}
