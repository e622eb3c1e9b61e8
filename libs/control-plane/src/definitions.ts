import { setTimeout as pause } from 'node:timers/promises';
import { createClient, httpTransport } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';

interface Definition {
  readonly spec?: {
    readonly group?: string;
    readonly names?: { readonly plural?: string };
    readonly versions?: readonly { readonly name: string; readonly served: boolean }[];
  };
}

const lookAgainMs = 50;

/** Creates CustomResourceDefinitions, and waits until their kinds are served. Rejects where one is refused, or is not served in time. */
export async function installDefinitions(
  kubeconfig: string,
  definitions: readonly object[],
  timeoutMs: number,
): Promise<void> {
  const client = createClient({ transport: httpTransport(await kubeconfigServer({ text: kubeconfig })) });
  try {
    for (const body of definitions)
      await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body });
    const deadline = performance.now() + timeoutMs;
    for (const path of definitions.flatMap(pathsOf)) {
      const isServed = (): Promise<boolean> =>
        client.request('GET', path).then(
          () => true,
          () => false,
        );
      while (!(await isServed())) {
        if (performance.now() > deadline) throw new Error(`${path} was not served after ${timeoutMs / 1000} s`);
        await pause(lookAgainMs);
      }
    }
  } finally {
    await client.close();
  }
}

function pathsOf({ spec }: Definition): readonly string[] {
  const { group = '', names, versions = [] } = spec ?? {};
  return versions.filter(({ served }) => served).map(({ name }) => `/apis/${group}/${name}/${names?.plural ?? ''}`);
}
