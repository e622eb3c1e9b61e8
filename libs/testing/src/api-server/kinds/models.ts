import type { CelEngine } from '@ordinal/schema';
import schemas from '../../builtin/schemas.json' with { type: 'json' };
import shapes from '../../builtin/shapes.json' with { type: 'json' };
import type { JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { TypeReader } from '../schema/open-api.ts';
import type { Definitions } from '../schema/open-api.ts';
import { notSimulated } from '../status.ts';
import { builtinModel } from './builtin-model.ts';
import { customModel } from './custom-model.ts';
import type { KindModel } from './model.ts';

interface KindMark {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

// The dump is our own: its form is that of OpenAPI.
const definitions = { schemas, shapes } as unknown as Definitions;

/** Keeps the models of kinds; those of built-in kinds are made when they are first asked for. */
export class KindModels {
  readonly #types = new TypeReader(definitions);
  readonly #known = new Map<string, KindModel>();
  readonly #cel: CelEngine | undefined;
  #names: Map<string, string> | undefined;

  constructor(cel?: CelEngine) {
    this.#cel = cel;
  }

  /** The model of a kind in the version of the resource. Refuses kinds that have none with 501. */
  of(resource: ServerResource): KindModel {
    const key = keyOf(resource);
    const known = this.#known.get(key);
    if (known) return known;
    const name = this.#definitionName(resource);
    if (name === undefined) throw notSimulated(`the kind ${key}`);
    const model = builtinModel(resource, this.#types.definition(name));
    this.#known.set(key, model);
    return model;
  }

  /** Takes over a custom kind. */
  define(resource: ServerResource, schema: JsonObject): void {
    this.#known.set(keyOf(resource), customModel({ resource, schema, types: this.#types, cel: this.#cel }));
  }

  /** Forgets a custom kind. */
  forget(resource: ServerResource): void {
    this.#known.delete(keyOf(resource));
  }

  #definitionName(resource: ServerResource): string | undefined {
    this.#names ??= namesOf(definitions);
    return this.#names.get(keyOf(resource));
  }
}

const keyOf = ({ group, version, kind }: KindMark): string => `${group}/${version}/${kind}`;

function namesOf({ schemas: all }: Definitions): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(all))
    for (const mark of (schema['x-kubernetes-group-version-kind'] ?? []) as readonly KindMark[])
      names.set(keyOf(mark), name);
  return names;
}
