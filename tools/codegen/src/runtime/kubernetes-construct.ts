import { ApiObject, App, JsonPatch, Lazy, ResolutionContext } from 'cdk8s';
import type { ApiObjectProps, IResolver } from 'cdk8s';
import type { Construct } from 'constructs';
import { unfold } from './folded-json.ts';

/** What an object is. */
export interface Gvk {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object as it is written. */
export interface Manifest extends Gvk {
  readonly metadata: object;
}

/** Finds what an API server would refuse. */
export interface ManifestValidator {
  /** One line for each problem, with the field's path; none for a manifest that would be accepted. */
  problems(manifest: unknown): readonly string[];
}

/** What a construct stands for. */
export interface KubernetesConstructOptions {
  readonly manifest: Manifest;
  /** Judges the manifest when the app is synthesized; none where the API server should judge alone. */
  readonly validator?: ManifestValidator;
  /** The kind has no namespaces, so that the chart's is not added. */
  readonly clusterScoped?: boolean;
}

/**
 * A Kubernetes object in a cdk8s chart. It differs from `ApiObject` in two things: nothing that was put in is lost on the way out (`null` and unknown
 * keys are kept, no key is renamed), and the manifest, JSON patches included, is validated when the app is synthesized.
 */
export class KubernetesConstruct extends ApiObject {
  readonly #manifest: Manifest;
  readonly #patches: JsonPatch[] = [];
  #validator: ManifestValidator | undefined;

  readonly #clusterScoped: boolean;

