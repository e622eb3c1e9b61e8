/**
 * Writes into our CRDs what they take from elsewhere. These are the fields that kinds share, from `libs/api/fragments`, and the real schemas of built-in Kubernetes types. `npm run codegen` does it first.
 *
 *   node tools/workspace/embed-schemas.ts                     every file in libs/api/crds, in place
 *   node tools/workspace/embed-schemas.ts --check             exit 1 and name the files that would change; write nothing
 *   node tools/workspace/embed-schemas.ts --store VERSION OPENAPI.json…
 *                                                             read an API server's documents (kubectl get --raw /openapi/v3/apis/apps/v1) and
 *                                                             keep what we embed in embed-schemas/kubernetes.json
 *
 * A subtree is marked by a comment, at the indentation of the schema's own keys. Descriptions and CEL rules of that level are written by hand above
 * the marker or below its end:
 *
 *   statefulSetSpec:
 *     description: The StatefulSet to run, whole.
 *     # embedded: io.k8s.api.apps.v1.StatefulSetSpec
 *     …                                             ← written by this script
 *     # embedded ends here
 *
 * The fields of a fragment are marked by `# shared: NAME` likewise. The lines of the comment below it have the kind's own words: what `port:` says there stands in the place of `<port>`.
 *
 * `# embedded: io.k8s.api.core.v1.PodTemplateSpec overlay` embeds a variant in which nothing is required, for a pod that is merged over another. Stored
 * are StatefulSetSpec, PodTemplateSpec, JobSpec and all types inside them; another one is a line in `roots` and a `--store`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { embedInCrds, storedSchemas } from './embed-schemas/crds.ts';
import { excerpt } from './embed-schemas/published.ts';
import type { PublishedSchemas } from './embed-schemas/published.ts';
import { readFlags } from '../flags/flags.ts';

const usage = 'node tools/workspace/embed-schemas.ts [--check | --store VERSION OPENAPI.json…]';

const roots = [
  'io.k8s.api.apps.v1.StatefulSetSpec',
  'io.k8s.api.core.v1.PodTemplateSpec',
  'io.k8s.api.batch.v1.JobSpec',
];

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

function storeSchemas(version: string, paths: readonly string[]): void {
  const documents = paths.map((path) => readJson<Parameters<typeof excerpt>[0][number]>(path));
  const published: PublishedSchemas = {
    source: {
      version,
      documents: ['/openapi/v3/apis/apps/v1', '/openapi/v3/apis/batch/v1'],
      licence: 'Apache-2.0, The Kubernetes Authors; descriptions cut to their first sentence',
    },
    schemas: excerpt(documents, roots),
  };
  writeFileSync(storedSchemas, `${JSON.stringify(published, null, 1)}\n`);
}

function main(): number {
  const { values, positionals: documents } = readFlags(usage, {
    allowPositionals: true,
    options: { check: { type: 'boolean', default: false }, store: { type: 'string' } },
  });
  const { check, store: version } = values;
  if (version === undefined ? documents.length > 0 : check || documents.length === 0) {
    console.error(`usage: ${usage}`);
    return 2;
  }
  if (version !== undefined) {
    storeSchemas(version, documents);
    return 0;
  }
  const changed = embedInCrds({ check });
  if (!check || changed.length === 0) return 0;
  console.error(`embedded schemas are out of date in ${changed.join(', ')}: run node tools/workspace/embed-schemas.ts`);
  return 1;
}

try {
  process.exitCode = main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
