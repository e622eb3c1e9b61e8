/** Where a schema was written by `embed-schemas.ts`: the key that stands in its place here, with the type's name. */
export const embeddedKey = 'x-embedded';

/**
 * The text of a CRD with each embedded Kubernetes schema replaced by the name of its type. The descriptions and rules that are written by hand beside a
 * marker stay, each on its line.
 */
export function withoutEmbedded(text: string): string {
  const kept: string[] = [];
  let inside = false;
  for (const line of text.split('\n')) {
    const marker = /^(\s*)# embedded: (.+)$/.exec(line);
    if (marker) {
      inside = true;
      kept.push(`${marker[1] ?? ''}${embeddedKey}: ${marker[2] ?? ''}`);
    } else {
      kept.push(inside ? '' : line);
      if (/^\s*# embedded ends here$/.test(line)) inside = false;
    }
  }
  return kept.join('\n');
}

const groups: Readonly<Record<string, { readonly page: string; readonly version: string }>> = {
  'io.k8s.api.core.v1.PodTemplateSpec': { page: 'workload-resources/pod-template-v1', version: 'v1' },
  'io.k8s.api.apps.v1.StatefulSetSpec': { page: 'workload-resources/stateful-set-v1', version: 'apps/v1' },
  'io.k8s.api.batch.v1.JobSpec': { page: 'workload-resources/job-v1', version: 'batch/v1' },
};

/** A link to the Kubernetes documentation of an embedded type. Throws where the type is not known here. */
export function embeddedLink(marker: string): string {
  const [name = '', variant] = marker.split(' ');
  const known = groups[name];
  if (!known)
    throw new Error(`crd-reference: no documentation is known of ${name}; add it to crd-reference/embedded.ts`);
  const short = name.split('.').at(-1) ?? name;
  const id = short === 'PodTemplateSpec' ? '' : `#${short}`;
  const link = `[${known.version} ${short}](https://kubernetes.io/docs/reference/kubernetes-api/${known.page}/${id})`;
  return variant === 'overlay' ? `${link}, nothing of it required` : link;
}
