import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const definition = (name: string): object =>
  parse(readFileSync(new URL(`../../libs/api/crds/${name}.yaml`, import.meta.url), 'utf8')) as object;

/** The CustomResourceDefinitions of the kinds that live on a real control plane here. */
export const definitions = ['clusteredcaches.cache.my.domain', 'kvstoreclusters.kvstore.example.com'].map(definition);
