import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { version } from '../../version.ts';
import { templates } from './templates.ts';
import { valuesSchemaJson, valuesYaml } from './values.ts';

/** What the chart is called, and the folder in its archive. */
export const chartName = 'ordinal-operator';

/** The Helm chart of the operator, file by file, from the same constructs as the manifest. */
export function chartFiles(): Readonly<Record<string, string>> {
  return {
    'Chart.yaml': stringify({
      apiVersion: 'v2',
      name: chartName,
      description: 'An operator that keeps stateful services alive through upgrades and deletions.',
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: '>=1.30.0-0',
      keywords: ['operator', 'statefulset', 'upgrade', 'backup'],
    }),
    'values.yaml': valuesYaml(),
    'values.schema.json': valuesSchemaJson(),
    'templates/NOTES.txt': readFileSync(join(import.meta.dirname, 'NOTES.txt'), 'utf8'),
    ...templates(),
  };
}
