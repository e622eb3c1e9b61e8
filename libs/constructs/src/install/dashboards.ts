import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import dashboards from './generated/dashboards.json' with { type: 'json' };
import { operatorLabels, type Installation } from './options.ts';

/** The Grafana dashboards, each in a ConfigMap that Grafana's sidecar finds by its label. */
export function showDashboards(scope: Construct, { name, namespace }: Installation): void {
  const labels = { ...operatorLabels({ name }), grafana_dashboard: '1' };
  for (const [about, dashboard] of Object.entries(dashboards))
    new ApiObject(scope, `dashboard-${about}`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-dashboard-${about}`, namespace, labels },
      data: { [`ordinal-${about}.json`]: JSON.stringify(dashboard) },
    });
}
