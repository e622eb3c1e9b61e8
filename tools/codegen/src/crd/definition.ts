import type { JsonSchemaProps } from '@ordinal/schema';

/** A CustomResourceDefinition (apiextensions.k8s.io/v1) as it stands in its YAML, and where that is. */
export interface Definition {
  readonly source: DefinitionSource;
  /** Where in its document the CRD stands: empty unless it is an item of a list. */
  readonly root: readonly (string | number)[];
  /** The whole document, for the construct that emits the CRD itself. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Every version, served or not, in the CRD's order. */
  readonly versions: readonly DefinitionVersion[];
}

/** Where a definition came from. */
export interface DefinitionSource {
  readonly file: string;
  readonly line: number;
  /** SHA-256 of the CRD as JSON, in hexadecimal: the same whatever the file, its comments and its line ends. */
  readonly hash: string;
  /** The document's text, to find the line of a path when something is refused. */
  readonly text: string;
}

/** `spec.names`. */
export interface DefinitionNames {
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** One entry of `spec.versions`. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: JsonSchemaProps };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly {
    readonly name: string;
    readonly type: string;
    readonly jsonPath: string;
    readonly format?: string;
    readonly description?: string;
    readonly priority?: number;
  }[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** The warning of a deprecated version, in the API server's words where the CRD has none of its own. */
export function deprecationOf(definition: Definition, version: DefinitionVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  return version.deprecationWarning ?? `${definition.group}/${version.name} ${definition.names.kind} is deprecated`;
}
