import { ApiObject, App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

/** An object as it is written to a cluster or into a file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * The manifests that constructs give, in their order, without writing any file. `build` adds its constructs to the scope that it is given; nothing of
 * it outlives the call.
 */
export function synthesize(build: (scope: Construct) => void): Manifest[] {
  const chart = new Chart(new App(), 'synthesis');
  build(chart);
  return chart.toJson() as Manifest[]; // Every ApiObject of ours has a name.
}

/** Adds a manifest to a scope as an `ApiObject`. Its id is unique by kind and name. */
export function addManifest(scope: Construct, manifest: object): ApiObject {
  const { kind, metadata } = manifest as Manifest; // Builders of this package give whole objects.
  return new ApiObject(scope, `${kind}-${metadata.name}`, manifest as ConstructorParameters<typeof ApiObject>[2]);
}