  constructor(scope: Construct, id: string, options: KubernetesConstructOptions) {
    // cdk8s declares lists in metadata as mutable, and copies them.
    super(scope, id, options.manifest as unknown as ApiObjectProps);
    this.#manifest = options.manifest;
    this.#validator = options.validator;
    this.#clusterScoped = options.clusterScoped ?? false;
    this.node.addValidation({ validate: () => this.#problems() });
  }

  /** Applies RFC 6902 operations to the manifest, in order, after it is rendered and before it is validated. */
  override addJsonPatch(...operations: JsonPatch[]): void {
    this.#patches.push(...operations);
  }

  /** Leaves the judgment of this object to the API server. Returns the construct. */
  skipValidation(): this {
    this.#validator = undefined;
    return this;
  }

  /** The manifest, with tokens resolved and JSON patches applied. */
  override toJson(): Record<string, unknown> {
    const place = { owner: this, resolvers: App.of(this).resolvers };
    try {
      const { apiVersion, kind, metadata, ...rest } = render(this.#manifest, [], place) as Record<string, unknown>;
      const json = { apiVersion, kind, metadata: this.#metadata(metadata), ...rest };
      return JsonPatch.apply(json, ...this.#patches) as Record<string, unknown>;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`can not serialize ${this.kind} at ${this.node.path}: ${reason}`, { cause: error });
    }
  }

  /** What was given and what cdk8s added; an empty list or map that was given stays, and `generateName` is not overruled by a generated name. */
  #metadata(given: unknown): Record<string, unknown> {
    const own = given as Readonly<Record<string, unknown>>;
    const merged: Record<string, unknown> = { ...own, ...(this.metadata.toJson() as Record<string, unknown>) };
    if (own['generateName'] !== undefined && own['name'] === undefined) delete merged['name'];
    if (this.#clusterScoped && own['namespace'] === undefined) delete merged['namespace'];
    return Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #problems(): string[] {
    try {
      return [...(this.#validator?.problems(this.toJson()) ?? [])];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  }
}

/** What `kindClass` makes: the class of a kind's constructs, ready to get the kind's name. */
export interface KindClass<Props, Input extends Gvk> {
  new (scope: Construct, id: string, props: Props): KubernetesConstruct;
  /** apiVersion and kind. */
  readonly gvk: Pick<Input, 'apiVersion' | 'kind'>;
  /** The manifest as plain data, for use without a chart. */
  manifest(props: Props): Input;
}

/** The same of a kind of which no property is required. */
export interface OptionalKindClass<Props, Input extends Gvk> {
  new (scope: Construct, id: string, props?: Props): KubernetesConstruct;
  /** apiVersion and kind. */
  readonly gvk: Pick<Input, 'apiVersion' | 'kind'>;
  /** The manifest as plain data, for use without a chart. */
  manifest(props?: Props): Input;
}

/** What a kind's class is made of. */
export interface KindClassOptions extends Gvk {
  readonly validator: ManifestValidator;
  readonly clusterScoped?: boolean;
}

/**
 * The class of one kind's constructs. `Props` are the properties of `Input`, the written form, without apiVersion and kind and with optional metadata:
 * the generator makes both of one schema.
 */
export function kindClass<Props extends { readonly metadata?: object }, Input extends Gvk>(
  options: KindClassOptions,
): OptionalKindClass<Props, Input> {
  const { apiVersion, kind } = options;
  /** What every construct of the kind is; the generated module gives it its name. */
  class Kind extends KubernetesConstruct {
    static readonly gvk = { apiVersion, kind };

    /** The manifest as plain data. */
    static manifest(props: Partial<Manifest> = {}): Manifest {
      return { ...props, apiVersion, kind, metadata: props.metadata ?? {} };
    }

    constructor(scope: Construct, id: string, props: Partial<Manifest> = {}) {
      super(scope, id, { ...options, manifest: Kind.manifest(props) });
    }
  }
  // Props and Input differ in what the manifest fills in.
  return Kind as unknown as OptionalKindClass<Props, Input>;
}

/** What `definitionClass` makes: the class of the constructs of one CustomResourceDefinition. */
export interface DefinitionClass {
  new (scope: Construct, id: string): KubernetesConstruct;
  /** The definition as plain data, a new copy each time. */
  manifest(): Manifest;
}

/** The class of the constructs of one CustomResourceDefinition, given as folded JSON. */
export function definitionClass(folded: string): DefinitionClass {
  return class Definition extends KubernetesConstruct {
    static manifest(): Manifest {
      return unfold(folded) as Manifest;
    }

    constructor(scope: Construct, id: string) {
      super(scope, id, { manifest: Definition.manifest(), clusterScoped: true });
    }
  };
}

interface Place {
  readonly owner: ApiObject;
  readonly resolvers: readonly IResolver[];
}

/** A value as plain JSON: tokens resolved, keys sorted, undefined left out, null kept. Throws a `TypeError` with the path for what JSON can't say. */
function render(value: unknown, path: readonly string[], place: Place): unknown {
  if (value === undefined || value === null) return value;
  const scalar = numberOrString(value);
  if (scalar !== undefined) return scalar;
  if (!hidesConstructor(value)) {
    const context = new ResolutionContext(place.owner, [...path], value);
    for (const resolver of place.resolvers) {
      resolver.resolve(context);
      if (context.replaced) return render(context.replacedValue, path, place);
    }
  }
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item, index) => render(item, [...path, String(index)], place));
  if (!isPlain(value))
    throw new TypeError(`${path.join('.')}: ${describe(value)} can not be written into a manifest; give plain data`);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.flatMap(([key, member]) => {
      const rendered = render(member, [...path, key], place);
      return rendered === undefined ? [] : [[key, rendered] as const];
    }),
  );
}

/** The value of a class such as `IntOrString` or `Quantity`, as `cdk8s import` makes them. */
function numberOrString(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null || isPlain(value) || Array.isArray(value) || value instanceof Lazy)
    return undefined;
  const inner = (value as { readonly value?: unknown }).value;
  return typeof inner === 'string' || typeof inner === 'number' ? inner : undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True for data with a key called `constructor`, by which cdk8s's resolvers would mistake it for an instance of a class. */
const hidesConstructor = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  isPlain(value) &&
  (value as { readonly constructor?: unknown }).constructor !== Object;

const describe = (value: object): string => `an instance of ${value.constructor.name}`;
