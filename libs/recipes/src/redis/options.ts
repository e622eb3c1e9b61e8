import type { ClusteredCacheProps } from '@ordinal/constructs';

/** How clients and members prove who they are. */
export interface RedisAuth {
  /** The Secret with the password, in the same namespace. */
  readonly secretName: string;
  /** Its key. `password` by default. */
  readonly passwordKey?: string;
  /** The ACL user that the password is of, and the default user is off then. The default user when left out. */
  readonly user?: string;
}

/** What Redis and Valkey have in common on every kind. */
export interface RedisOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: one that leads, and its replicas. 3 by default. */
  readonly replicas?: number;
  /** Which software the image has. `Redis` by default. */
  readonly software?: 'Redis' | 'Valkey';
  /** The port of every member. 6379 by default. */
  readonly port?: number;
  /** Without it, every client that reaches a member may read and write. */
  readonly auth?: RedisAuth;
  /** TLS for clients and among the members, with the certificate of this Secret (`ca.crt`, `tls.crt`, `tls.key`). Certificates of clients are not asked for. */
  readonly tls?: { readonly secretName: string };
  /** Further settings of the server, such as `{ maxmemory: '1gb' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each member asks for and may use. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}

/** What a `RedisCache` is made of. */
export interface RedisCacheOptions extends RedisOptions {
  /** The image of the members, whole. A change of it is an upgrade. */
  readonly image: string;
  /** Fields of `spec.upgrade`, over those of the recipe. */
  readonly upgrade?: ClusteredCacheProps['spec']['upgrade'];
}

/** Where a `RedisStore` keeps its backups. */
export interface RedisBackup {
  /** The volume claim that Jobs write to, in the same namespace. Files are called `NAMESPACE/BACKUP.rdb` there. */
  readonly claimName: string;
  /** A schedule in Cron format. On demand only when left out. */
  readonly cron?: string;
  /** The name of a backup that the new cluster begins with, as `status.backups[].location` of the former one says. */
  readonly restoreFrom?: string;
}

/** What a `RedisStore` is made of. */
export interface RedisStoreOptions extends RedisOptions {
  /** The image's repository, without a tag. `docker.io/library/redis` or `docker.io/valkey/valkey` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image. */
  readonly version: string;
  /** The volume of each member. */
  readonly storage: { readonly className: string; readonly size: string };
  /** Without it there are no backups, and a deletion leaves the volumes. */
  readonly backup?: RedisBackup;
}
