import type {
  Client,
  Clock,
  ConfigMap,
  KubernetesObject,
  ObjectKey,
  ResourceDescriptor,
  StatefulSet,
} from '@ordinal/client';
import type { Invariant, Scenario } from '@ordinal/explorer';
import type { ExecutionContext, Seals } from '@ordinal/lifecycle';
import type { DatabaseSystem } from '@ordinal/reconcilers';
import type { ControllerDefinition, ReconcileContext } from '@ordinal/runtime';
import type { ConversionWebhook, ServingCertificate } from '@ordinal/runtime/webhooks';
import type { CompiledSchema, JsonObject, JsonSchemaProps } from '@ordinal/schema';
import type { TestCluster } from '@ordinal/simulator';

// What the reader of a page has already: the names that its blocks of TypeScript use and do not declare.
declare global {
  // docs/guides/add-a-provider.md
  function myProvider(): DatabaseSystem;

  // docs/guides/add-a-version.md
  const timersV1: ResourceDescriptor<KubernetesObject & { readonly spec: { readonly address: string } }>;
  const timersV2: ResourceDescriptor<
    KubernetesObject & { readonly spec: { readonly host: string; readonly port: number } }
  >;
  const certificate: ServingCertificate;
  const clock: Clock;
  const conversion: ConversionWebhook;
  const cluster: TestCluster;

  // libs/explorer/README.md
  type Cluster = TestCluster;
  const crds: readonly string[];
  const startMyOperator: Scenario['operator'];
  function createCache(cluster: Cluster): Promise<void>;
  function isReady(cluster: Cluster): boolean;
  function isReadyAt(cluster: Cluster, image: string): boolean;
  function edit(cluster: Cluster, change: { readonly image: string }): Promise<void>;
  function deletePod(cluster: Cluster): Promise<void>;
  function leftOver(cluster: Cluster): readonly string[];
  const bad: { readonly image: string };
  const good: { readonly image: string };
  const onePodDownAtATime: Invariant;

  // libs/reconcilers/README.md
  const key: ObjectKey;
  const context: ReconcileContext & ExecutionContext;
  const seals: Seals;

  // libs/runtime/README.md
  const greetings: ResourceDescriptor<KubernetesObject>;
  function configMapFor(greeting: object): ConfigMap;
  const client: Client;
  const signal: AbortSignal;

  // libs/schema/README.md
  const crd: {
    readonly spec: {
      readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: JsonSchemaProps } }];
    };
  };
  const object: JsonObject;
  const openAPIV3Schema: JsonSchemaProps;
  const schema: CompiledSchema;

  // libs/simulator/README.md
  const crdYaml: string;
  function myController(parts: { readonly http: unknown }): ControllerDefinition;
  const mySet: StatefulSet;
}
