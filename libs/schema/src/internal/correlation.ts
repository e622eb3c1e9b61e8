import { equalJson, isJsonObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { listMapKey } from './list-map-key.ts';
import type { Node } from './node.ts';

/**
 * A value and the old value that it replaces, followed through lists with `x-kubernetes-list-type: map`
 * (`common.CorrelatedObject` of k8s.io/apiserver). What cannot be followed has no correlation.
 */
export class Correlation {
  readonly value: JsonValue;
  readonly old: JsonValue;
  private readonly node: Node;
  private readonly children = new Map<string | number, Correlation | undefined>();
  private oldByKey: Map<string, JsonObject> | undefined;
  private same: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue, node: Node) {
    this.value = value;
    this.old = old;
    this.node = node;
  }

  /**
   * True when value and old value are equal. Errors about unchanged values are not reported. An object with a field that
   * its schema does not describe never counts as unchanged, as in the API server.
   */
  get unchanged(): boolean {
    return (this.same ??= this.compare());
  }

  private compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value)) return Array.isArray(old) && this.compareLists(value, old);
    if (!isJsonObject(value) || !isJsonObject(old)) return value === old;
    const keys = membersOf(value);
    return keys.length === membersOf(old).length && keys.every((key) => this.key(key)?.unchanged === true);
  }

  private compareLists(list: readonly JsonValue[], old: readonly JsonValue[]): boolean {
    if (list.length !== old.length) return false;
    if (this.node.listType !== 'map') return equalJson([...list], [...old]);
    return list.every((_, i) => this.index(i)?.unchanged === true);
  }

  /** The member of an object, when the old object has it too and the schema describes it. */
  key(name: string): Correlation | undefined {
    if (!this.children.has(name)) this.children.set(name, this.findKey(name));
    return this.children.get(name);
  }

  /** The item of a list of type map, when the old list has one with the same keys. */
  index(i: number): Correlation | undefined {
    if (!this.children.has(i)) this.children.set(i, this.findIndex(i));
    return this.children.get(i);
  }

  private findKey(name: string): Correlation | undefined {
    if (!isJsonObject(this.value) || !isJsonObject(this.old) || !Object.hasOwn(this.old, name)) return undefined;
    const value = this.value[name];
    const old = this.old[name];
    const node = this.node.properties.get(name) ?? this.node.additionalProperties;
    return value === undefined || old === undefined || node === undefined
      ? undefined
      : new Correlation(value, old, node);
  }

  private findIndex(i: number): Correlation | undefined {
    const { items, listType, listMapKeys } = this.node;
    if (listType !== 'map' || items === undefined || !Array.isArray(this.value) || !Array.isArray(this.old))
      return undefined;
    this.oldByKey ??= indexByKey(this.old, listMapKeys);
    const value = this.value[i];
    const key = listMapKey(value, listMapKeys);
    const old = key === undefined ? undefined : this.oldByKey.get(key);
    return value === undefined || old === undefined ? undefined : new Correlation(value, old, items);
  }
}

function membersOf(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}

/** The items of a list of type map under their keys; of two with the same keys the first. */
export function indexByKey(list: readonly JsonValue[], keys: readonly string[]): Map<string, JsonObject> {
  const index = new Map<string, JsonObject>();
  for (const item of list) {
    const key = listMapKey(item, keys);
    if (key !== undefined && isJsonObject(item) && !index.has(key)) index.set(key, item);
  }
  return index;
}
