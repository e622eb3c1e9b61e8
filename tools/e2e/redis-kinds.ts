import { JsonPatch } from 'cdk8s';
import { RedisCache, RedisStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { redisSet } from './redis-set.ts';

/** The tag of an image of Redis: one that all members run first, one to upgrade to, and one that is nowhere. */
export type Tag = '7' | '8' | 'none';

const repository = 'docker.io/e2e/redis';

/** The image of this tag. */
export const imageOf = (tag: Tag): string => `${repository}:${tag}`;

/** What is asked for. Fields of `spec.upgrade` are set over those of the recipe. */
export interface Wanted {
  readonly tag: Tag;
  readonly upgrade?: object;
}

/** A kind that keeps Redis in three members, by the recipe. */
export interface RedisKind {
  /** The kind, as kubectl takes it. */
  readonly kind: string;
  readonly objects: (namespace: string, name: string, wanted: Wanted) => readonly object[];
  /** What `status.currentVersion` says when all members run it. */
  readonly versionOf: (tag: Tag) => string;
}

/** In memory. */
export const cacheOfRedis: RedisKind = {
  kind: 'clusteredcache',
  objects: (namespace, name, { tag, upgrade }) =>
    inChart(namespace, (chart) => {
      new RedisCache(chart, name, { name, image: imageOf(tag), ...(upgrade ? { upgrade } : {}) });
    }),
  versionOf: imageOf,
};

/** With append-only files. The node's volumes belong to root, whom the members run as for that. */
export const storeOfRedis: RedisKind = {
  kind: 'kvstorecluster',
  objects: (namespace, name, { tag, upgrade = {} }) =>
    inChart(namespace, (chart) => {
      const storage = { className: 'standard', size: '1Gi' };
      const { resource } = new RedisStore(chart, name, { name, image: repository, version: tag, storage });
      const security = { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 };
      resource.addJsonPatch(
        ...Object.entries(security).map(([key, value]) =>
          JsonPatch.replace(`/spec/podTemplate/spec/securityContext/${key}`, value),
        ),
        ...Object.entries(upgrade).map(([key, value]) => JsonPatch.add(`/spec/upgrade/${key}`, value)),
      );
    }),
  versionOf: (tag) => tag,
};

/** In memory, as a StatefulSet that is registered at a monitor. */
export const setOfRedis: RedisKind = {
  kind: 'monitoredstatefulset',
  objects: (namespace, name, { tag, upgrade = {} }) => redisSet(namespace, name, { image: imageOf(tag), upgrade }),
  versionOf: imageOf,
};
